#include "rooftile/ingest/onnx_resolve.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/nearest.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/ingest/onnx_fold.hpp"
#include "rooftile/ingest/onnx_inputs.hpp"
#include "rooftile/ingest/onnx_lower.hpp"
#include "rooftile/ingest/onnx_makers.hpp"
#include "rooftile/ingest/onnx_ops.hpp"
#include "rooftile/ingest/onnx_opset18.hpp"
#include "rooftile/ingest/onnx_proto.hpp"
#include "rooftile/ingest/onnx_resolver.hpp"
#include "rooftile/ingest/onnx_rules.hpp"
#include "rooftile/ingest/onnx_window.hpp"
#include "rooftile/workload/bad_input.hpp"

namespace rooftile {
namespace {

constexpr std::size_t kMostAxes = 32;  // as onnx_proto.cpp

// What a framework does to a weight without computing anything.
constexpr std::array<std::string_view, 7> kReordering = {"Cast",    "Flatten",   "Identity", "Reshape",
                                                         "Squeeze", "Transpose", "Unsqueeze"};

Result<void> check_shape(const Shape& shape, const std::string& name) {
  if (shape.size() > kMostAxes) return bad_input(fmt::format("{} has {} dimensions", in_quotes(name), shape.size()));
  for (const std::int64_t dim : shape) {
    if (dim < 0 || dim > kMaxDimension) {
      return bad_input(
          fmt::format("{} has the dimension {}, not between 1 and {}", in_quotes(name), dim, kMaxDimension));
    }
  }
  if (elements(shape) > kMaxElements) {
    return bad_input(
        fmt::format("{} has {:.3g} elements, more than {:.3g}", in_quotes(name), elements(shape), kMaxElements));
  }
  return {};
}

// The operand whose values are a shape. Where they are not known, libonnx would make up as many dimensions as it has
// elements.
ValueId shape_operand(const OnnxNode& node) {
  if (node.type == "ConstantOfShape") return node.input(0);
  if (node.type == "Expand" || node.type == "Reshape" || node.type == "Tile") return node.input(1);
  return kAbsent;
}

// Numbers that libonnx multiplies and divides without a look: huge ones overflow there. Slices may mean "to the end".
Result<void> check_attributes(const OnnxNode& node) {
  const auto small = [](std::int64_t value) { return value >= -kMaxDimension && value <= kMaxDimension; };
  for (const auto& [name, value] : node.attributes) {
    if (name == kShapeAttribute) continue;  // checked as that of the result
    const auto* one = std::get_if<std::int64_t>(&value);
    if (one && !small(*one)) return bad_input(fmt::format("attribute {} is {}", in_quotes(name), *one));
    const auto* many = std::get_if<Ints>(&value);
    if (!many || node.type == "Slice") continue;
    for (const std::int64_t element : *many) {
      if (!small(element)) return bad_input(fmt::format("attribute {} contains {}", in_quotes(name), element));
    }
  }
  return {};
}

// The first; of a recurrent layer also the last state alone.
bool has_output(const OnnxNode& node) {
  const auto there = [](ValueId id) { return id != kAbsent; };
  if (is_recurrent(node.type)) return std::any_of(node.outputs.begin(), node.outputs.end(), there);
  return !node.outputs.empty() && there(node.outputs[0]);
}

// Sizes that are multiplied and turned into integers without a look.
Result<void> check_scales(const OnnxGraph& graph, const OnnxNode& node) {
  if (node.type != "Resize" && node.type != "Upsample") return {};
  const auto check = [](const Floats& scales) -> Result<void> {
    for (const double scale : scales) {
      if (!(scale > 0 && scale <= static_cast<double>(kMaxDimension))) {
        return bad_input(fmt::format("scales by {}", scale));
      }
    }
    return {};
  };
  if (const auto found = node.attributes.find("scales"); found != node.attributes.end()) {
    if (const auto* scales = std::get_if<Floats>(&found->second)) TRY(check(*scales));
  }
  for (std::size_t i = 1; i < node.inputs.size(); ++i) {
    if (node.inputs[i] == kAbsent || !graph.values[node.inputs[i]].data) continue;
    const auto* scales = std::get_if<Floats>(&*graph.values[node.inputs[i]].data);
    const bool region = node.type == "Resize" && i == 1 && graph.opset >= 11;
    if (scales != nullptr && !region) TRY(check(*scales));
  }
  return {};
}

tl::unexpected<Error> labelled(const OnnxNode& node, Error error) {
  error.message = node.label() + ": " + error.message;
  return tl::unexpected(std::move(error));
}

}  // namespace

Result<void> OnnxResolver::run() {
  admit();
  file_batch_ = TRY(set_inputs(graph_, options_));
  for (const OnnxInput& input : graph_.inputs) {
    const OnnxValue& value = graph_.values[input.value];
    TRY(check_shape(value.shape, value.name));
    defined_[input.value] = true;
    if (!batch_ && !value.shape.empty()) batch_ = value.shape.front();
  }
  std::vector<OnnxNode> nodes = std::move(graph_.nodes);
  for (OnnxNode& node : nodes) TRY(place(std::move(node)));
  graph_.nodes = std::move(kept_);
  for (ValueId& id : graph_.outputs) {
    if (!is_defined(id))
      return bad_input(fmt::format("output {} is never computed", in_quotes(graph_.values[id].name)));
    id = canonical(id);
    if (sequences_.contains(id)) {
      return fail(ErrorCode::unsupported,
                  fmt::format("output {} is a sequence of tensors", in_quotes(graph_.values[id].name)));
    }
  }
  return {};
}

void OnnxResolver::admit() {
  while (defined_.size() < graph_.values.size()) defined_.push_back(graph_.values[defined_.size()].constant);
}

void OnnxResolver::alias(ValueId id, ValueId of) {
  aliases_[id] = of;
  defined_[id] = true;
}

Result<void> OnnxResolver::place(OnnxNode node) {
  admit();
  if (auto fits = check_operands(node); !fits) return labelled(node, fits.error());
  for (ValueId& id : node.inputs) {
    if (id != kAbsent) id = canonical(id);
  }
  if (is_control(node.type)) return expand(node);
  if (node.type == "Identity" && node.outputs.size() == 1 && node.outputs[0] != kAbsent && !node.inputs.empty() &&
      sequences_.contains(node.inputs[0]) && !defined_[node.outputs[0]]) {
    alias(node.outputs[0], node.inputs[0]);
    return {};
  }
  for (const ValueId id : node.inputs) {
    if (id != kAbsent && sequences_.contains(id)) {
      return labelled(node, {ErrorCode::unsupported, "takes a sequence of tensors", ""});
    }
  }
  auto placed = is_lowered(node.type) ? place_lowered(node) : place_one(node);
  return placed ? placed : labelled(node, placed.error());
}

Result<void> OnnxResolver::place_lowered(const OnnxNode& node) {
  if (!has_output(node)) return bad_input("has no output");
  for (const ValueId id : node.outputs) {
    if (id != kAbsent && defined_[id])
      return bad_input(fmt::format("computes {}, which already exists", in_quotes(graph_.values[id].name)));
  }
  TRY(check_attributes(node));
  auto nodes = TRY(lower(graph_, node));
  admit();
  for (const ValueId id : node.outputs) {
    if (id != kAbsent && graph_.values[id].constant) defined_[id] = true;
  }
  for (OnnxNode& simpler : nodes) TRY(place_one(simpler));
  assume(node);
  for (const ValueId id : node.outputs) {
    if (id == kAbsent || defined_[id]) continue;
    return fail(ErrorCode::unsupported,
                fmt::format("its result {} is asked for, which is not supported", in_quotes(graph_.values[id].name)));
  }
  return {};
}

Result<void> OnnxResolver::place_one(OnnxNode& node) {
  TRY(define_results(node));
  if (!TRY(infer(node))) return {};
  assume(node);
  remember_parts(node);
  kept_.push_back(std::move(node));
  return {};
}

void OnnxResolver::assume(const OnnxNode& node) {
  if (const std::string assumed = assumption_of(graph_, node); !assumed.empty()) {
    ++graph_.assumed[node.type + ": " + assumed];
  }
}

Result<bool> OnnxResolver::infer(OnnxNode& node) {
  if (node.type == "Constant") return set_constant(node);
  bound_by_image(node);
  bound_slice(node);
  drop_empty(node);
  TRY(lower_to_opset17(graph_, node));
  if (node.type == "Add") follow_positions(node);
  if (node.type == "Reshape") {
    follow_batch(node);
    TRY(check_reshape(node));
  }
  TRY(check_scales(graph_, node));
  if (const ValueId shape = shape_operand(node); shape != kAbsent && !graph_.values[shape].data) {
    return explain(node,
                   {ErrorCode::unsupported, "the shape of its output cannot be known before the network runs", ""});
  }
  const auto types = infer_outputs(graph_, node);
  if (!types) return explain(node, types.error());
  bool constant = std::all_of(node.inputs.begin(), node.inputs.end(),
                              [&](ValueId id) { return id == kAbsent || graph_.values[id].constant; });
  const bool learned = std::any_of(node.inputs.begin(), node.inputs.end(),
                                   [&](ValueId id) { return id != kAbsent && graph_.values[id].learned; });
  const bool reorders = std::find(kReordering.begin(), kReordering.end(), node.type) != kReordering.end();
  if (learned && !reorders && graph_.computes_on_weights) constant = false;
  if (node.attributes.contains(kEachRunAttribute)) constant = false;
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i] == kAbsent) continue;
    OnnxValue& value = graph_.values[node.outputs[i]];
    TRY(check_shape((*types)[i].shape, value.name));
    value.shape = (*types)[i].shape;
    value.dtype = (*types)[i].dtype;
    value.constant = constant || is_shape_only(node.type);
    value.learned = value.constant && learned && reorders;
    if (value.learned) value.name = graph_.values[node.inputs[0]].name;  // it is the same weight
    if (value.constant && node.type == "DequantizeLinear") value.stored = graph_.values[node.inputs[0]].dtype;
    if (value.constant && reorders) value.stored = graph_.values[node.inputs[0]].stored;
    if (!value.constant && elements(value.shape) < 1) {
      return bad_input(fmt::format("its output {} is empty: {}", in_quotes(value.name), print(value.shape)));
    }
  }
  if (!constant && !is_shape_only(node.type)) return true;
  if (node.outputs[0] != kAbsent) graph_.values[node.outputs[0]].data = fold(graph_, node);
  return false;
}

