// VGG-16 and VGG-19 (Simonyan and Zisserman, ICLR 2015, configurations D and E): 3x3 convolutions in five blocks.
#include <array>
#include <string>

#include "rooftile/zoo/net.hpp"
#include "rooftile/zoo/networks.hpp"

namespace rooftile {
namespace {

// `deep`: convolutions in each of the last three blocks.
Workload vgg(const std::string& name, int deep, std::int64_t batch_size) {
  struct Block {
    int convs;
    std::int64_t channels;
  };
  const std::array<Block, 5> blocks = {{{2, 64}, {2, 128}, {deep, 256}, {deep, 512}, {deep, 512}}};

  Net net(name);
  TensorId x = net.input("data", {batch_size, 3, 224, 224});
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const std::string block = std::to_string(b + 1);
    for (int i = 1; i <= blocks[b].convs; ++i) {
      const std::string layer = block + "_" + std::to_string(i);
      x = net.relu("relu" + layer, net.conv("conv" + layer, x, blocks[b].channels, {3, 1, 1}));
    }
    x = net.max_pool("pool" + block, x, {2, 2});
  }
  x = net.flatten("flatten", x);
  x = net.dropout("drop6", net.relu("relu6", net.fully_connected("fc6", x, 4096)));
  x = net.dropout("drop7", net.relu("relu7", net.fully_connected("fc7", x, 4096)));
  net.softmax("prob", net.fully_connected("fc8", x, 1000));
  return net.finish();
}

}  // namespace

Workload vgg16(std::int64_t batch_size) { return vgg("vgg16", 3, batch_size); }
Workload vgg19(std::int64_t batch_size) { return vgg("vgg19", 4, batch_size); }

}  // namespace rooftile
