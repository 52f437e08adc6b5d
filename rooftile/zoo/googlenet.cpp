// GoogLeNet (Szegedy et al., CVPR 2015, table 1): 57 convolutions, without the auxiliary classifiers, which run in
// training only. The pools round up, as in the authors' Caffe model.
#include <array>
#include <string>

#include "rooftile/zoo/net.hpp"
#include "rooftile/zoo/networks.hpp"

namespace rooftile {
namespace {

// Output channels of the branches of an inception module.
struct Inception {
  const char* name;
  std::int64_t direct;  // 1x1
  std::int64_t reduce_3x3, conv_3x3;
  std::int64_t reduce_5x5, conv_5x5;
  std::int64_t pool_proj;
};

constexpr std::array<Inception, 9> kModules = {{
    {"3a", 64, 96, 128, 16, 32, 32},
    {"3b", 128, 128, 192, 32, 96, 64},
    {"4a", 192, 96, 208, 16, 48, 64},
    {"4b", 160, 112, 224, 24, 64, 64},
    {"4c", 128, 128, 256, 24, 64, 64},
    {"4d", 112, 144, 288, 32, 64, 64},
    {"4e", 256, 160, 320, 32, 128, 128},
    {"5a", 256, 160, 320, 32, 128, 128},
    {"5b", 384, 192, 384, 48, 128, 128},
}};

TensorId conv_relu(Net& net, const std::string& name, TensorId x, std::int64_t channels, const Window& window) {
  return net.relu(name + "/relu", net.conv(name, x, channels, window));
}

TensorId inception(Net& net, const Inception& module, TensorId x) {
  const std::string name = std::string(module.name) + "/";
  const TensorId direct = conv_relu(net, name + "1x1", x, module.direct, {1});
  const TensorId reduced_3x3 = conv_relu(net, name + "3x3_reduce", x, module.reduce_3x3, {1});
  const TensorId conv_3x3 = conv_relu(net, name + "3x3", reduced_3x3, module.conv_3x3, {3, 1, 1});
  const TensorId reduced_5x5 = conv_relu(net, name + "5x5_reduce", x, module.reduce_5x5, {1});
  const TensorId conv_5x5 = conv_relu(net, name + "5x5", reduced_5x5, module.conv_5x5, {5, 1, 2});
  const TensorId pooled = net.max_pool(name + "pool", x, {3, 1, 1});
  const TensorId projected = conv_relu(net, name + "pool_proj", pooled, module.pool_proj, {1});
  return net.concat(name + "output", {direct, conv_3x3, conv_5x5, projected});
}

}  // namespace

Workload googlenet(std::int64_t batch_size) {
  Net net("googlenet");
  TensorId x = net.input("data", {batch_size, 3, 224, 224});
  x = conv_relu(net, "conv1/7x7_s2", x, 64, {7, 2, 3});
  x = net.lrn("pool1/norm1", net.max_pool("pool1/3x3_s2", x, {3, 2}, true), 5);
  x = conv_relu(net, "conv2/3x3_reduce", x, 64, {1});
  x = net.lrn("conv2/norm2", conv_relu(net, "conv2/3x3", x, 192, {3, 1, 1}), 5);
  x = net.max_pool("pool2/3x3_s2", x, {3, 2}, true);
  for (const Inception& module : kModules) {
    const std::string name = module.name;
    if (name == "4a") x = net.max_pool("pool3/3x3_s2", x, {3, 2}, true);
    if (name == "5a") x = net.max_pool("pool4/3x3_s2", x, {3, 2}, true);
    x = inception(net, module, x);
  }
  x = net.dropout("pool5/drop", net.flatten("flatten", net.global_average_pool("pool5/7x7_s1", x)));
  net.softmax("prob", net.fully_connected("fc", x, 1000));
  return net.finish();
}

}  // namespace rooftile
