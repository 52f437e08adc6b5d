#include "rooftile/zoo/net.hpp"

#include <array>
#include <cassert>
#include <type_traits>
#include <utility>

#include "rooftile/ops/infer.hpp"

namespace rooftile {
namespace {

// A network of the zoo always builds; an edit that breaks one is a bug, and the tests show where.
template <class T>
T certain(Result<T> result) {
  assert(result.has_value());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

std::array<ConvAxis, 3> axes_of(const Window& window) {
  ConvAxis axis;
  axis.filter = window.size;
  axis.stride = window.stride;
  axis.pad_begin = axis.pad_end = window.pad;
  return {ConvAxis(), axis, axis};
}

Conv conv_of(const ConvShape& shape, const Shape& input) {
  Conv conv;
  conv.out_channels = shape.channels;
  conv.groups = shape.groups;
  conv.transposed = shape.transposed;
  conv.bias = shape.bias;
  conv.axes[1] = axes_of(shape.height)[1];
  conv.axes[2] = axes_of(shape.width)[2];
  for (const std::size_t axis : {1, 2}) conv.axes[axis].dilation = shape.dilation;
  certain(fit(conv, input));
  return conv;
}

}  // namespace

TensorId Net::append(const std::string& name, OpKind kind, std::vector<TensorId> inputs, std::optional<Shape> shape) {
  OpSpec spec;
  spec.name = name;
  spec.kind = std::move(kind);
  spec.inputs = std::move(inputs);
  spec.shape = std::move(shape);
  return last_ = certain(builder_.add(spec)).front();
}

TensorId Net::input(const std::string& name, const Shape& shape, DType dtype) {
  return certain(builder_.input({.name = name, .shape = shape, .dtype = dtype}));
}

TensorId Net::conv(const std::string& name, TensorId x, std::int64_t out_channels, const Window& window, bool bias) {
  Conv conv;
  conv.out_channels = out_channels;
  conv.axes = axes_of(window);
  conv.bias = bias;
  certain(fit(conv, builder_.shape(x)));
  return append(name, conv, {x});
}

TensorId Net::conv(const std::string& name, TensorId x, const ConvShape& shape) {
  return append(name, conv_of(shape, builder_.shape(x)), {x});
}

TensorId Net::conv_again(const std::string& name, TensorId x, const ConvShape& shape, const std::string& of) {
  std::vector<TensorId> inputs = {x, certain(builder_.find(of + ".weight"))};
  if (shape.bias) inputs.push_back(certain(builder_.find(of + ".bias")));
  return append(name, conv_of(shape, builder_.shape(x)), inputs);
}

TensorId Net::relu(const std::string& name, TensorId x) { return append(name, Elementwise{.function = "relu"}, {x}); }

TensorId Net::batch_norm(const std::string& name, TensorId x) { return append(name, Normalize{}, {x}); }

TensorId Net::group_norm(const std::string& name, TensorId x) {
  return append(name, Normalize{.function = "group"}, {x});
}

TensorId Net::lrn(const std::string& name, TensorId x, std::int64_t channels) {
  return append(name, Normalize{.function = "lrn", .window = channels}, {x});
}

TensorId Net::max_pool(const std::string& name, TensorId x, const Window& window, bool ceil_mode) {
  return append(name, Pool{.function = "max", .window = window.size * window.size}, {x},
                certain(pool_shape(builder_.shape(x), axes_of(window), ceil_mode)));
}

TensorId Net::average_pool(const std::string& name, TensorId x, const Window& window) {
  return append(name, Pool{.function = "average", .window = window.size * window.size}, {x},
                certain(pool_shape(builder_.shape(x), axes_of(window), false)));
}

TensorId Net::global_average_pool(const std::string& name, TensorId x) {
  const Shape& shape = builder_.shape(x);
  return append(name, Pool{.function = "average", .window = shape[2] * shape[3]}, {x}, Shape{shape[0], shape[1], 1, 1});
}

TensorId Net::add(const std::string& name, TensorId a, TensorId b) {
  return append(name, Elementwise{.function = "add"}, {a, b});
}

TensorId Net::concat(const std::string& name, const std::vector<TensorId>& inputs) {
  return append(name, Move{.function = "concat"}, inputs, certain(concat_shape(builder_.shapes(inputs), 1)));
}

TensorId Net::flatten(const std::string& name, TensorId x) {
  return append(name, View{.function = "flatten"}, {x}, Shape{0, -1});
}

TensorId Net::dropout(const std::string& name, TensorId x) {
  return append(name, View{.function = "dropout"}, {x}, builder_.shape(x));
}

TensorId Net::fully_connected(const std::string& name, TensorId x, std::int64_t outputs, bool bias) {
  Gemm gemm;
  gemm.n = outputs;
  gemm.trans_b = true;  // the weights are stored outputs x inputs
  gemm.bias = bias;
  certain(fit(gemm, {builder_.shape(x)}));
  return append(name, gemm, {x});
}

TensorId Net::tied(const std::string& name, TensorId x, const std::string& weights) {
  return matmul(name, x, certain(builder_.find(weights)), true);
}

TensorId Net::matmul(const std::string& name, TensorId a, TensorId b, bool trans_b) {
  Gemm gemm;
  gemm.trans_b = trans_b;
  certain(fit(gemm, builder_.shapes({a, b})));
  return append(name, gemm, {a, b});
}

TensorId Net::softmax(const std::string& name, TensorId x) { return append(name, Softmax{}, {x}); }

TensorId Net::layer_norm(const std::string& name, TensorId x) {
  return append(name, Normalize{.function = "layer"}, {x});
}

TensorId Net::elementwise(const std::string& name, const std::string& function, TensorId x) {
  return append(name, Elementwise{.function = function}, {x});
}

TensorId Net::rms_norm(const std::string& name, TensorId x) { return append(name, Normalize{.function = "rms"}, {x}); }

TensorId Net::rotary(const std::string& name, TensorId x) {
  return append(name, Elementwise{.function = "rotary", .flops_per_element = 3}, {x});
}

TensorId Net::embedding(const std::string& name, TensorId ids, std::int64_t entries, std::int64_t features) {
  weight(name + ".weight", {entries, features});
  return lookup(name, ids, name + ".weight", features);
}

TensorId Net::lookup(const std::string& name, TensorId ids, const std::string& table, std::int64_t features) {
  Shape shape = builder_.shape(ids);
  shape.push_back(features);
  OpSpec spec;
  spec.name = name;
  spec.kind = Move{.function = "gather", .partial = true};
  spec.inputs = {ids, certain(builder_.find(table))};
  spec.outputs = {{.name = name, .shape = shape, .dtype = DType::fp32}};
  return last_ = certain(builder_.add(spec)).front();
}

TensorId Net::recurrent(const std::string& name, TensorId x, Recurrent layer) {
  const Shape& shape = builder_.shape(x);
  layer.batch = shape[0];
  layer.steps = shape[1];
  layer.input = shape[2];
  return append(name, layer, {x}, Shape{layer.batch, layer.steps, layer.directions * layer.hidden});
}

TensorId Net::upsample(const std::string& name, TensorId x, std::int64_t factor) {
  const Shape& shape = builder_.shape(x);
  return append(name, Move{.function = "resize"}, {x}, Shape{shape[0], shape[1], factor * shape[2], factor * shape[3]});
}

TensorId Net::attention(const std::string& name, const Attention& attention, const std::vector<TensorId>& qkv) {
  return append(name, attention, qkv);
}

TensorId Net::transpose(const std::string& name, TensorId x, const Shape& shape) {
  return append(name, Move{.function = "transpose"}, {x}, shape);
}

TensorId Net::slice(const std::string& name, TensorId x, const Shape& shape) {
  return append(name, Move{.function = "slice", .partial = true}, {x}, shape);
}

TensorId Net::gather(const std::string& name, const std::vector<TensorId>& inputs, const Shape& shape) {
  return append(name, Move{.function = "gather", .partial = true}, inputs, shape);
}

TensorId Net::join(const std::string& name, const std::vector<TensorId>& inputs, const Shape& shape) {
  return append(name, Move{.function = "concat"}, inputs, shape);
}

TensorId Net::move(const std::string& name, const std::string& function, const std::vector<TensorId>& inputs,
                   const Shape& shape) {
  return append(name, Move{.function = function}, inputs, shape);
}

TensorId Net::reduce(const std::string& name, const std::string& function, const std::vector<TensorId>& inputs,
                     const Shape& shape) {
  return append(name, Reduce{.function = function}, inputs, shape);
}

TensorId Net::view(const std::string& name, const std::string& function, TensorId x, const Shape& shape) {
  return append(name, View{.function = function}, {x}, shape);
}

TensorId Net::divide(const std::string& name, TensorId a, TensorId b) {
  return append(name, Elementwise{.function = "div"}, {a, b});
}

TensorId Net::weight(const std::string& name, const Shape& shape) {
  return certain(builder_.tensor({.name = name, .shape = shape, .constant = true}));
}

TensorId Net::multiply(const std::string& name, TensorId a, TensorId b) {
  return append(name, Elementwise{.function = "mul"}, {a, b});
}

Workload Net::finish(const std::vector<TensorId>& further) {
  std::vector<TensorId> outputs = {last_};
  outputs.insert(outputs.end(), further.begin(), further.end());
  return certain(builder_.finish(std::move(outputs)));
}

}  // namespace rooftile
