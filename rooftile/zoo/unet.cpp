// U-Net (Ronneberger et al., MICCAI 2015, figure 1): unpadded 3x3 convolutions from 572x572 to 388x388, two classes.
#include <array>
#include <string>
#include <vector>

#include "rooftile/zoo/net.hpp"
#include "rooftile/zoo/networks.hpp"

namespace rooftile {
namespace {

TensorId twice(Net& net, const std::string& name, TensorId x, std::int64_t channels) {
  x = net.relu(name + "relu_a", net.conv(name + "3x3a", x, channels, {3}));
  return net.relu(name + "relu_b", net.conv(name + "3x3b", x, channels, {3}));
}

}  // namespace

Workload unet(std::int64_t batch_size) {
  constexpr std::int64_t kImage = 572, kClasses = 2;
  constexpr std::array<std::int64_t, 5> kChannels = {64, 128, 256, 512, 1024};
  Net net("unet");
  TensorId x = net.input("image", {batch_size, 1, kImage, kImage});
  std::vector<TensorId> kept;
  for (std::size_t level = 0; level < kChannels.size(); ++level) {
    const std::string name = "down" + std::to_string(level + 1) + "/";
    if (level > 0) x = net.max_pool(name + "pool", x, {2, 2});
    x = twice(net, name, x, kChannels[level]);
    kept.push_back(x);
  }
  for (std::size_t level = kChannels.size() - 1; level-- > 0;) {
    const std::string name = "up" + std::to_string(level + 1) + "/";
    const std::int64_t channels = kChannels[level];
    const Window half = {2, 2};
    x = net.conv(name + "2x2", x, ConvShape{.channels = channels, .height = half, .width = half, .transposed = true});
    const std::int64_t size = net.shape(x)[2];
    const TensorId crop = net.slice(name + "crop", kept[level], {batch_size, channels, size, size});
    x = twice(net, name, net.concat(name + "concat", {crop, x}), channels);
  }
  net.conv("classes", x, kClasses, {1});
  return net.finish();
}

}  // namespace rooftile
