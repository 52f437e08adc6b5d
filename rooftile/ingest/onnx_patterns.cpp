#include "rooftile/ingest/onnx_patterns.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rooftile/ingest/onnx_attention.hpp"
#include "rooftile/ingest/onnx_index.hpp"

namespace rooftile {
namespace {

class Fuser {
 public:
  explicit Fuser(OnnxGraph& graph) : graph_(graph), index_(graph) {}

  void run() {
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (const auto product = biased_product(graph_.nodes[i])) {
        fuse_bias(i, *product);
      } else if (const auto x = gelu(graph_.nodes[i])) {
        replace(i, "Gelu", {*x});
      } else if (const auto y = silu(graph_.nodes[i])) {
        replace(i, "Swish", {*y});
      } else if (const auto z = layer_norm(graph_.nodes[i])) {
        replace_with_affine(i, *z, "LayerNormalization");
      } else if (const auto w = rms_norm(graph_.nodes[i])) {
        replace_with_affine(i, *w, "RMSNormalization");
      } else if (const auto v = group_norm(graph_.nodes[i])) {
        replace_with_affine(i, *v, "GroupNormalization");
      } else if (const auto rotated = rotary(graph_.nodes[i])) {
        replace(i, "RotaryEmbedding", *rotated);
      } else if (const auto rolled = roll(graph_.nodes[i])) {
        replace(i, "Roll", {*rolled});
      } else if (const OnnxNode* pad = padding_of(graph_.nodes[i])) {
        take_padding(graph_.nodes[i], *pad);
      }
    }
  }

 private:
  using Value = std::optional<ValueId>;

  const OnnxNode* from(ValueId id, std::string_view type) const { return index_.from(id, type); }
  static std::vector<OnnxIndex::Pair> orders(const OnnxNode& node) { return OnnxIndex::orders(node); }
  bool is_scalar(ValueId id, double value) const { return index_.is_scalar(id, value); }

  // x where `id` is 1 + erf(x / sqrt 2).
  Value erf_argument(ValueId id) const {
    const OnnxNode* add = from(id, "Add");
    if (!add) return std::nullopt;
    for (const auto& [erf_out, one] : orders(*add)) {
      const OnnxNode* erf = from(erf_out, "Erf");
      if (!erf || !is_scalar(one, 1)) continue;
      if (const OnnxNode* div = from(erf->input(0), "Div"); div && is_scalar(div->input(1), std::sqrt(2.0))) {
        return div->inputs[0];
      }
      if (const OnnxNode* mul = from(erf->input(0), "Mul")) {
        for (const auto& [x, factor] : orders(*mul)) {
          if (is_scalar(factor, std::sqrt(0.5))) return x;
        }
      }
    }
    return std::nullopt;
  }

  bool is_cube(ValueId id, ValueId of) const {
    if (const OnnxNode* pow = from(id, "Pow")) return pow->input(0) == of && is_scalar(pow->input(1), 3);
    const OnnxNode* mul = from(id, "Mul");
    if (!mul) return false;
    for (const auto& [a, b] : orders(*mul)) {
      if (a == of && is_square(b, of)) return true;
    }
    return false;
  }

  // x where `id` is x + 0.044715 x^3.
  Value cubic_argument(ValueId id) const {
    const OnnxNode* add = from(id, "Add");
    if (!add) return std::nullopt;
    for (const auto& [x, scaled] : orders(*add)) {
      const OnnxNode* mul = from(scaled, "Mul");
      if (!mul) continue;
      for (const auto& [cube, factor] : orders(*mul)) {
        if (is_scalar(factor, 0.044715) && is_cube(cube, x)) return x;
      }
    }
    return std::nullopt;
  }

  // x where `id` is 1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)): Hendrycks and Gimpel's approximation (2016).
  Value tanh_argument(ValueId id) const {
    const OnnxNode* add = from(id, "Add");
    if (!add) return std::nullopt;
    for (const auto& [tanh_out, one] : orders(*add)) {
      const OnnxNode* tanh = from(tanh_out, "Tanh");
      const OnnxNode* mul = tanh && is_scalar(one, 1) ? from(tanh->input(0), "Mul") : nullptr;
      if (!mul) continue;
      for (const auto& [inner, factor] : orders(*mul)) {
        if (is_scalar(factor, std::sqrt(2 / std::acos(-1.0)))) return cubic_argument(inner);
      }
    }
    return std::nullopt;
  }

