// Operators that hold graphs (If, Loop, Scan) or lists of tensors: what they hold is put in their place, a branch once,
// the body of a loop as often as it runs.
#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/ingest/onnx_lowering.hpp"
#include "rooftile/ingest/onnx_resolver.hpp"

namespace rooftile {
namespace {

constexpr std::array<std::string_view, 11> kControl = {"ConcatFromSequence",
                                                       "If",
                                                       "Loop",
                                                       "Scan",
                                                       "SequenceAt",
                                                       "SequenceConstruct",
                                                       "SequenceEmpty",
                                                       "SequenceErase",
                                                       "SequenceInsert",
                                                       "SequenceLength",
                                                       "SplitToSequence"};

constexpr std::int64_t kMostRuns = 4096;      // of the body of a loop
constexpr std::size_t kMostCopied = 100'000;  // nodes, or 64 bytes of one, in all
constexpr std::size_t kLongestName = 200;     // of a copy
constexpr std::size_t kMostInSequence = std::size_t{1} << 16;

struct SizeOfAttribute {
  std::size_t operator()(std::int64_t) const { return 0; }
  std::size_t operator()(double) const { return 0; }
  std::size_t operator()(const std::string& text) const { return text.size() / 64; }
  std::size_t operator()(const Ints& list) const { return list.size() / 8; }
  std::size_t operator()(const Floats& list) const { return list.size() / 8; }
  std::size_t operator()(const OnnxValue&) const { return 16; }
  std::size_t operator()(const std::shared_ptr<const OnnxBody>& body) const;
};

// What copying a node, or a body, costs.
std::size_t size_of_node(const OnnxNode& node) {
  std::size_t size = 1 + (node.inputs.size() + node.outputs.size()) / 8;
  for (const auto& [name, value] : node.attributes) size += name.size() / 64 + std::visit(SizeOfAttribute{}, value);
  return size;
}

std::size_t size_of_body(const OnnxBody& body) {
  std::size_t size = 1 + body.locals.size() / 8;
  for (const OnnxNode& node : body.nodes) size += size_of_node(node);
  return size;
}

std::size_t SizeOfAttribute::operator()(const std::shared_ptr<const OnnxBody>& body) const {
  return size_of_body(*body);
}

using NewIds = std::unordered_map<ValueId, ValueId>;

void rename_ids(std::vector<ValueId>& ids, const NewIds& fresh) {
  for (ValueId& id : ids) {
    if (const auto found = fresh.find(id); found != fresh.end()) id = found->second;
  }
}

// A copy of the node that reads and computes other values, within its own bodies, too.
OnnxNode renamed(const OnnxNode& node, const NewIds& fresh) {
  OnnxNode copy = node;
  copy.name.resize(std::min(copy.name.size(), kLongestName));
  rename_ids(copy.inputs, fresh);
  rename_ids(copy.outputs, fresh);
  for (auto& [name, value] : copy.attributes) {
    auto* held = std::get_if<std::shared_ptr<const OnnxBody>>(&value);
    if (held == nullptr) continue;
    auto body = std::make_shared<OnnxBody>(**held);
    rename_ids(body->outputs, fresh);
    for (OnnxNode& inner : body->nodes) inner = renamed(inner, fresh);
    *held = std::move(body);
  }
  return copy;
}

std::optional<std::int64_t> dimension_at(const Shape& shape, std::int64_t axis, std::size_t& at) {
  const auto rank = static_cast<std::int64_t>(shape.size());
  if (axis < -rank || axis >= rank) return std::nullopt;
  at = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
  return shape[at];
}

}  // namespace

bool is_control(std::string_view onnx_type) {
  return std::find(kControl.begin(), kControl.end(), onnx_type) != kControl.end();
}

std::vector<std::string> control_names() { return {kControl.begin(), kControl.end()}; }

tl::unexpected<Error> OnnxResolver::stop(const OnnxNode& node, ErrorCode code, std::string message) const {
  return fail(code, node.label() + ": " + std::move(message));
}

std::optional<std::int64_t> OnnxResolver::known_integer(ValueId id) const {
  if (id == kAbsent || !graph_.values[id].data) return std::nullopt;
  const Ints* known = std::get_if<Ints>(&*graph_.values[id].data);
  return known != nullptr && known->size() == 1 ? std::optional(known->front()) : std::nullopt;
}

ValueId OnnxResolver::add_integer(std::int64_t value, DType type) {
  OnnxValue& added = graph_.values.emplace_back();
  added.name = "constant";
  added.dtype = type;
  added.constant = true;
  added.data = Ints{value};
  admit();
  return graph_.values.size() - 1;
}

Result<void> OnnxResolver::expand(const OnnxNode& node) {
  for (const ValueId id : node.outputs) {
    if (id != kAbsent && defined_[id]) {
      return stop(node, ErrorCode::bad_input,
                  fmt::format("computes {}, which already exists", in_quotes(graph_.values[id].name)));
    }
  }
  if (node.type == "If") return expand_if(node);
  if (node.type == "Loop") return expand_loop(node);
  if (node.type == "Scan") return expand_scan(node);
  return expand_sequence(node);
}

Result<std::vector<ValueId>> OnnxResolver::run_body(const OnnxNode& node, const OnnxBody& body,
                                                    const std::vector<ValueId>& arguments) {
  copied_ += size_of_body(body);
  if (copied_ > kMostCopied) {
    return stop(node, ErrorCode::unsupported,
                fmt::format("with its graphs in place there are more than {} operators", kMostCopied));
  }
  NewIds fresh;
  for (std::size_t i = 0; i < body.inputs.size(); ++i) fresh[body.inputs[i]] = arguments[i];
  for (const ValueId id : body.locals) {
    if (fresh.contains(id)) continue;
    fresh[id] = graph_.values.size();
    OnnxValue copy;
    copy.name = graph_.values[id].name.substr(0, kLongestName);
    graph_.values.push_back(std::move(copy));
  }
  admit();
  for (const OnnxNode& inner : body.nodes) TRY(place(renamed(inner, fresh)));
  std::vector<ValueId> results = body.outputs;
  rename_ids(results, fresh);
  for (ValueId& id : results) {
    if (id == kAbsent || !is_defined(id))
      return stop(node, ErrorCode::bad_input, "its graph computes not all its results");
    id = canonical(id);
  }
  return results;
}

Result<void> OnnxResolver::expand_if(const OnnxNode& node) {
  const OnnxBody *yes = node.get_body("then_branch"), *no = node.get_body("else_branch");
  if (yes == nullptr || no == nullptr) return stop(node, ErrorCode::bad_input, "does not have two branches");
  const auto condition = known_integer(node.input(0));
  const OnnxBody* taken = condition ? (*condition != 0 ? yes : no) : size_of_body(*yes) >= size_of_body(*no) ? yes : no;
  if (!condition) ++graph_.assumed["If: the condition depends on the data, and the longer branch is taken"];
  if (!taken->inputs.empty() || taken->outputs.size() < node.outputs.size()) {
    return stop(node, ErrorCode::bad_input, "its branch does not have its results");
  }
  const auto results = TRY(run_body(node, *taken, {}));
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i] != kAbsent) alias(node.outputs[i], results[i]);
  }
  return {};
}

