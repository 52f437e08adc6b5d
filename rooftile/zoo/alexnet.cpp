// AlexNets. The one of DeLTA (Krizhevsky, Sutskever, Hinton, NIPS 2012) runs on one GPU: 96 filters in the first layer,
// no groups; a 224x224 input padded by 2 gives the 55x55 outputs of the original. Caffe's bvlc_alexnet keeps the groups
// of the two GPUs of then, and pads nothing. The one of "One weird trick for parallelizing convolutional neural
// networks" (Krizhevsky, arXiv:1404.5997) has 64 filters and no normalisation.
#include <string>

#include "rooftile/zoo/net.hpp"
#include "rooftile/zoo/networks.hpp"

namespace rooftile {
namespace {

struct AlexNetShape {
  std::int64_t first, second;  // filters; the others have 384, 384 and 256
  std::int64_t pad;            // of the image
  std::int64_t groups;         // of the second, fourth and fifth convolution
  bool normalised;             // after the first two
};

Workload alexnet(const char* name, const AlexNetShape& shape, std::int64_t batch_size) {
  constexpr Window kPool = {3, 2};
  Net net(name);
  TensorId x = net.input("data", {batch_size, 3, 224, 224});
  const auto conv = [&](const std::string& layer, std::int64_t channels, const Window& window, std::int64_t groups) {
    x = net.conv("conv" + layer, x, {.channels = channels, .height = window, .width = window, .groups = groups});
    x = net.relu("relu" + layer, x);
  };
  const auto pool = [&](const std::string& layer, bool normalised) {
    if (normalised) x = net.lrn("norm" + layer, x, 5);
    x = net.max_pool("pool" + layer, x, kPool, shape.pad == 0);
  };
  conv("1", shape.first, {11, 4, shape.pad}, 1);
  pool("1", shape.normalised);
  conv("2", shape.second, {5, 1, 2}, shape.groups);
  pool("2", shape.normalised);
  conv("3", 384, {3, 1, 1}, 1);
  conv("4", 384, {3, 1, 1}, shape.groups);
  conv("5", 256, {3, 1, 1}, shape.groups);
  pool("5", false);
  x = net.flatten("flatten", x);
  x = net.dropout("drop6", net.relu("relu6", net.fully_connected("fc6", x, 4096)));
  x = net.dropout("drop7", net.relu("relu7", net.fully_connected("fc7", x, 4096)));
  net.softmax("prob", net.fully_connected("fc8", x, 1000));
  return net.finish();
}

}  // namespace

Workload alexnet(std::int64_t batch_size) {
  return alexnet("alexnet", {.first = 96, .second = 256, .pad = 2, .groups = 1, .normalised = true}, batch_size);
}

Workload alexnet_caffe(std::int64_t batch_size) {
  return alexnet("alexnet_caffe", {.first = 96, .second = 256, .pad = 0, .groups = 2, .normalised = true}, batch_size);
}

Workload alexnet_owt(std::int64_t batch_size) {
  return alexnet("alexnet_owt", {.first = 64, .second = 192, .pad = 2, .groups = 1, .normalised = false}, batch_size);
}

}  // namespace rooftile