Result<void> OnnxResolver::check_operands(const OnnxNode& node) const {
  if (is_unsupported(node) && !options_.skip_unsupported) {
    const std::string meant = did_you_mean(node.type, onnx_op_names());
    const bool can_skip = has_shape_rule(node.type, graph_.opset);
    return fail(ErrorCode::unsupported, fmt::format("operator {} is not supported{}{}", in_quotes(node.type), meant,
                                                    can_skip        ? " (--skip-unsupported leaves it out)"
                                                    : meant.empty() ? "; export the model without it"
                                                                    : ""));
  }
  for (const ValueId id : node.inputs) {
    if (id != kAbsent && !is_defined(id)) {
      return bad_input(fmt::format("reads {}, which nothing before it computes", in_quotes(graph_.values[id].name)));
    }
  }
  return {};
}

// What can be said before shapes are inferred, and has to be: libonnx trusts its input.
Result<void> OnnxResolver::define_results(const OnnxNode& node) {
  if (!has_output(node)) return bad_input("has no output");
  for (const ValueId id : node.outputs) {
    if (id == kAbsent) continue;
    if (defined_[id])
      return bad_input(fmt::format("computes {}, which already exists", in_quotes(graph_.values[id].name)));
    defined_[id] = true;
  }
  TRY(check_attributes(node));
  if (!has_window(node.type)) return {};
  TRY(read_window(graph_, node));
  return {};
}