Result<void> OnnxResolver::expand_loop(const OnnxNode& node) {
  const OnnxBody* body = node.get_body("body");
  if (body == nullptr || node.inputs.size() < 2 || body->inputs.size() != node.inputs.size() ||
      body->outputs.size() + 1 < body->inputs.size() || node.outputs.size() + 1 > body->outputs.size()) {
    return stop(node, ErrorCode::bad_input, "its body does not fit its operands");
  }
  const std::size_t carried_count = node.inputs.size() - 2;
  const auto trips = known_integer(node.inputs[0]);
  if (node.inputs[0] != kAbsent && !trips) {
    return stop(node, ErrorCode::unsupported, "how often it runs depends on the data; export it for a fixed number");
  }
  std::vector<ValueId> carried(node.inputs.begin() + 2, node.inputs.end());
  std::vector<std::vector<ValueId>> collected(body->outputs.size() - 1 - carried_count);
  ValueId condition = node.inputs[1] == kAbsent ? add_integer(1, DType::boolean) : node.inputs[1];
  const bool forever = body->outputs[0] == body->inputs[1];
  std::int64_t runs = 0;
  for (bool open = false;; ++runs) {
    const auto goes_on = known_integer(condition);
    if ((trips && runs >= *trips) || (goes_on && *goes_on == 0)) break;
    if (!goes_on && !trips) {
      return stop(node, ErrorCode::unsupported, "how often it runs depends on the data; export it for a fixed number");
    }
    if (runs >= kMostRuns || (forever && trips && *trips > kMostRuns)) {
      return stop(node, ErrorCode::unsupported,
                  trips ? fmt::format("runs {} times, more than {}", *trips, kMostRuns)
                        : fmt::format("runs more than {} times", kMostRuns));
    }
    if (!goes_on && !std::exchange(open, true)) {
      ++graph_.assumed[fmt::format("Loop: the end depends on the data, and it runs {} times", *trips)];
    }
    std::vector<ValueId> arguments = {add_integer(runs, DType::int64), condition};
    arguments.insert(arguments.end(), carried.begin(), carried.end());
    for (const ValueId id : arguments) {
      if (id == kAbsent) return stop(node, ErrorCode::bad_input, "lacks a starting value");
    }
    const auto results = TRY(run_body(node, *body, arguments));
    condition = results[0];
    std::copy_n(results.begin() + 1, carried_count, carried.begin());
    for (std::size_t i = 0; i < collected.size(); ++i) collected[i].push_back(results[1 + carried_count + i]);
  }
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i] == kAbsent) continue;
    if (i < carried_count) {
      if (carried[i] == kAbsent) return stop(node, ErrorCode::bad_input, "lacks a starting value");
      alias(node.outputs[i], carried[i]);
    } else {
      TRY(join_results(node, collected[i - carried_count], node.outputs[i], 0));
    }
  }
  return {};
}

