// ResNets (He et al., CVPR 2016, table 1; ResNet-200: ECCV 2016). A downsampling block of the published ones and of
// DeLTA's ResNet-152 has its stride in the first 1x1 ("v1"); those trained since, as in Torch and torchvision, in the
// 3x3
// ("v1.5").
#include <array>
#include <string>

#include "rooftile/zoo/net.hpp"
#include "rooftile/zoo/networks.hpp"

namespace rooftile {
namespace {

struct Depth {
  const char* name;
  std::array<int, 4> blocks;  // of each stage
  bool bottleneck;
  bool stride_in_3x3;
};

TensorId conv_bn(Net& net, const std::string& name, TensorId x, std::int64_t channels, const Window& window) {
  return net.batch_norm(name + "/bn", net.conv(name, x, channels, window, false));
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

// 3x3, 3x3.
TensorId basic(Net& net, const std::string& name, const Place& place) {
  TensorId y = net.relu(name + "relu_a", conv_bn(net, name + "3x3a", place.x, place.width, {3, place.stride, 1}));
  y = conv_bn(net, name + "3x3b", y, place.width, {3, 1, 1});
  return join(net, name, y, place, place.width);
}

// 1x1 to `width` channels, 3x3, 1x1 to four times as many.
TensorId bottleneck(Net& net, const std::string& name, const Place& place, bool stride_in_3x3) {
  const std::int64_t first = stride_in_3x3 ? 1 : place.stride, second = stride_in_3x3 ? place.stride : 1;
  TensorId y = net.relu(name + "relu_a", conv_bn(net, name + "1x1a", place.x, place.width, {1, first}));
  y = net.relu(name + "relu_b", conv_bn(net, name + "3x3", y, place.width, {3, second, 1}));
  y = conv_bn(net, name + "1x1b", y, 4 * place.width, {1});
  return join(net, name, y, place, 4 * place.width);
}

Workload resnet(const Depth& depth, std::int64_t batch_size, std::int64_t image_size) {
  Net net(depth.name);
  TensorId x = net.input("data", {batch_size, 3, image_size, image_size});
  x = net.relu("conv1/relu", conv_bn(net, "conv1", x, 64, {7, 2, 3}));
  x = net.max_pool("pool1", x, {3, 2, 1});
  std::int64_t width = 64;
  for (std::size_t stage = 0; stage < depth.blocks.size(); ++stage, width *= 2) {
    for (int block = 1; block <= depth.blocks[stage]; ++block) {
      const std::string name = "conv" + std::to_string(stage + 2) + "_" + std::to_string(block) + "/";
      const bool first = block == 1;
      const bool project = first && (depth.bottleneck || stage > 0);
      const Place place = {x, width, first && stage > 0 ? 2 : 1, project};
      x = depth.bottleneck ? bottleneck(net, name, place, depth.stride_in_3x3) : basic(net, name, place);
    }
  }
  x = net.flatten("flatten", net.global_average_pool("pool5", x));
  net.softmax("prob", net.fully_connected("fc1000", x, 1000));
  return net.finish();
}

}  // namespace

Workload resnet152(std::int64_t batch_size, std::int64_t image_size) {
  return resnet({"resnet152", {3, 8, 36, 3}, true, false}, batch_size, image_size);
}
Workload resnet18(std::int64_t batch_size, std::int64_t image_size) {
  return resnet({"resnet18", {2, 2, 2, 2}, false, true}, batch_size, image_size);
}
Workload resnet34(std::int64_t batch_size, std::int64_t image_size) {
  return resnet({"resnet34", {3, 4, 6, 3}, false, true}, batch_size, image_size);
}
Workload resnet50(std::int64_t batch_size, std::int64_t image_size) {
  return resnet({"resnet50", {3, 4, 6, 3}, true, true}, batch_size, image_size);
}
Workload resnet101(std::int64_t batch_size, std::int64_t image_size) {
  return resnet({"resnet101", {3, 4, 23, 3}, true, true}, batch_size, image_size);
}
Workload resnet200(std::int64_t batch_size, std::int64_t image_size) {
  return resnet({"resnet200", {3, 24, 36, 3}, true, true}, batch_size, image_size);
}

}  // namespace rooftile