Result<bool> OnnxResolver::set_constant(const OnnxNode& node) {
  OnnxValue& value = graph_.values[node.outputs[0]];
  std::string name = std::move(value.name);
  if (node.attributes.size() == 1) {
    const OnnxAttribute& attribute = node.attributes.begin()->second;
    if (const auto* tensor = std::get_if<OnnxValue>(&attribute)) value = *tensor;
    if (const auto* number = std::get_if<std::int64_t>(&attribute)) value.data = Ints{*number};
    if (const auto* number = std::get_if<double>(&attribute)) value.data = Floats{*number};
    if (const auto* list = std::get_if<Ints>(&attribute)) {
      value.data = *list;
      value.shape = {static_cast<std::int64_t>(list->size())};
    }
    if (const auto* list = std::get_if<Floats>(&attribute)) {
      value.data = *list;
      value.shape = {static_cast<std::int64_t>(list->size())};
    }
    if (!std::holds_alternative<OnnxValue>(attribute) && value.data) {
      value.dtype = std::holds_alternative<Ints>(*value.data) ? DType::int64 : DType::fp32;
      value.constant = true;
    }
  }
  value.name = std::move(name);
  if (!value.constant) return fail(ErrorCode::unsupported, "its value is of an unsupported type");
  return false;
}

