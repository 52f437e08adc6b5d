// Swin transformers that torchvision does not export (Liu et al., ICCV 2021; version 2: CVPR 2022), as eager PyTorch
// runs them: attention within windows, which every second block shifts by half a window.
#include <algorithm>
#include <array>
#include <string>

#include "rooftile/zoo/net.hpp"
#include "rooftile/zoo/networks.hpp"

namespace rooftile {
namespace {

struct SwinShape {
  const char* name;
  std::int64_t width;  // of the first stage, 32 features a head
  std::array<int, 4> blocks;
  std::int64_t window, image;
  bool second;  // version 2: norms after, cosines for scores, biases from an MLP of the distances
};

class SwinNet {
 public:
  SwinNet(const SwinShape& shape, std::int64_t batch) : shape_(shape), batch_(batch), net_(shape.name) {}

  Workload build() {
    constexpr std::int64_t kPatch = 4, kClasses = 1000;
    side_ = shape_.image / kPatch;
    width_ = shape_.width;
    const TensorId image = net_.input("image", {batch_, 3, shape_.image, shape_.image});
    TensorId x = net_.conv("patches", image, width_, {kPatch, kPatch});
    x = net_.layer_norm("patches/norm", net_.transpose("patches/permute", x, map()));
    for (std::size_t stage = 0; stage < shape_.blocks.size(); ++stage) {
      const std::string name = "stage" + std::to_string(stage + 1) + "/";
      if (stage > 0) x = merge(name + "merge/", x);
      for (int i = 0; i < shape_.blocks[stage]; ++i)
        x = block(name + "block" + std::to_string(i + 1) + "/", x, i % 2 == 1);
    }
    x = net_.reduce("pool", "mean", {net_.layer_norm("norm", x)}, {batch_, width_});
    net_.fully_connected("classes", x, kClasses);
    return net_.finish();
  }

 private:
  Shape map() const { return {batch_, side_, side_, width_}; }

  // Four neighbours become one of twice the width.
  TensorId merge(const std::string& name, TensorId x) {
    side_ /= 2;
    x = net_.join(name + "concat", {x}, {batch_, side_, side_, 4 * width_});
    width_ *= 2;
    if (shape_.second) return net_.layer_norm(name + "norm", net_.fully_connected(name + "reduce", x, width_, false));
    return net_.fully_connected(name + "reduce", net_.layer_norm(name + "norm", x), width_, false);
  }

  TensorId block(const std::string& name, TensorId x, bool odd) {
    const auto residual = [&](const std::string& part, const auto& compute) {
      if (!shape_.second) return net_.add(part + "add", compute(net_.layer_norm(part + "norm", x)), x);
      return net_.add(part + "add", net_.layer_norm(part + "norm", compute(x)), x);
    };
    x = residual(name + "attention/", [&](TensorId in) { return attention(name + "attention/", in, odd); });
    return residual(name + "mlp/", [&](TensorId in) {
      const TensorId up = net_.fully_connected(name + "mlp/up", in, 4 * width_);
      return net_.fully_connected(name + "mlp/down", net_.elementwise(name + "mlp/gelu", "gelu", up), width_);
    });
  }