Result<void> OnnxResolver::join_results(const OnnxNode& node, const std::vector<ValueId>& results, ValueId id,
                                        std::int64_t axis) {
  if (results.empty()) return stop(node, ErrorCode::unsupported, "never runs, and its results are asked for");
  if (sequences_.contains(results.front())) return stop(node, ErrorCode::unsupported, "collects sequences");
  Shape shape = graph_.shape(results.front());
  const auto rank = static_cast<std::int64_t>(shape.size()) + 1;
  if (axis < -rank || axis >= rank)
    return stop(node, ErrorCode::bad_input, fmt::format("axis {} is out of range", axis));
  shape.insert(shape.begin() + (axis < 0 ? axis + rank : axis), static_cast<std::int64_t>(results.size()));
  OnnxNode join;
  join.name = node.name;
  join.type = "ScanOutputs";
  join.inputs = results;
  join.outputs = {id};
  join.attributes = of(shape, graph_.values[results.front()].dtype);
  return place(std::move(join));
}

Result<void> OnnxResolver::expand_scan(const OnnxNode& node) {
  const OnnxBody* body = node.get_body("body");
  const std::int64_t scanned = node.get_int("num_scan_inputs", 0);
  if (graph_.opset < 9) return stop(node, ErrorCode::unsupported, "is of an operator set before 9; convert the model");
  const auto inputs = static_cast<std::int64_t>(node.inputs.size());
  if (body == nullptr || scanned < 1 || scanned > inputs || body->inputs.size() != node.inputs.size() ||
      static_cast<std::int64_t>(body->outputs.size()) < inputs - scanned ||
      node.outputs.size() > body->outputs.size()) {
    return stop(node, ErrorCode::bad_input, "its body does not fit its operands");
  }
  const auto states = static_cast<std::size_t>(inputs - scanned);
  const Ints axes = node.get_ints("scan_input_axes"), joined = node.get_ints("scan_output_axes");
  std::optional<std::int64_t> runs;
  std::vector<std::size_t> at(node.inputs.size());
  for (std::size_t i = states; i < node.inputs.size(); ++i) {
    if (node.inputs[i] == kAbsent) return stop(node, ErrorCode::bad_input, fmt::format("input {} is missing", i));
    const auto size =
        dimension_at(graph_.shape(node.inputs[i]), i - states < axes.size() ? axes[i - states] : 0, at[i]);
    if (!size || (runs && *runs != *size)) {
      return stop(node, ErrorCode::bad_input, "its sequences differ in length");
    }
    runs = size;
  }
  if (*runs > kMostRuns) {
    return stop(node, ErrorCode::unsupported, fmt::format("runs {} times, more than {}", *runs, kMostRuns));
  }
  std::vector<ValueId> carried(node.inputs.begin(), node.inputs.begin() + static_cast<std::ptrdiff_t>(states));
  std::vector<std::vector<ValueId>> collected(body->outputs.size() - states);
  for (std::int64_t run = 0; run < *runs; ++run) {
    std::vector<ValueId> arguments = carried;
    for (std::size_t i = states; i < node.inputs.size(); ++i) {
      Shape shape = graph_.shape(node.inputs[i]);
      shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(at[i]));
      arguments.push_back(TRY(place_slice(node, node.inputs[i], shape, node.name + ".slice")));
    }
    for (const ValueId id : arguments) {
      if (id == kAbsent) return stop(node, ErrorCode::bad_input, "lacks a starting value");
    }
    const auto results = TRY(run_body(node, *body, arguments));
    std::copy_n(results.begin(), states, carried.begin());
    for (std::size_t i = 0; i < collected.size(); ++i) collected[i].push_back(results[states + i]);
  }
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i] == kAbsent) continue;
    if (i < states) {
      if (carried[i] == kAbsent) return stop(node, ErrorCode::bad_input, "lacks a starting value");
      alias(node.outputs[i], carried[i]);
    } else {
      TRY(join_results(node, collected[i - states], node.outputs[i],
                       i - states < joined.size() ? joined[i - states] : 0));
    }
  }
  return {};
}

