// ConvNeXt V2 (Woo et al., CVPR 2023, sections 3 and 4) as timm runs it (models/convnext.py, layers/grn.py): the blocks
// of ConvNeXt without layer scale, and in their MLP a global response normalisation, each operator by itself.
#include <array>
#include <string>

#include "rooftile/zoo/net.hpp"
#include "rooftile/zoo/networks.hpp"

namespace rooftile {
namespace {

struct ConvNextShape {
  const char* name;
  std::int64_t width;  // of the first stage
  std::array<int, 4> blocks;
};

class ConvNextV2 {
 public:
  ConvNextV2(const ConvNextShape& shape, std::int64_t batch, std::int64_t image)
      : shape_(shape), batch_(batch), net_(shape.name), image_(image) {}

  Workload build() {
    constexpr std::int64_t kClasses = 1000;
    std::int64_t width = shape_.width;
    TensorId x = net_.conv("stem", net_.input("image", {batch_, 3, image_, image_}), width, {4, 4});
    x = norm("stem/", x);
    for (std::size_t stage = 0; stage < shape_.blocks.size(); ++stage) {
      const std::string name = "stage" + std::to_string(stage + 1) + "/";
      if (stage > 0) x = net_.conv(name + "halve", norm(name, x), width *= 2, {2, 2});
      for (int i = 0; i < shape_.blocks[stage]; ++i) x = block(name + "block" + std::to_string(i + 1) + "/", x);
    }
    x = net_.flatten("flatten", net_.global_average_pool("pool", x));
    net_.fully_connected("classes", net_.layer_norm("norm", x), kClasses);
    return net_.finish();
  }

 private:
  TensorId to_last(const std::string& name, TensorId x) {
    const Shape map = net_.shape(x);
    return net_.transpose(name, x, {map[0], map[2], map[3], map[1]});
  }
  TensorId to_first(const std::string& name, TensorId x) {
    const Shape map = net_.shape(x);
    return net_.transpose(name, x, {map[0], map[3], map[1], map[2]});
  }

  // Of the channels of each place.
  TensorId norm(const std::string& name, TensorId x) {
    return to_first(name + "permute_back", net_.layer_norm(name + "norm", to_last(name + "permute", x)));
  }

  TensorId block(const std::string& name, TensorId x) {
    const std::int64_t width = net_.shape(x)[1];
    const Window window = {7, 1, 3};
    TensorId y = net_.conv(name + "7x7", x, {.channels = width, .height = window, .width = window, .groups = width});
    y = net_.layer_norm(name + "norm", to_last(name + "permute", y));
    y = net_.elementwise(name + "gelu", "gelu", net_.fully_connected(name + "up", y, 4 * width));
    y = net_.fully_connected(name + "down", responses(name + "grn/", y), width);
    return net_.add(name + "add", to_first(name + "permute_back", y), x);
  }

  // Channels weighted by their lengths over all places, relative to the mean.
  TensorId responses(const std::string& name, TensorId x) {
    const std::int64_t channels = net_.shape(x)[3];
    const Shape lengths = {batch_, 1, 1, channels};
    const TensorId length = net_.reduce(name + "length", "norm", {x}, lengths);
    TensorId mean = net_.reduce(name + "mean", "mean", {length}, {batch_, 1, 1, 1});
    mean = net_.elementwise(name + "epsilon", "add", mean);
    const TensorId y = net_.multiply(name + "mul", x, net_.divide(name + "div", length, mean));
    const TensorId scaled = net_.multiply(name + "scale", y, net_.weight(name + "weight", {channels}));
    return net_.add(name + "add", net_.add(name + "shift", scaled, net_.weight(name + "bias", {channels})), x);
  }

  ConvNextShape shape_;
  std::int64_t batch_;
  Net net_;
  std::int64_t image_;
};

}  // namespace

Workload convnext_v2_tiny(std::int64_t batch_size, std::int64_t image_size) {
  return ConvNextV2({"convnext_v2_tiny", 96, {3, 3, 9, 3}}, batch_size, image_size).build();
}
Workload convnext_v2_base(std::int64_t batch_size, std::int64_t image_size) {
  return ConvNextV2({"convnext_v2_base", 128, {3, 3, 27, 3}}, batch_size, image_size).build();
}
Workload convnext_v2_large(std::int64_t batch_size, std::int64_t image_size) {
  return ConvNextV2({"convnext_v2_large", 192, {3, 3, 27, 3}}, batch_size, image_size).build();
}
Workload convnext_v2_huge(std::int64_t batch_size, std::int64_t image_size) {
  return ConvNextV2({"convnext_v2_huge", 352, {3, 3, 27, 3}}, batch_size, image_size).build();
}

}  // namespace rooftile
