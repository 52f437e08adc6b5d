// ResNet-152 (He et al., CVPR 2016, table 1): 155 convolutions with the four projections. As published and as DeLTA
// uses it, a downsampling block has its stride in the first 1x1 ("v1"), not in the 3x3 ("v1.5", torchvision).
#include <array>
#include <string>

#include "rooftile/zoo/net.hpp"
#include "rooftile/zoo/networks.hpp"

namespace rooftile {
namespace {

TensorId conv_bn(Net& net, const std::string& name, TensorId x, std::int64_t channels, const Window& window) {
  return net.batch_norm(name + "/bn", net.conv(name, x, channels, window, false));
}

// 1x1 to `width` channels, 3x3, 1x1 to four times as many; the first block of a stage projects its shortcut.
TensorId bottleneck(Net& net, const std::string& block, TensorId x, std::int64_t width, std::int64_t stride,
                    bool project) {
  const std::string name = block + "/";
  TensorId y = net.relu(name + "relu_a", conv_bn(net, name + "1x1a", x, width, {1, stride}));
  y = net.relu(name + "relu_b", conv_bn(net, name + "3x3", y, width, {3, 1, 1}));
  y = conv_bn(net, name + "1x1b", y, 4 * width, {1});
  if (project) x = conv_bn(net, name + "proj", x, 4 * width, {1, stride});
  return net.relu(name + "relu", net.add(name + "add", y, x));
}

}  // namespace

Workload resnet152(std::int64_t batch_size) {
  constexpr std::array<int, 4> kBlocks = {3, 8, 36, 3};

  Net net("resnet152");
  TensorId x = net.input("data", {batch_size, 3, 224, 224});
  x = net.relu("conv1/relu", conv_bn(net, "conv1", x, 64, {7, 2, 3}));
  x = net.max_pool("pool1", x, {3, 2, 1});
  std::int64_t width = 64;
  for (std::size_t stage = 0; stage < kBlocks.size(); ++stage, width *= 2) {
    for (int block = 1; block <= kBlocks[stage]; ++block) {
      const std::string name = "conv" + std::to_string(stage + 2) + "_" + std::to_string(block);
      const bool first = block == 1;
      x = bottleneck(net, name, x, width, first && stage > 0 ? 2 : 1, first);
    }
  }
  x = net.flatten("flatten", net.global_average_pool("pool5", x));
  net.softmax("prob", net.fully_connected("fc1000", x, 1000));
  return net.finish();
}

}  // namespace rooftile
