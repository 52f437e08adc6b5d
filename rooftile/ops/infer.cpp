#include "rooftile/ops/infer.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/ops/shapes.hpp"
#include "rooftile/workload/bad_input.hpp"
#include "rooftile/workload/conv_geometry.hpp"
#include "rooftile/workload/sequence.hpp"

namespace rooftile {
namespace {

// The axes that an input of that many spatial dimensions uses: the last ones.
template <class Axes>
auto used(Axes& axes, std::size_t rank) {
  return std::span(axes).last(rank);
}

Result<Shape> transposed_if(const Shape& shape, bool transpose) {
  if (!transpose) return shape;
  if (shape.size() < 2) return bad_input(fmt::format("{} has no last two dimensions to transpose", print(shape)));
  Shape result = shape;
  std::swap(result[result.size() - 1], result[result.size() - 2]);
  return result;
}

Result<MatMul> product(const Gemm& gemm, const std::vector<Shape>& operands) {
  if (operands.empty()) return bad_input("a GEMM needs an input");
  const auto a = TRY(transposed_if(operands[0], gemm.trans_a));
  if (a.empty()) return bad_input("a GEMM needs a matrix, its input is a scalar");
  if (operands.size() == 1) return matmul(a, {a.back(), gemm.n});
  const auto b = TRY(transposed_if(operands[1], gemm.trans_b));
  return matmul(a, b);
}

// One overload a kind, so that a new kind without a rule does not compile.
struct InferShape {
  const std::vector<Shape>& inputs;

  static Result<Shape> open(const char* kind) {
    return bad_input(fmt::format("the result of a {} op needs a 'shape'", kind));
  }

  Result<Shape> same() const {
    if (inputs.empty()) return bad_input("needs an input");
    return inputs.front();
  }
  Result<Shape> operator()(const Conv& conv) const {
    if (inputs.empty()) return bad_input("a convolution needs an input");
    const auto rank = TRY(spatial_rank(inputs.front()));
    TRY(check(conv));
    return conv_output(conv, static_cast<int>(rank));
  }
  Result<Shape> operator()(const Gemm& gemm) const {
    auto result = TRY(product(gemm, inputs));
    return std::move(result.output);
  }
  Result<Shape> operator()(const Attention& attention) const {
    Result<Shape> shape = same();
    if (shape && !shape->empty() && attention.head_dim_v > 0 && attention.head_dim > 0) {
      shape->back() = shape->back() / attention.head_dim * attention.head_dim_v;
    }
    return shape;
  }
  Result<Shape> operator()(const Recurrent& recurrent) const {
    return Shape{recurrent.steps, recurrent.batch, recurrent.directions * recurrent.hidden};
  }
  Result<Shape> operator()(const Normalize&) const { return same(); }
  Result<Shape> operator()(const Softmax&) const { return same(); }
  Result<Shape> operator()(const Elementwise&) const {
    Result<Shape> shape = same();
    for (const Shape& input : inputs) {
      if (shape) shape = broadcast(*shape, input);
    }
    return shape;
  }
  Result<Shape> operator()(const Pool&) const { return open("pool"); }
  Result<Shape> operator()(const Reduce&) const { return open("reduce"); }
  Result<Shape> operator()(const Move&) const { return open("move"); }
  Result<Shape> operator()(const View&) const { return open("view"); }
};

struct ImpliedWeights {
  const std::string& op;
  const Shape& input;
  DType dtype;
  std::vector<Tensor> weights;

  void add(const char* suffix, Shape shape) { weights.push_back({op + suffix, std::move(shape), dtype, true}); }