  // x / 2 (1 + erf(x / sqrt 2)), or with tanh, its three factors multiplied in any order.
  Value gelu(const OnnxNode& end) const {
    if (end.type != "Mul") return std::nullopt;
    for (const auto& [inner, c] : orders(end)) {
      const OnnxNode* mul = from(inner, "Mul");
      if (!mul) continue;
      for (const auto& [a, b] : orders(*mul)) {
        for (const auto& [x, half, one_plus_erf] : {std::array{a, b, c}, std::array{a, c, b}, std::array{c, a, b}}) {
          if (!is_scalar(half, 0.5)) continue;
          if (erf_argument(one_plus_erf) == x || tanh_argument(one_plus_erf) == x) return x;
        }
      }
    }
    return std::nullopt;
  }

  // x sigmoid(x).
  Value silu(const OnnxNode& end) const {
    if (end.type != "Mul") return std::nullopt;
    for (const auto& [x, gate] : orders(end)) {
      const OnnxNode* sigmoid = from(gate, "Sigmoid");
      if (sigmoid && sigmoid->input(0) == x) return x;
    }
    return std::nullopt;
  }

  // y where `id` is the mean of y over its last dimensions.
  Value mean_argument(ValueId id) const {
    const OnnxNode* mean = from(id, "ReduceMean");
    if (!mean || mean->input(0) == kAbsent) return std::nullopt;
    const auto rank = static_cast<std::int64_t>(graph_.shape(mean->inputs[0]).size());
    const Ints axes = mean->get_ints("axes");
    if (axes.empty() || static_cast<std::int64_t>(axes.size()) >= rank) return std::nullopt;
    std::vector<bool> reduced(static_cast<std::size_t>(rank));
    for (const std::int64_t axis : axes) {
      if (axis < -rank || axis >= rank) return std::nullopt;
      reduced[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)] = true;
    }
    for (std::size_t i = 0; i < axes.size(); ++i) {
      if (!reduced[reduced.size() - 1 - i]) return std::nullopt;
    }
    return mean->inputs[0];
  }

  bool is_square(ValueId id, ValueId of) const {
    if (const OnnxNode* pow = from(id, "Pow")) return pow->input(0) == of && is_scalar(pow->input(1), 2);
    const OnnxNode* mul = from(id, "Mul");
    return mul && mul->input(0) == of && mul->input(1) == of;
  }

  // x where `end` is (x - mean x) / sqrt(mean((x - mean x)^2) + epsilon), means over the last dimensions.
  Value layer_norm(const OnnxNode& end) const {
    if (end.type != "Div") return std::nullopt;
    const OnnxNode* centred = from(end.input(0), "Sub");
    const OnnxNode* deviation = from(end.input(1), "Sqrt");
    const OnnxNode* shifted = deviation ? from(deviation->input(0), "Add") : nullptr;
    if (!centred || !shifted || mean_argument(centred->input(1)) != centred->input(0)) return std::nullopt;
    for (const auto& [variance, epsilon] : orders(*shifted)) {
      const Value square = graph_.values[epsilon].constant ? mean_argument(variance) : std::nullopt;
      if (square && is_square(*square, end.inputs[0])) return centred->inputs[0];
    }
    return std::nullopt;
  }

  // x where `id` is sqrt(mean(x^2) + epsilon), the mean over the last dimensions.
  Value root_mean_square(ValueId id) const {
    const OnnxNode* root = from(id, "Sqrt");
    const OnnxNode* shifted = root ? from(root->input(0), "Add") : nullptr;
    if (!shifted) return std::nullopt;
    for (const auto& [mean, epsilon] : orders(*shifted)) {
      const Value square = graph_.values[epsilon].constant ? mean_argument(mean) : std::nullopt;
      if (!square) continue;
      const OnnxNode* power = from(*square, "Pow");
      const OnnxNode* product = from(*square, "Mul");
      const Value x = power ? Value(power->input(0)) : product ? Value(product->input(0)) : std::nullopt;
      if (x && is_square(*square, *x)) return x;
    }
    return std::nullopt;
  }

