// Networks of separable convolutions, a depthwise one and a pointwise one: MobileNet (Howard et al., arXiv:1704.04861,
// table 1) and Xception (Chollet, CVPR 2017, figure 5).
#include <cstdint>
#include <string>

#include "rooftile/zoo/net.hpp"
#include "rooftile/zoo/networks.hpp"

namespace rooftile {
namespace {

TensorId depthwise(Net& net, const std::string& name, TensorId x, std::int64_t stride) {
  const std::int64_t channels = net.shape(x)[1];
  const Window window{3, stride, 1};
  return net.conv(name, x,
                  {.channels = channels, .height = window, .width = window, .groups = channels, .bias = false});
}

// One of Xception's, with nothing between the two convolutions.
TensorId separable(Net& net, const std::string& name, TensorId x, std::int64_t channels) {
  const TensorId y = net.conv(name + "/pointwise", depthwise(net, name + "/depthwise", x, 1), channels, {}, false);
  return net.batch_norm(name + "/norm", y);
}

struct XceptionBlock {
  std::int64_t channels;
  int layers = 2;
  bool halves = true;       // height and width
  bool grows_first = true;  // rather than last
  bool relu_first = true;
};

TensorId xception_block(Net& net, const std::string& name, TensorId x, const XceptionBlock& block) {
  const std::int64_t in = net.shape(x)[1];
  TensorId skip = x, y = x;
  if (block.halves)
    skip = net.batch_norm(name + "/skip/norm", net.conv(name + "/skip", x, block.channels, {1, 2}, false));
  for (int i = 0; i < block.layers; ++i) {
    const std::string layer = name + "/" + std::to_string(i);
    if (i > 0 || block.relu_first) y = net.relu(layer + "/relu", y);
    const bool narrow = !block.grows_first && i + 1 < block.layers;
    y = separable(net, layer, y, narrow ? in : block.channels);
  }
  if (block.halves) y = net.max_pool(name + "/pool", y, {3, 2, 1});
  return net.add(name + "/add", y, skip);
}

}  // namespace

Workload mobilenet_v1(std::int64_t batch_size, std::int64_t image_size) {
  struct Layer {
    std::int64_t channels, stride;
  };
  constexpr Layer kLayers[] = {{64, 1},  {128, 2}, {128, 1}, {256, 2}, {256, 1},  {512, 2}, {512, 1},
                               {512, 1}, {512, 1}, {512, 1}, {512, 1}, {1024, 2}, {1024, 1}};
  Net net("mobilenet_v1");
  TensorId x = net.input("data", {batch_size, 3, image_size, image_size});
  x = net.relu("conv/relu", net.batch_norm("conv/norm", net.conv("conv", x, 32, {3, 2, 1}, false)));
  int i = 0;
  for (const Layer& layer : kLayers) {
    const std::string name = std::to_string(++i);
    x = depthwise(net, name + "/depthwise", x, layer.stride);
    x = net.relu(name + "/depthwise/relu", net.batch_norm(name + "/depthwise/norm", x));
    x = net.conv(name + "/pointwise", x, layer.channels, {}, false);
    x = net.relu(name + "/pointwise/relu", net.batch_norm(name + "/pointwise/norm", x));
  }
  x = net.flatten("flatten", net.global_average_pool("pool", x));
  net.softmax("prob", net.fully_connected("fc", x, 1000));
  return net.finish();
}

Workload xception(std::int64_t batch_size, std::int64_t image_size) {
  Net net("xception");
  TensorId x = net.input("data", {batch_size, 3, image_size, image_size});
  x = net.relu("conv1/relu", net.batch_norm("conv1/norm", net.conv("conv1", x, 32, {3, 2}, false)));
  x = net.relu("conv2/relu", net.batch_norm("conv2/norm", net.conv("conv2", x, 64, {3, 1}, false)));
  x = xception_block(net, "entry1", x, {.channels = 128, .relu_first = false});
  x = xception_block(net, "entry2", x, {.channels = 256});
  x = xception_block(net, "entry3", x, {.channels = 728});
  for (int i = 1; i <= 8; ++i) {
    x = xception_block(net, "middle" + std::to_string(i), x, {.channels = 728, .layers = 3, .halves = false});
  }
  x = xception_block(net, "exit", x, {.channels = 1024, .grows_first = false});
  x = net.relu("exit/separable1/relu", separable(net, "exit/separable1", x, 1536));
  x = net.relu("exit/separable2/relu", separable(net, "exit/separable2", x, 2048));
  x = net.flatten("flatten", net.global_average_pool("pool", x));
  net.softmax("prob", net.fully_connected("fc", x, 1000));
  return net.finish();
}

}  // namespace rooftile
