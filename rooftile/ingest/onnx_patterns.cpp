#include "rooftile/ingest/onnx_patterns.hpp"

#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rooftile {
namespace {

class Fuser {
 public:
  explicit Fuser(OnnxGraph& graph) : graph_(graph), producer_(graph.values.size()), readers_(graph.values.size()) {
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      for (const ValueId id : graph_.nodes[i].outputs) {
        if (id != kAbsent) producer_[id] = i;
      }
      for (const ValueId id : graph_.nodes[i].inputs) {
        if (id != kAbsent) readers_[id].push_back(i);
      }
    }
    for (const ValueId id : graph_.outputs) readers_[id].push_back(kOutside);
  }

  void run() {
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (const auto x = gelu(graph_.nodes[i])) {
        replace(i, "Gelu", {*x});
      } else if (const auto y = silu(graph_.nodes[i])) {
        replace(i, "Swish", {*y});
      } else if (const auto z = layer_norm(graph_.nodes[i])) {
        replace_with_affine(i, *z);
      }
    }
  }

 private:
  static constexpr std::size_t kOutside = static_cast<std::size_t>(-1);
  using Value = std::optional<ValueId>;
  using Pair = std::array<ValueId, 2>;

  // The node of that type that computes `id`.
  const OnnxNode* from(ValueId id, std::string_view type) const {
    if (id == kAbsent || !producer_[id]) return nullptr;
    const OnnxNode& node = graph_.nodes[*producer_[id]];
    return node.type == type ? &node : nullptr;
  }

  // The operands of a binary operator, and the same swapped: for matching where their order does not matter.
  static std::vector<Pair> orders(const OnnxNode& node) {
    if (node.inputs.size() != 2 || node.inputs[0] == kAbsent || node.inputs[1] == kAbsent) return {};
    return {{node.inputs[0], node.inputs[1]}, {node.inputs[1], node.inputs[0]}};
  }

  bool is_scalar(ValueId id, double value) const {
    if (id == kAbsent || elements(graph_.shape(id)) != 1 || !graph_.values[id].data) return false;
    const OnnxData& data = *graph_.values[id].data;
    const Floats* floats = std::get_if<Floats>(&data);
    const double held = floats ? floats->front() : static_cast<double>(std::get<Ints>(data).front());
    return std::abs(held - value) <= 1e-3 * std::abs(value);  // exporters round sqrt(2) to 1.414 and 1.4142135
  }

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

  // x / 2 (1 + erf(x / sqrt 2)), its three factors multiplied in any order.
  Value gelu(const OnnxNode& end) const {
    if (end.type != "Mul") return std::nullopt;
    for (const auto& [inner, c] : orders(end)) {
      const OnnxNode* mul = from(inner, "Mul");
      if (!mul) continue;
      for (const auto& [a, b] : orders(*mul)) {
        for (const auto& [x, half, one_plus_erf] : {std::array{a, b, c}, std::array{a, c, b}, std::array{c, a, b}}) {
          if (is_scalar(half, 0.5) && erf_argument(one_plus_erf) == x) return x;
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

  // The node that alone reads the result of node `at`, if it has that type and its other operand is a constant.
  struct Next {
    std::size_t node;
    ValueId operand;
  };
  std::optional<Next> sole_reader(std::size_t at, std::string_view type) const {
    const ValueId result = graph_.nodes[at].outputs[0];
    if (readers_[result].size() != 1 || readers_[result][0] == kOutside) return std::nullopt;
    const std::size_t next = readers_[result][0];
    if (graph_.nodes[next].type != type) return std::nullopt;
    for (const auto& [data, operand] : orders(graph_.nodes[next])) {
      if (data == result && graph_.values[operand].constant) return Next{next, operand};
    }
    return std::nullopt;
  }

  // Takes the scale and shift that follow a layer normalisation into it.
  void replace_with_affine(std::size_t at, ValueId x) {
    std::vector<ValueId> inputs = {x};
    if (const auto scale = sole_reader(at, "Mul")) {
      at = scale->node;
      inputs.push_back(scale->operand);
      if (const auto shift = sole_reader(at, "Add")) {
        at = shift->node;
        inputs.push_back(shift->operand);
      }
    }
    replace(at, "LayerNormalization", std::move(inputs));
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
  std::vector<std::optional<std::size_t>> producer_;  // node that computes a value
  std::vector<std::vector<std::size_t>> readers_;     // nodes that read it; kOutside: an output of the network
};

}  // namespace

void fuse_patterns(OnnxGraph& graph) { Fuser(graph).run(); }

}  // namespace rooftile
