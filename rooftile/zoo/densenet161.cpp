// DenseNet-161 (Huang et al., CVPR 2017): growth 48, blocks of 6, 12, 36 and 24 layers.
#include <array>
#include <string>
#include <vector>

#include "rooftile/zoo/net.hpp"
#include "rooftile/zoo/networks.hpp"

namespace rooftile {
namespace {

TensorId bn_relu(Net& net, const std::string& name, TensorId x) {
  return net.relu(name + "/relu", net.batch_norm(name + "/bn", x));
}

}  // namespace

Workload densenet161(std::int64_t batch_size, std::int64_t image_size) {
  constexpr std::int64_t kGrowth = 48;
  constexpr std::array<int, 4> kLayers = {6, 12, 36, 24};

  Net net("densenet161");
  TensorId x = net.input("data", {batch_size, 3, image_size, image_size});
  std::int64_t channels = 2 * kGrowth;
  x = bn_relu(net, "conv0", net.conv("conv0", x, channels, {7, 2, 3}, false));
  x = net.max_pool("pool0", x, {3, 2, 1});
  for (std::size_t block = 0; block < kLayers.size(); ++block) {
    const std::string stage = std::to_string(block + 1);
    for (int layer = 1; layer <= kLayers[block]; ++layer) {
      const std::string name = "dense" + stage + "_" + std::to_string(layer);
      TensorId y = net.conv(name + "/1x1", bn_relu(net, name + "/a", x), 4 * kGrowth, {1}, false);
      y = net.conv(name + "/3x3", bn_relu(net, name + "/b", y), kGrowth, {3, 1, 1}, false);
      x = net.concat(name + "/concat", {x, y});
      channels += kGrowth;
    }
    if (block + 1 == kLayers.size()) break;
    channels /= 2;
    const std::string name = "transition" + stage;
    x = net.conv(name, bn_relu(net, name, x), channels, {1}, false);
    x = net.average_pool(name + "/pool", x, {2, 2});
  }
  x = net.flatten("flatten", net.global_average_pool("pool5", bn_relu(net, "norm5", x)));
  net.softmax("prob", net.fully_connected("fc1000", x, 1000));
  return net.finish();
}

}  // namespace rooftile
