// AlexNet (Krizhevsky, Sutskever, Hinton, NIPS 2012) on one GPU: 96 filters in the first layer, no groups, as DeLTA
// uses it. A 224x224 input padded by 2 gives the 55x55 outputs of the original.
#include "rooftile/zoo/net.hpp"
#include "rooftile/zoo/networks.hpp"

namespace rooftile {

Workload alexnet(std::int64_t batch_size) {
  Net net("alexnet");
  TensorId x = net.input("data", {batch_size, 3, 224, 224});
  x = net.relu("relu1", net.conv("conv1", x, 96, {11, 4, 2}));
  x = net.max_pool("pool1", net.lrn("norm1", x, 5), {3, 2});
  x = net.relu("relu2", net.conv("conv2", x, 256, {5, 1, 2}));
  x = net.max_pool("pool2", net.lrn("norm2", x, 5), {3, 2});
  x = net.relu("relu3", net.conv("conv3", x, 384, {3, 1, 1}));
  x = net.relu("relu4", net.conv("conv4", x, 384, {3, 1, 1}));
  x = net.relu("relu5", net.conv("conv5", x, 256, {3, 1, 1}));
  x = net.flatten("flatten", net.max_pool("pool5", x, {3, 2}));
  x = net.dropout("drop6", net.relu("relu6", net.fully_connected("fc6", x, 4096)));
  x = net.dropout("drop7", net.relu("relu7", net.fully_connected("fc7", x, 4096)));
  net.softmax("prob", net.fully_connected("fc8", x, 1000));
  return net.finish();
}

}  // namespace rooftile