  // x where `end` is x / sqrt(mean(x^2) + epsilon), divided or multiplied by the reciprocal.
  Value rms_norm(const OnnxNode& end) const {
    if (end.type == "Div") {
      const Value x = root_mean_square(end.input(1));
      return x && x == end.input(0) ? x : std::nullopt;
    }
    if (end.type != "Mul") return std::nullopt;
    for (const auto& [x, factor] : orders(end)) {
      const OnnxNode* inverse = from(factor, "Reciprocal");
      const OnnxNode* quotient = from(factor, "Div");
      Value root;
      if (inverse) root = inverse->input(0);
      if (quotient && is_scalar(quotient->input(0), 1)) root = quotient->input(1);
      if (root && root_mean_square(*root) == x) return x;
    }
    return std::nullopt;
  }

  // x where `end` is x again after its groups of channels, as channels of a shorter tensor, were normalised: how
  // PyTorch exports nn.GroupNorm before opset 18 (torch/onnx/symbolic_opset9.py, native_group_norm).
  Value group_norm(const OnnxNode& end) const {
    if (end.type != "Reshape") return std::nullopt;
    const OnnxNode* norm = from(end.input(0), "InstanceNormalization");
    const OnnxNode* grouped = norm ? from(norm->input(0), "Reshape") : nullptr;
    if (!grouped || grouped->input(0) == kAbsent) return std::nullopt;
    const ValueId x = grouped->inputs[0];
    const Shape& shape = graph_.shape(x);
    const Shape& groups = graph_.shape(norm->inputs[0]);
    const bool splits = shape.size() > 2 && groups.size() == 3 && groups[0] == shape[0] && groups[1] <= shape[1];
    return splits && graph_.shape(end.outputs[0]) == shape ? Value(x) : std::nullopt;
  }

  // x where `id` is the second half of x, negated, before the first.
  Value half_turned(ValueId id) const {
    const OnnxNode* concat = from(id, "Concat");
    if (!concat || concat->inputs.size() != 2) return std::nullopt;
    const OnnxNode* negated = from(concat->input(0), "Neg");
    const OnnxNode* second = negated ? from(negated->input(0), "Slice") : nullptr;
    const OnnxNode* first = from(concat->input(1), "Slice");
    if (!first || !second || first->input(0) != second->input(0)) return std::nullopt;
    return first->input(0);
  }

  // {x, cos, sin} where `end` is x cos + half_turned(x) sin: rotary positions (Su et al., 2021).
  std::optional<std::vector<ValueId>> rotary(const OnnxNode& end) const {
    if (end.type != "Add") return std::nullopt;
    for (const auto& [straight, turned] : orders(end)) {
      const OnnxNode* kept = from(straight, "Mul");
      const OnnxNode* moved = from(turned, "Mul");
      if (!kept || !moved) continue;
      for (const auto& [half, sine] : orders(*moved)) {
        for (const auto& [x, cosine] : orders(*kept)) {
          if (half_turned(half) == x) return std::vector<ValueId>{x, cosine, sine};
        }
      }
    }
    return std::nullopt;
  }

  // x where `end` puts two parts of x together in the other order, as torch.roll is exported.
  Value roll(const OnnxNode& end) const {
    if (end.type != "Concat" || end.inputs.size() != 2) return std::nullopt;
    const OnnxNode* first = from(end.inputs[0], "Slice");
    const OnnxNode* second = from(end.inputs[1], "Slice");
    if (!first || !second || first->input(0) != second->input(0)) return std::nullopt;
    const Value x = first->input(0);
    return x != kAbsent && graph_.shape(*x) == graph_.shape(end.outputs[0]) ? x : std::nullopt;
  }

  // The zeros around maps that a pool averages with them, which PyTorch exports as an operator of their own
  // (torch/onnx/symbolic_opset10.py, avg_pool: count_include_pad) and no framework runs as one.
  const OnnxNode* padding_of(const OnnxNode& pool) const {
    if (pool.type != "AveragePool" || pool.get_int("ceil_mode", 0) != 0 ||
        pool.get_string("auto_pad", "NOTSET") != "NOTSET") {
      return nullptr;
    }
    for (const std::int64_t padded : pool.get_ints("pads")) {
      if (padded != 0) return nullptr;
    }
    const OnnxNode* pad = from(pool.input(0), "Pad");
    const bool zeros = pad && pad->get_string("mode", "constant") == "constant" && !pad->attributes.contains("value") &&
                       pad->input(0) != kAbsent && (pad->input(2) == kAbsent || is_scalar(pad->input(2), 0));
    return zeros && !pads_of(*pad).empty() ? pad : nullptr;
  }

