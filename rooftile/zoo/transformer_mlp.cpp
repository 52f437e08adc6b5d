// The MLP of a transformer's block, alone or as a mixture of experts.
#include <algorithm>
#include <cmath>
#include <string>

#include "rooftile/zoo/transformer_parts.hpp"

namespace rooftile {

TensorId TransformerParts::mlp(const std::string& name, TensorId x, std::int64_t layer) {
  if (!layer_of(shape_, layer).experts) return dropout(name + "down/dropout", dense(name, x, shape_.ffn));
  TensorId y = experts(name, x);
  if (shape_.shared_ffn > 0) y = net_.add(name + "shared/add", y, dense(name + "shared/", x, shape_.shared_ffn));
  return dropout(name + "down/dropout", y);
}

TensorId TransformerParts::activation(const std::string& name, TensorId y) {
  if (shape_.activation == "quick_gelu") {  // y sigmoid(1.702 y)
    const TensorId scaled = net_.elementwise(name + "gelu/scale", "mul", y);
    return net_.multiply(name + "gelu", y, net_.elementwise(name + "gelu/sigmoid", "sigmoid", scaled));
  }
  if (shape_.activation != "gelu_new") return net_.elementwise(name + shape_.activation, shape_.activation, y);
  // 0.5 y (1 + tanh(sqrt(2 / pi) (y + 0.044715 y^3))), an operator at a time
  TensorId inner = net_.elementwise(name + "cubed", "pow", y);
  inner = net_.elementwise(name + "cubed/scale", "mul", inner);
  inner = net_.add(name + "inner", inner, y);
  inner = net_.elementwise(name + "inner/scale", "mul", inner);
  inner = net_.elementwise(name + "tanh", "tanh", inner);
  inner = net_.elementwise(name + "tanh/add", "add", inner);
  return net_.multiply(name + "gelu", net_.elementwise(name + "half", "mul", y), inner);
}

TensorId TransformerParts::dense(const std::string& name, TensorId x, std::int64_t width) {
  const bool bias = has_bias(TransformerBias::mlp);
  TensorId y{};
  if (shape_.gated) {
    const TensorId gate = activation(name, net_.fully_connected(name + "gate", x, width, bias));
    y = net_.multiply(name + "gated", gate, net_.fully_connected(name + "up", x, width, bias));
  } else {
    y = activation(name, net_.fully_connected(name + "up", x, width, bias));
  }
  return net_.fully_connected(name + "down", y, shape_.hidden, bias);
}

namespace {

// Experts that some position picks, where each picks at random and none twice: the mean. Positions beyond those of this
// GPU pick, too, where it has fewer experts than a position picks.
std::int64_t picked_experts(const Transformer& shape, double positions) {
  const auto experts = static_cast<double>(shape.experts), each = static_cast<double>(shape.experts_per_token);
  if (each >= experts) return shape.experts;
  const double idle = std::pow(1 - each / experts, positions);
  return static_cast<std::int64_t>(std::llround(experts * (1 - idle)));
}

}  // namespace

// A router picks experts for each position, all of them alike, as training pushes it to (Fedus et al.,
// arXiv:2101.03961, section 2.2). Weights of experts that no position picks are not read. One grouped product computes
// the others, as in MegaBlocks (arXiv:2211.15841).
TensorId TransformerParts::experts(const std::string& name, TensorId x) {
  const Shape tokens = net_.shape(x);  // batch x positions x hidden
  const double positions = std::ceil(elements({tokens[0], tokens[1]}) * static_cast<double>(shape_.routed_together) /
                                     static_cast<double>(shape_.routed_apart));
  const double picked = positions * static_cast<double>(shape_.experts_per_token);
  const std::int64_t picks = picked > kMaxElements ? kMaxDimension * 2 : static_cast<std::int64_t>(picked);
  const std::int64_t active = picked_experts(shape_, positions);
  const std::int64_t rows = (picks + active - 1) / active;
  const std::int64_t hidden = shape_.hidden, width = shape_.expert_ffn, resting = shape_.experts - active;
  if (resting > 0) net_.weight(name + "resting.weight", {resting, shape_.gated ? 3 : 2, hidden, width});

  TensorId scores = net_.fully_connected(name + "router", x, shape_.experts, false);
  scores = net_.reduce(name + "top_k", "top_k", {net_.softmax(name + "router/softmax", scores)},
                       {tokens[0], tokens[1], shape_.experts_per_token});
  const TensorId mine = net_.gather(name + "dispatch", {x, scores}, {active, rows, hidden});
  const auto product = [&](const char* which, TensorId from, std::int64_t in, std::int64_t out) {
    return net_.matmul(name + which, from, net_.weight(name + which + ".weight", {active, in, out}));
  };
  TensorId y{};
  if (shape_.gated) {
    const TensorId gate = activation(name, product("gate", mine, hidden, width));
    y = net_.multiply(name + "gated", gate, product("up", mine, hidden, width));
  } else {
    y = activation(name, product("up", mine, hidden, width));
  }
  return net_.reduce(name + "combine", "combine", {product("down", y, width, hidden), scores}, tokens);
}

}  // namespace rooftile
