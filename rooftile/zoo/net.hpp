// The layers that the networks of the zoo are made of, each in one call, over WorkloadBuilder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rooftile/ops/builder.hpp"

namespace rooftile {

// A square window that slides over height and width.
struct Window {
  std::int64_t size = 1;
  std::int64_t stride = 1;
  std::int64_t pad = 0;
};

// A convolution with more to it than a square window.
struct ConvShape {
  std::int64_t channels = 1;  // of the result
  Window height = {}, width = {};
  std::int64_t groups = 1;
  std::int64_t dilation = 1;
  bool transposed = false;
  bool bias = true;
};

class Net {
 public:
  explicit Net(std::string name) : builder_(std::move(name)) {}

  TensorId input(const std::string& name, const Shape& shape, DType dtype = DType::fp32);
  TensorId conv(const std::string& name, TensorId x, std::int64_t out_channels, const Window& window, bool bias = true);
  TensorId conv(const std::string& name, TensorId x, const ConvShape& shape);
  // The same with the weights of another.
  TensorId conv_again(const std::string& name, TensorId x, const ConvShape& shape, const std::string& of);
  TensorId relu(const std::string& name, TensorId x);
  TensorId batch_norm(const std::string& name, TensorId x);
  TensorId group_norm(const std::string& name, TensorId x);
  TensorId lrn(const std::string& name, TensorId x, std::int64_t channels);
  TensorId max_pool(const std::string& name, TensorId x, const Window& window, bool ceil_mode = false);
  TensorId average_pool(const std::string& name, TensorId x, const Window& window);
  TensorId global_average_pool(const std::string& name, TensorId x);
  TensorId add(const std::string& name, TensorId a, TensorId b);
  TensorId concat(const std::string& name, const std::vector<TensorId>& inputs);  // along the channels
  TensorId flatten(const std::string& name, TensorId x);
  TensorId dropout(const std::string& name, TensorId x);  // at inference: nothing
  TensorId fully_connected(const std::string& name, TensorId x, std::int64_t outputs, bool bias = true);
  TensorId tied(const std::string& name, TensorId x,
                const std::string& weights);  // fully connected by another's weights
  TensorId matmul(const std::string& name, TensorId a, TensorId b, bool trans_b = false);  // of two activations
  TensorId softmax(const std::string& name, TensorId x);
  TensorId layer_norm(const std::string& name, TensorId x);
  TensorId rms_norm(const std::string& name, TensorId x);
  TensorId elementwise(const std::string& name, const std::string& function, TensorId x);
  TensorId rotary(const std::string& name, TensorId x);  // x cos + half_turned(x) sin
  TensorId embedding(const std::string& name, TensorId ids, std::int64_t entries, std::int64_t features);
  TensorId lookup(const std::string& name, TensorId ids, const std::string& table, std::int64_t features);
  // Of batch x steps x features; the result has `hidden` features in each direction.
  TensorId recurrent(const std::string& name, TensorId x, Recurrent layer);
  TensorId upsample(const std::string& name, TensorId x, std::int64_t factor);  // height and width, nearest
  TensorId attention(const std::string& name, const Attention& attention, const std::vector<TensorId>& qkv);
  TensorId transpose(const std::string& name, TensorId x, const Shape& shape);  // a copy
  TensorId slice(const std::string& name, TensorId x, const Shape& shape);      // a copy of a part
  TensorId gather(const std::string& name, const std::vector<TensorId>& inputs, const Shape& shape);
  TensorId join(const std::string& name, const std::vector<TensorId>& inputs, const Shape& shape);  // along any axis
  TensorId move(const std::string& name, const std::string& function, const std::vector<TensorId>& inputs,
                const Shape& shape);
  TensorId reduce(const std::string& name, const std::string& function, const std::vector<TensorId>& inputs,
                  const Shape& shape);
  TensorId view(const std::string& name, const std::string& function, TensorId x, const Shape& shape);
  TensorId multiply(const std::string& name, TensorId a, TensorId b);
  TensorId divide(const std::string& name, TensorId a, TensorId b);
  TensorId weight(const std::string& name, const Shape& shape);

  const Shape& shape(TensorId id) const { return builder_.shape(id); }

  // Ends the network at the last layer, whose result comes first, and `further` results.
  Workload finish(const std::vector<TensorId>& further = {});

 private:
  TensorId append(const std::string& name, OpKind kind, std::vector<TensorId> inputs, std::optional<Shape> shape = {});

  WorkloadBuilder builder_;
  TensorId last_ = 0;  // what the last layer made
};

}  // namespace rooftile