// A file exported for one batch size has it written into its Reshapes; it follows the batch that is asked for.
void OnnxResolver::follow_batch(OnnxNode& node) {
  const std::int64_t batch = batch_.value_or(0);
  if (!file_batch_ || *file_batch_ == batch || node.input(0) == kAbsent || node.input(1) == kAbsent) return;
  const Shape& shape = graph_.shape(node.inputs[0]);
  const OnnxValue& target = graph_.values[node.inputs[1]];
  const Ints* wanted = target.data ? std::get_if<Ints>(&*target.data) : nullptr;
  if (!wanted || wanted->empty() || wanted->front() != *file_batch_ || shape.empty() || shape[0] != batch) return;
  OnnxValue changed = target;
  std::get<Ints>(*changed.data).front() = batch;
  graph_.values.push_back(std::move(changed));
  node.inputs[1] = graph_.values.size() - 1;
}

// A vision transformer's learned positions become as many as the image has patches, as frameworks resample them.
void OnnxResolver::follow_positions(const OnnxNode& node) {
  const bool another_size = options_.image_size || !options_.shapes.empty() || !options_.dims.empty();
  if (!another_size || node.inputs.size() != 2) return;
  for (const auto& [positions, data] : {std::pair(node.inputs[1], node.inputs[0]), {node.inputs[0], node.inputs[1]}}) {
    if (positions == kAbsent || data == kAbsent || !graph_.values[positions].learned) continue;
    Shape& learned = graph_.values[positions].shape;
    const Shape& wanted = graph_.shape(data);
    if (learned.size() == 3 && wanted.size() == 3 && learned[0] == 1 && learned[1] > 1 && learned[2] == wanted[2]) {
      learned[1] = wanted[1];
    }
  }
}

// Before libonnx divides by the product of the wanted dimensions.
Result<void> OnnxResolver::check_reshape(const OnnxNode& node) const {
  if (node.input(0) == kAbsent || elements(graph_.shape(node.inputs[0])) < 1)
    return bad_input("has no data to reshape");
  Ints wanted = node.get_ints("shape");  // opset 1
  if (node.input(1) != kAbsent) {
    const OnnxValue& target = graph_.values[node.inputs[1]];
    if (const Ints* known = target.data ? std::get_if<Ints>(&*target.data) : nullptr) wanted = *known;
  }
  if (wanted.size() > kMostAxes) return bad_input(fmt::format("its new shape has {} dimensions", wanted.size()));
  double product = 1;
  for (const std::int64_t dim : wanted) {
    if (dim < -1 || dim > kMaxDimension) return bad_input(fmt::format("its new shape has the dimension {}", dim));
    if (dim > 0) product *= static_cast<double>(dim);
  }
  if (product > kMaxElements) return bad_input(fmt::format("its new shape {} is too large", print(wanted)));
  if (node.get_int("allowzero", 0) != 0 && std::count(wanted.begin(), wanted.end(), 0) > 0) {
    return bad_input(fmt::format("its new shape {} is empty", print(wanted)));
  }
  return {};
}

// Adds what keeps a shape from being known.
tl::unexpected<Error> OnnxResolver::explain(const OnnxNode& node, Error error) const {
  for (const ValueId id : node.inputs) {
    if (id == kAbsent || !graph_.values[id].external || elements(graph_.shape(id)) > 64) continue;
    error.message +=
        fmt::format("; its operand {} is in another file, which is not opened", in_quotes(graph_.values[id].name));
    break;
  }
  return tl::unexpected(std::move(error));
}

bool is_unsupported(const OnnxNode& node) {
  return !is_shape_only(node.type) && !onnx_op_known(node.type) && !is_lowered(node.type) && !is_control(node.type);
}

Result<void> resolve(OnnxGraph& graph, const OnnxOptions& options) { return OnnxResolver(graph, options).run(); }

void drop_unused(OnnxGraph& graph) {
  std::vector<bool> needed(graph.values.size());
  for (const ValueId id : graph.outputs) needed[id] = true;
  std::vector<OnnxNode> kept;
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    const bool used = std::any_of(node->outputs.begin(), node->outputs.end(),
                                  [&](ValueId id) { return id != kAbsent && needed[id]; });
    if (!used) continue;
    for (const ValueId id : node->inputs) {
      if (id != kAbsent) needed[id] = true;
    }
    kept.push_back(std::move(*node));
  }
  std::reverse(kept.begin(), kept.end());
  graph.nodes = std::move(kept);
}

}  // namespace rooftile