Result<ValueId> OnnxResolver::place_slice(const OnnxNode& node, ValueId whole, const Shape& shape, std::string name) {
  const ValueId id = graph_.values.size();
  OnnxNode slice;
  slice.name = node.name;
  slice.type = "ScanSlice";
  slice.inputs = {whole};
  slice.attributes = of(shape, graph_.values[whole].dtype);
  slice.outputs = {id};
  graph_.values.emplace_back().name = std::move(name);
  TRY(place(std::move(slice)));
  return id;
}

Result<Ints> OnnxResolver::part_sizes(const OnnxNode& node, std::int64_t size) const {
  const auto bad = [&](std::string message) { return stop(node, ErrorCode::bad_input, std::move(message)); };
  constexpr auto kMost = static_cast<std::int64_t>(kMostInSequence);
  if (node.input(1) == kAbsent) {
    if (size > kMost) return bad("its sequence is too long");
    return Ints(static_cast<std::size_t>(size), 1);
  }
  const OnnxValue& given = graph_.values[node.inputs[1]];
  const Ints* known = given.data ? std::get_if<Ints>(&*given.data) : nullptr;
  if (known == nullptr) {
    return stop(node, ErrorCode::unsupported, "its parts cannot be known before the network runs");
  }
  if (!given.shape.empty() || known->size() != 1) return *known;
  const std::int64_t part = known->front();
  if (part < 1 || size / part >= kMost) return bad("its parts are of no size");
  Ints sizes(static_cast<std::size_t>((size + part - 1) / part), part);
  sizes.back() = size - part * (static_cast<std::int64_t>(sizes.size()) - 1);
  return sizes;
}

