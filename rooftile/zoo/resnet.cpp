// ResNets (He et al., CVPR 2016, table 1; ResNet-200: ECCV 2016). A downsampling block of the published ones and of
// DeLTA's ResNet-152 has its stride in the first 1x1 ("v1"); those trained since, as in Torch and torchvision, in the
// 3x3 ("v1.5"). ResNeXt-101 32x4d: Xie et al., CVPR 2017, table 1 for 101 layers; with squeeze and excitation: Hu et
// al., CVPR 2018, section 3, reduction 16.
#include "rooftile/zoo/resnet.hpp"

#include <string>

#include "rooftile/zoo/networks.hpp"

namespace rooftile {
namespace {

TensorId conv_bn(Net& net, const std::string& name, TensorId x, std::int64_t channels, const Window& window,
                 std::int64_t groups = 1) {
  const ConvShape shape = {.channels = channels, .height = window, .width = window, .groups = groups, .bias = false};
  return net.batch_norm(name + "/bn", net.conv(name, x, shape));
}

// Where a block stands: its first input, channels and stride.
struct Place {
  TensorId x;
  std::int64_t width;
  std::int64_t stride;
  bool project;  // the shortcut
};

TensorId join(Net& net, const std::string& name, TensorId y, const Place& place, std::int64_t channels) {
  TensorId x = place.x;
  if (place.project) x = conv_bn(net, name + "proj", x, channels, {1, place.stride});
  return net.relu(name + "relu", net.add(name + "add", y, x));
}

// Channels weighted by what two fully connected layers make of their averages.
TensorId squeeze_and_excite(Net& net, const std::string& name, TensorId x) {
  constexpr std::int64_t kReduction = 16;
  const std::int64_t channels = net.shape(x)[1];
  TensorId y = net.global_average_pool(name + "pool", x);
  y = net.relu(name + "relu", net.conv(name + "down", y, channels / kReduction, {1}));
  return net.multiply(name + "scale", x,
                      net.elementwise(name + "sigmoid", "sigmoid", net.conv(name + "up", y, channels, {1})));
}

// 3x3, 3x3.
TensorId basic(Net& net, const std::string& name, const Place& place) {
  TensorId y = net.relu(name + "relu_a", conv_bn(net, name + "3x3a", place.x, place.width, {3, place.stride, 1}));
  y = conv_bn(net, name + "3x3b", y, place.width, {3, 1, 1});
  return join(net, name, y, place, place.width);
}

// 1x1 to `width` channels (times groups and their width), 3x3, 1x1 to four times as many.
TensorId bottleneck(Net& net, const std::string& name, const Place& place, const ResNetShape& shape) {
  constexpr std::int64_t kUsualWidth = 64, kWider = 4;
  const std::int64_t first = shape.stride_in_3x3 ? 1 : place.stride, second = shape.stride_in_3x3 ? place.stride : 1;
  const std::int64_t inner = place.width * shape.groups * shape.group_width / kUsualWidth;
  TensorId y = net.relu(name + "relu_a", conv_bn(net, name + "1x1a", place.x, inner, {1, first}));
  y = net.relu(name + "relu_b", conv_bn(net, name + "3x3", y, inner, {3, second, 1}, shape.groups));
  y = conv_bn(net, name + "1x1b", y, kWider * place.width, {1});
  if (shape.squeeze) y = squeeze_and_excite(net, name + "se/", y);
  return join(net, name, y, place, kWider * place.width);
}

Workload resnet(const char* name, const ResNetShape& shape, std::int64_t batch_size, std::int64_t image_size) {
  Net net(name);
  TensorId x = resnet_stem(net, net.input("data", {batch_size, 3, image_size, image_size}));
  for (std::size_t stage = 0; stage < shape.blocks.size(); ++stage) {
    x = resnet_stage(net, shape, x, stage, stage > 0 ? 2 : 1);
  }
  x = net.flatten("flatten", net.global_average_pool("pool5", x));
  net.softmax("prob", net.fully_connected("fc1000", x, 1000));
  return net.finish();
}

constexpr ResNetShape kResNext101 = {.blocks = {3, 4, 23, 3}, .groups = 32, .group_width = 4};

}  // namespace

TensorId resnet_stem(Net& net, TensorId image) {
  const TensorId x = net.relu("conv1/relu", conv_bn(net, "conv1", image, 64, {7, 2, 3}));
  return net.max_pool("pool1", x, {3, 2, 1});
}

TensorId resnet_stage(Net& net, const ResNetShape& shape, TensorId x, std::size_t stage, std::int64_t stride) {
  const std::int64_t width = std::int64_t{64} << stage;
  for (int block = 1; block <= shape.blocks[stage]; ++block) {
    const std::string name = "conv" + std::to_string(stage + 2) + "_" + std::to_string(block) + "/";
    const bool first = block == 1;
    const Place place = {x, width, first ? stride : 1, first && (shape.bottleneck || stage > 0)};
    x = shape.bottleneck ? bottleneck(net, name, place, shape) : basic(net, name, place);
  }
  return x;
}

Workload resnet152(std::int64_t batch_size, std::int64_t image_size) {
  return resnet("resnet152", {.blocks = {3, 8, 36, 3}, .stride_in_3x3 = false}, batch_size, image_size);
}
Workload resnet152_v1_5(std::int64_t batch_size, std::int64_t image_size) {
  return resnet("resnet152_v1.5", {.blocks = {3, 8, 36, 3}}, batch_size, image_size);
}
Workload resnet18(std::int64_t batch_size, std::int64_t image_size) {
  return resnet("resnet18", {.blocks = {2, 2, 2, 2}, .bottleneck = false}, batch_size, image_size);
}
Workload resnet34(std::int64_t batch_size, std::int64_t image_size) {
  return resnet("resnet34", kResNet34, batch_size, image_size);
}
Workload resnet50(std::int64_t batch_size, std::int64_t image_size) {
  return resnet("resnet50", kResNet50, batch_size, image_size);
}
Workload resnet50_v1(std::int64_t batch_size, std::int64_t image_size) {
  return resnet("resnet50_v1", {.blocks = {3, 4, 6, 3}, .stride_in_3x3 = false}, batch_size, image_size);
}
Workload resnet101(std::int64_t batch_size, std::int64_t image_size) {
  return resnet("resnet101", kResNet101, batch_size, image_size);
}
Workload resnet200(std::int64_t batch_size, std::int64_t image_size) {
  return resnet("resnet200", {.blocks = {3, 24, 36, 3}}, batch_size, image_size);
}
Workload resnext101_32x4d(std::int64_t batch_size, std::int64_t image_size) {
  return resnet("resnext101_32x4d", kResNext101, batch_size, image_size);
}
Workload se_resnext101_32x4d(std::int64_t batch_size, std::int64_t image_size) {
  ResNetShape shape = kResNext101;
  shape.squeeze = true;
  return resnet("se_resnext101_32x4d", shape, batch_size, image_size);
}

}  // namespace rooftile