  void operator()(const Conv& conv) {
    const std::int64_t first = conv.transposed ? conv.in_channels : conv.out_channels;
    const std::int64_t second = conv.transposed ? conv.out_channels : conv.in_channels;
    Shape filter = {first, second / conv.groups};
    const std::size_t rank = std::clamp<std::size_t>(input.size(), 2, 5) - 2;
    for (const ConvAxis& axis : used(conv.axes, rank)) filter.push_back(axis.filter);
    add(".weight", std::move(filter));
    if (conv.bias) add(".bias", {conv.out_channels});
  }
  void operator()(const Gemm& gemm) {
    add(".weight", gemm.trans_b ? Shape{gemm.n, gemm.k} : Shape{gemm.k, gemm.n});
    if (gemm.bias) add(".bias", {gemm.n});
  }
  void operator()(const Normalize& norm) {
    if (norm.function == "lrn" || input.empty()) return;
    const bool rms = norm.function == "rms";
    const bool per_channel = norm.function != "layer" && !rms && input.size() > 1;
    const std::int64_t channels = per_channel ? input[1] : input.back();
    add(".weight", {channels});
    if (rms) return;
    add(".bias", {channels});
    if (norm.function != "batch") return;
    add(".mean", {channels});
    add(".variance", {channels});
  }
  void operator()(const Attention&) {}
  void operator()(const Recurrent& recurrent) {
    for (std::int64_t layer = 0; layer < recurrent.layers; ++layer) {
      const std::int64_t inputs = layer == 0 ? recurrent.input : recurrent.directions * recurrent.hidden;
      const std::int64_t features = recurrent.hidden + (recurrent.input_projection ? inputs : 0);
      const std::string suffix = fmt::format(".weight{}", layer);
      add(suffix.c_str(), {recurrent.directions, gates_of(recurrent) * recurrent.hidden, features});
    }
  }
  void operator()(const Pool&) {}
  void operator()(const Softmax&) {}
  void operator()(const Elementwise&) {}
  void operator()(const Reduce&) {}
  void operator()(const Move&) {}
  void operator()(const View&) {}
};

bool in_range(const ConvAxis& axis) {
  for (const std::int64_t number : {axis.filter, axis.stride, axis.dilation}) {
    if (number < 1 || number > kMaxDimension) return false;
  }
  for (const std::int64_t pad : {axis.pad_begin, axis.pad_end}) {
    if (pad < 0 || pad > kMaxDimension) return false;
  }
  return axis.in >= 1 && axis.in <= kMaxDimension;
}

}  // namespace

Result<std::size_t> spatial_rank(const Shape& shape) {
  if (shape.size() < 3 || shape.size() > 5) {
    return bad_input(
        fmt::format("an input of N x C and one to three spatial dimensions is needed, not {}", print(shape)));
  }
  return shape.size() - 2;
}

Result<void> fit(Conv& conv, const Shape& input) {
  const auto rank = TRY(spatial_rank(input));
  conv.batch = input[0];
  conv.in_channels = input[1];
  auto dimension = input.begin() + 2;
  for (ConvAxis& axis : used(conv.axes, rank)) axis.in = *dimension++;
  return check(conv);
}

Result<void> fit(Gemm& gemm, const std::vector<Shape>& operands) {
  const auto result = TRY(product(gemm, operands));
  gemm.batch = result.gemm.batch;
  gemm.m = result.gemm.m;
  gemm.n = result.gemm.n;
  gemm.k = result.gemm.k;
  return {};
}

Result<void> fit(Attention& attention, const std::vector<Shape>& operands) {
  if (operands.size() != 3) return bad_input("attention takes queries, keys and values");
  for (const Shape& operand : operands) {
    if (operand.size() == 4) continue;
    return bad_input(fmt::format("attention takes batch x length x heads x head_dim, not {}", print(operand)));
  }
  attention.batch = operands[0][0];
  attention.q_len = operands[0][1];
  attention.heads = operands[0][2];
  attention.head_dim = operands[0][3];
  attention.kv_len = operands[1][1];
  attention.kv_heads = operands[1][2];
  return check(attention);
}

Result<void> fit(Recurrent& recurrent, const Shape& input) {
  if (input.size() != 3) {
    return bad_input(fmt::format("a recurrent layer takes steps x batch x features, not {}", print(input)));
  }
  recurrent.steps = input[0];
  recurrent.batch = input[1];
  recurrent.input = input[2];
  return check(recurrent);
}

Result<Shape> infer_shape(const OpKind& kind, const std::vector<Shape>& inputs) {
  return std::visit(InferShape{inputs}, kind);
}

Result<Shape> resolve_shape(const Shape& wanted, const Shape& input) {
  Shape shape = wanted;
  std::optional<std::size_t> rest;
  double known = 1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == -1) {
      if (rest) return bad_input("a shape can have one -1 only");
      rest = i;
      continue;
    }
    if (shape[i] == 0) {
      if (i >= input.size())
        return bad_input(fmt::format("0 at place {} has no dimension of {} to copy", i, print(input)));
      shape[i] = input[i];
    }
    known *= static_cast<double>(shape[i]);
  }
  if (rest) {
    // Exact: both counts are whole numbers below 2^53, or there is nothing to divide.
    const double all = elements(input);
    if (known < 1 || all > kMaxElements || std::fmod(all, known) != 0) {
      return bad_input(fmt::format("{} elements do not fill the -1 of shape [{}]", all, fmt::join(wanted, ", ")));
    }
    shape[*rest] = static_cast<std::int64_t>(all / known);
  }
  return shape;
}

Result<Shape> pool_shape(const Shape& input, std::array<ConvAxis, 3> axes, bool ceil_mode) {
  const auto rank = TRY(spatial_rank(input));
  Shape shape = {input[0], input[1]};
  for (ConvAxis& axis : used(axes, rank)) {
    axis.in = input[shape.size()];
    if (!in_range(axis)) return bad_input("a number of the pooling window is out of range");
    const std::int64_t positions = pool_positions(axis, ceil_mode);
    if (positions < 1) {
      return bad_input(
          fmt::format("a pooling window of {} does not fit into {} padded positions", axis.filter, padded(axis)));
    }
    shape.push_back(positions);
  }
  return shape;
}

Result<Shape> concat_shape(const std::vector<Shape>& inputs, std::int64_t axis) {
  if (inputs.empty()) return bad_input("nothing to join");
  Shape shape = inputs.front();
  const auto rank = static_cast<std::int64_t>(shape.size());
  if (axis < -rank || axis >= rank) return bad_input(fmt::format("axis {} is not one of {}", axis, print(shape)));
  const auto at = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
  double joined = 0;
  for (const Shape& input : inputs) {
    Shape expected = shape;
    if (input.size() == shape.size()) expected[at] = input[at];
    if (input != expected) {
      return bad_input(
          fmt::format("shapes {} and {} do not join along axis {}", print(inputs.front()), print(input), axis));
    }
    joined += static_cast<double>(input[at]);
  }
  if (joined > static_cast<double>(kMaxDimension))
    return bad_input(fmt::format("joined dimension {} is too large", joined));
  shape[at] = static_cast<std::int64_t>(joined);
  return shape;
}

std::vector<Tensor> implied_weights(const OpKind& kind, const std::string& op, const Shape& input, DType dtype) {
  ImpliedWeights implied{op, input, dtype, {}};
  std::visit(implied, kind);
  return std::move(implied.weights);
}

}  // namespace rooftile