Result<std::vector<ValueId>> OnnxResolver::split_parts(const OnnxNode& node) {
  const Shape whole = graph_.shape(node.inputs[0]);
  const std::int64_t axis = node.get_int("axis", 0);
  std::size_t at = 0;
  const auto size = dimension_at(whole, axis, at);
  if (!size) return stop(node, ErrorCode::bad_input, fmt::format("axis {} is out of range", axis));
  const Ints sizes = TRY(part_sizes(node, *size));
  const bool drop = node.input(1) == kAbsent && node.get_int("keepdims", 1) == 0;
  std::vector<ValueId> parts;
  for (const std::int64_t part : sizes) {
    Shape shape = whole;
    shape[at] = part;
    if (drop) shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(at));
    parts.push_back(TRY(place_slice(node, node.inputs[0], shape, node.name.substr(0, kLongestName) + ".part")));
  }
  return parts;
}

Result<void> OnnxResolver::expand_sequence(const OnnxNode& node) {
  const auto bad = [&](std::string message) { return stop(node, ErrorCode::bad_input, std::move(message)); };
  if (node.outputs.empty() || node.outputs[0] == kAbsent) return bad("has no output");
  const ValueId result = node.outputs[0];
  const auto keep = [&](std::vector<ValueId> parts) -> Result<void> {
    if (parts.size() > kMostInSequence || (copied_ += parts.size() / 8) > kMostCopied) {
      return stop(node, ErrorCode::unsupported, "its sequence is too long");
    }
    for (const ValueId part : parts) {
      if (part == kAbsent) return bad("lacks an operand");
      if (sequences_.contains(part)) return bad("is a sequence of sequences");
    }
    sequences_[result] = std::move(parts);
    defined_[result] = true;
    return {};
  };
  if (node.type == "SequenceEmpty") return keep({});
  if (node.type == "SequenceConstruct") return keep(node.inputs);
  if (node.input(0) == kAbsent) return bad("has no input");

  if (node.type == "SplitToSequence") return keep(TRY(split_parts(node)));

  const auto found = sequences_.find(node.inputs[0]);
  if (found == sequences_.end()) return bad("its input is no sequence of tensors");
  std::vector<ValueId> parts = found->second;
  const auto count = static_cast<std::int64_t>(parts.size());
  if (node.type == "SequenceLength") {
    alias(result, add_integer(count, DType::int64));
    return {};
  }
  if (node.type == "ConcatFromSequence") {
    const std::int64_t axis = node.get_int("axis", 0);
    if (node.get_int("new_axis", 0) != 0) return join_results(node, parts, result, axis);
    if (parts.empty()) return bad("has nothing to join");
    OnnxNode join;
    join.name = node.name;
    join.type = "Concat";
    join.inputs = std::move(parts);
    join.outputs = {result};
    join.attributes["axis"] = axis;
    return place(std::move(join));
  }
  const bool inserts = node.type == "SequenceInsert";
  const ValueId index = node.input(inserts ? 2 : 1);
  const auto known = index == kAbsent ? std::optional(inserts ? count : count - 1) : known_integer(index);
  if (!known) return stop(node, ErrorCode::unsupported, "its position cannot be known before the network runs");
  const std::int64_t limit = inserts ? count + 1 : count, position = *known < 0 ? *known + count : *known;
  if (position < 0 || position >= limit) return bad(fmt::format("position {} of {} is out of range", *known, count));
  const auto place_of = parts.begin() + position;
  if (node.type == "SequenceAt") {
    alias(result, *place_of);
    return {};
  }
  if (inserts) {
    parts.insert(place_of, node.input(1));
  } else {
    parts.erase(place_of);
  }
  return keep(std::move(parts));
}

}  // namespace rooftile