  // Before and after each spatial dimension; none where they are not known, or others are padded.
  Ints pads_of(const OnnxNode& pad) const {
    Ints pads = pad.get_ints("pads");
    if (pad.input(1) != kAbsent) {
      const auto& data = graph_.values[pad.inputs[1]].data;
      const Ints* known = data ? std::get_if<Ints>(&*data) : nullptr;
      pads = known ? *known : Ints{};
    }
    const std::size_t rank = graph_.shape(pad.inputs[0]).size();
    if (rank < 3 || pads.size() != 2 * rank || *std::min_element(pads.begin(), pads.end()) < 0) return {};
    Ints spatial;
    for (std::size_t i = 0; i < pads.size(); ++i) {
      if (i % rank >= 2) {
        spatial.push_back(pads[i]);
      } else if (pads[i] != 0) {
        return {};
      }
    }
    return spatial;
  }

  void take_padding(OnnxNode& pool, const OnnxNode& pad) {
    pool.attributes["pads"] = pads_of(pad);
    pool.attributes["count_include_pad"] = std::int64_t{1};
    pool.inputs[0] = pad.inputs[0];
  }

  // Product with a matrix of weights and the bias added to it, which one kernel computes.
  struct BiasedProduct {
    std::size_t product;
    ValueId bias;
  };
  std::optional<BiasedProduct> biased_product(const OnnxNode& end) const {
    if (end.type != "Add") return std::nullopt;
    for (const auto& [sum, bias] : orders(end)) {
      const OnnxNode* product = from(sum, "MatMul");
      if (!product || product->inputs.size() != 2 || index_.readers(sum).size() != 1) continue;
      const Shape& weights = graph_.shape(product->inputs[1]);
      const Shape& added = graph_.shape(bias);
      if (!graph_.values[product->inputs[1]].constant || weights.size() != 2 || added.empty()) continue;
      const auto columns = static_cast<double>(weights[1]);
      if (added.back() != weights[1] || elements(added) != columns) continue;
      if (graph_.shape(sum) == graph_.shape(end.outputs[0])) return BiasedProduct{index_.index_of_producer(sum), bias};
    }
    return std::nullopt;
  }

  void fuse_bias(std::size_t at, const BiasedProduct& fused) {
    const OnnxNode& product = graph_.nodes[fused.product];
    OnnxNode& node = graph_.nodes[at];
    node.name = product.name;
    node.type = product.type;
    node.inputs = {product.inputs[0], product.inputs[1], fused.bias};
  }

  // The node that alone reads the result of node `at`, if it has that type and its other operand is a constant.
  struct Next {
    std::size_t node;
    ValueId operand;
  };
  std::optional<Next> sole_reader(std::size_t at, std::string_view type) const {
    const ValueId result = graph_.nodes[at].outputs[0];
    const std::vector<std::size_t>& readers = index_.readers(result);
    if (readers.size() != 1 || readers[0] == OnnxIndex::kOutside) return std::nullopt;
    const std::size_t next = readers[0];
    if (graph_.nodes[next].type != type) return std::nullopt;
    for (const auto& [data, operand] : orders(graph_.nodes[next])) {
      if (data == result && graph_.values[operand].constant) return Next{next, operand};
    }
    return std::nullopt;
  }

  // Takes the scale and shift that follow a normalisation into it.
  void replace_with_affine(std::size_t at, ValueId x, std::string_view type) {
    std::vector<ValueId> inputs = {x};
    if (const auto scale = sole_reader(at, "Mul")) {
      at = scale->node;
      inputs.push_back(scale->operand);
      const auto shift = sole_reader(at, "Add");
      if (shift && type != "RMSNormalization") {
        at = shift->node;
        inputs.push_back(shift->operand);
      }
    }
    replace(at, type, std::move(inputs));
  }

  // Node `at` becomes the whole pattern; a name such as "/block/Mul_1" becomes "/block/Gelu".
  void replace(std::size_t at, std::string_view type, std::vector<ValueId> inputs) {
    OnnxNode& node = graph_.nodes[at];
    node.type = type;
    node.inputs = std::move(inputs);
    node.attributes.clear();
    if (const auto slash = node.name.rfind('/'); slash != std::string::npos) {
      node.name = node.name.substr(0, slash + 1).append(type);
    }
  }

  OnnxGraph& graph_;
  OnnxIndex index_;
};

}  // namespace

void fuse_patterns(OnnxGraph& graph, bool attention) {
  Fuser(graph).run();
  if (attention) fuse_attention(graph);
}

}  // namespace rooftile
