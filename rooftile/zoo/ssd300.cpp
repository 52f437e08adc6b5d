// SSD300 (Liu et al., ECCV 2016, figure 2 and section 3.1), with VGG-16 as published, and with the ResNets of NVIDIA's
// DeepLearningExamples (ResNet-50) and MLPerf Training (ResNet-34), whose fourth stage keeps its resolution and whose
// further layers have batch normalisation. Choosing among the 8732 boxes afterwards is not part of it.
#include <array>
#include <string>
#include <vector>

#include "rooftile/zoo/net.hpp"
#include "rooftile/zoo/networks.hpp"
#include "rooftile/zoo/resnet.hpp"

namespace rooftile {
namespace {

constexpr std::int64_t kSsdImage = 300, kBoxNumbers = 4;

// Of the maps that boxes are found in: a 1x1 to `middle` channels, a 3x3 to `channels`.
struct Further {
  std::int64_t middle, channels, stride, pad;
};

TensorId plain_conv(Net& net, const std::string& name, TensorId x, std::int64_t channels, const Window& window) {
  return net.relu(name + "/relu", net.conv(name, x, channels, window));
}

TensorId normed_conv(Net& net, const std::string& name, TensorId x, std::int64_t channels, const Window& window) {
  return net.relu(name + "/relu", net.batch_norm(name + "/bn", net.conv(name, x, channels, window, false)));
}

// Boxes of each place of a map, as rows of so many numbers.
TensorId rows(Net& net, const std::string& name, TensorId map, std::int64_t boxes, std::int64_t numbers) {
  const TensorId raw = net.conv(name, map, boxes * numbers, {3, 1, 1});
  const Shape shape = net.shape(raw);
  const TensorId last = net.transpose(name + "/permute", raw, {shape[0], shape[2], shape[3], shape[1]});
  return net.view(name + "/rows", "reshape", last, {shape[0], shape[2] * shape[3] * boxes, numbers});
}

Workload detect(Net& net, const std::vector<TensorId>& maps, std::int64_t batch_size, std::int64_t classes) {
  constexpr std::array<std::int64_t, 6> kBoxes = {4, 6, 6, 6, 4, 4};
  std::vector<TensorId> locations, scores;
  std::int64_t total = 0;
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const std::string number = std::to_string(i);
    locations.push_back(rows(net, "location" + number, maps[i], kBoxes[i], kBoxNumbers));
    scores.push_back(rows(net, "score" + number, maps[i], kBoxes[i], classes));
    total += net.shape(scores.back())[1];
  }
  const TensorId boxes = net.join("locations", locations, {batch_size, total, kBoxNumbers});
  net.softmax("prob", net.join("scores", scores, {batch_size, total, classes}));
  return net.finish({boxes});
}

// Five smaller maps, each from the one before.
template <class Conv>
void add_further(Net& net, std::vector<TensorId>& maps, const std::vector<Further>& layers, const Conv& conv) {
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const std::string name = "extra" + std::to_string(i + 1) + "/";
    const TensorId narrow = conv(net, name + "1x1", maps.back(), layers[i].middle, Window{1});
    maps.push_back(conv(net, name + "3x3", narrow, layers[i].channels, Window{3, layers[i].stride, layers[i].pad}));
  }
}

Workload ssd300_of_resnet(const char* name, const ResNetShape& shape, std::int64_t batch_size) {
  constexpr std::int64_t kClasses = 81;  // COCO
  Net net(name);
  TensorId x = resnet_stem(net, net.input("image", {batch_size, 3, kSsdImage, kSsdImage}));
  for (std::size_t stage = 0; stage < 3; ++stage) x = resnet_stage(net, shape, x, stage, stage == 1 ? 2 : 1);
  std::vector<TensorId> maps = {x};
  add_further(net, maps, {{256, 512, 2, 1}, {256, 512, 2, 1}, {128, 256, 2, 1}, {128, 256, 1, 0}, {128, 256, 1, 0}},
              normed_conv);
  return detect(net, maps, batch_size, kClasses);
}

}  // namespace

Workload ssd300_vgg16(std::int64_t batch_size) {
  constexpr std::int64_t kClasses = 21;  // PASCAL VOC
  Net net("ssd300_vgg16");
  TensorId x = net.input("image", {batch_size, 3, kSsdImage, kSsdImage}), fourth = x;
  constexpr std::array<int, 5> kConvs = {2, 2, 3, 3, 3};
  for (std::size_t block = 0; block < kConvs.size(); ++block) {
    const std::int64_t channels = std::int64_t{64} << (block < 3 ? block : 3);
    for (int i = 1; i <= kConvs[block]; ++i) {
      x = plain_conv(net, "conv" + std::to_string(block + 1) + "_" + std::to_string(i), x, channels, {3, 1, 1});
    }
    if (block == 3) fourth = net.multiply("conv4_3/scale", x, net.weight("conv4_3/scale.weight", {1, channels, 1, 1}));
    const std::string pool = "pool" + std::to_string(block + 1);
    x = block < 4 ? net.max_pool(pool, x, {2, 2}, true) : net.max_pool(pool, x, {3, 1, 1});
  }
  const Window wide = {3, 1, 6};
  x = net.relu("fc6/relu",
               net.conv("fc6", x, ConvShape{.channels = 1024, .height = wide, .width = wide, .dilation = 6}));
  std::vector<TensorId> maps = {fourth, plain_conv(net, "fc7", x, 1024, {1})};
  add_further(net, maps, {{256, 512, 2, 1}, {128, 256, 2, 1}, {128, 256, 1, 0}, {128, 256, 1, 0}}, plain_conv);
  return detect(net, maps, batch_size, kClasses);
}

Workload ssd300_resnet34(std::int64_t batch_size) { return ssd300_of_resnet("ssd300_resnet34", kResNet34, batch_size); }
Workload ssd300_resnet50(std::int64_t batch_size) { return ssd300_of_resnet("ssd300_resnet50", kResNet50, batch_size); }

}  // namespace rooftile