  TensorId attention(const std::string& name, TensorId x, bool odd) {
    constexpr std::int64_t kFeatures = 32;
    const std::int64_t window = std::min(shape_.window, side_), count = (side_ / window) * (side_ / window);
    const std::int64_t positions = window * window, heads = width_ / kFeatures;
    const bool shifted = odd && count > 1;
    if (shifted) x = net_.move(name + "shift", "roll", {x}, map());
    x = net_.transpose(name + "windows", x, {batch_ * count, positions, width_});
    const TensorId qkv = net_.fully_connected(name + "qkv", x, 3 * width_);
    const auto part = [&](const char* which) {
      return net_.slice(name + which, qkv, {batch_ * count, heads, positions, kFeatures});
    };
    TensorId q = part("q"), k = part("k");
    const TensorId v = part("v");
    if (shape_.second) {
      q = unit(name + "q/", q);
      k = unit(name + "k/", k);
    }
    TensorId scores = net_.matmul(name + "scores", q, k, true);
    scores = scaled(name + "scale", scores, heads);
    scores = net_.add(name + "bias", scores, bias(name + "bias/", heads, window));
    if (shifted) scores = net_.elementwise(name + "mask", "add", scores);
    const TensorId context = net_.matmul(name + "context", net_.softmax(name + "softmax", scores), v);
    x = net_.transpose(name + "join", context, {batch_ * count, positions, width_});
    x = net_.transpose(name + "maps", net_.fully_connected(name + "out", x, width_), map());
    return shifted ? net_.move(name + "shift_back", "roll", {x}, map()) : x;
  }

  // By a number, or in version 2 by one for each head that is learned and kept in FP32, so that mixed precision widens
  // the scores (timm, swin_transformer_v2.py: logit_scale).
  TensorId scaled(const std::string& name, TensorId scores, std::int64_t heads) {
    if (!shape_.second) return net_.elementwise(name, "mul", scores);
    const TensorId clipped = net_.elementwise(name + "/clip", "clip", net_.weight(name + ".weight", {heads, 1, 1}));
    return net_.multiply(name, scores, net_.elementwise(name + "/exp", "exp", clipped));
  }

  // Divided by its length.
  TensorId unit(const std::string& name, TensorId x) {
    Shape lengths = net_.shape(x);
    lengths.back() = 1;
    return net_.divide(name + "unit", x, net_.reduce(name + "length", "norm", {x}, lengths));
  }

  // Of each pair of positions, from a table of distances or, in version 2, from an MLP of 512 over them.
  TensorId bias(const std::string& name, std::int64_t heads, std::int64_t window) {
    constexpr std::int64_t kHidden = 512;
    const std::int64_t distances = (2 * window - 1) * (2 * window - 1), positions = window * window;
    TensorId table{};
    if (shape_.second) {
      table = net_.fully_connected(name + "1", net_.weight(name + "distances", {distances, 2}), kHidden);
      table = net_.fully_connected(name + "2", net_.relu(name + "relu", table), heads, false);
    } else {
      table = net_.weight(name + "table", {distances, heads});
    }
    return net_.gather(name + "gather", {table}, {1, heads, positions, positions});
  }

  const SwinShape& shape_;
  std::int64_t batch_, side_ = 0, width_ = 0;
  Net net_;
};

Workload swin(const SwinShape& shape, std::int64_t batch_size) {
  if (batch_size > kMaxDimension / (shape.image * shape.image)) return refused(shape.name, batch_size);
  return SwinNet(shape, batch_size).build();
}

constexpr std::array<int, 4> kTiny = {2, 2, 6, 2}, kDeep = {2, 2, 18, 2};

}  // namespace

Workload swin_l(std::int64_t batch_size) { return swin({"swin_l", 192, kDeep, 7, 224, false}, batch_size); }
Workload swin_v2_t_window16(std::int64_t batch_size) {
  return swin({"swin_v2_t_window16", 96, kTiny, 16, 256, true}, batch_size);
}
Workload swin_v2_s_window16(std::int64_t batch_size) {
  return swin({"swin_v2_s_window16", 96, kDeep, 16, 256, true}, batch_size);
}
Workload swin_v2_b_window16(std::int64_t batch_size) {
  return swin({"swin_v2_b_window16", 128, kDeep, 16, 256, true}, batch_size);
}
Workload swin_v2_l_window16(std::int64_t batch_size) {
  return swin({"swin_v2_l_window16", 192, kDeep, 16, 256, true}, batch_size);
}
Workload swin_v2_b_window24(std::int64_t batch_size) {
  return swin({"swin_v2_b_window24", 128, kDeep, 24, 384, true}, batch_size);
}

}  // namespace rooftile
