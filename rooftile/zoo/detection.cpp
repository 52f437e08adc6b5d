// Detectors in two stages. How many regions the second stage sees depends on the image; it is taken to see as many as
// the first may propose. Choosing among boxes (top-k, non-maximum suppression) is named and costs its bytes; what a
// framework's host does meanwhile, box by box, is not counted.
#include <array>
#include <string>
#include <vector>

#include "rooftile/zoo/net.hpp"
#include "rooftile/zoo/networks.hpp"
#include "rooftile/zoo/resnet.hpp"

namespace rooftile {
namespace {

constexpr std::int64_t kCoordinates = 4;

// The region proposal network (Ren et al., NIPS 2015, section 3), the same for every map.
class Proposals {
 public:
  Proposals(Net& net, std::int64_t batch, std::int64_t channels, std::int64_t anchors)
      : net_(net), batch_(batch), channels_(channels), anchors_(anchors) {}

  // Coordinates of `most` regions an image: batch x most x 4.
  TensorId of(const std::vector<TensorId>& maps, std::int64_t most) {
    std::vector<TensorId> scores, boxes;
    std::int64_t total = 0;
    for (std::size_t i = 0; i < maps.size(); ++i) {
      const std::string name = "rpn/" + std::to_string(i) + "/";
      const TensorId x = net_.relu(
          name + "relu", conv(name, "conv", maps[i], {.channels = channels_, .height = {3, 1, 1}, .width = {3, 1, 1}}));
      scores.push_back(rows(name, "score", x, 1));
      boxes.push_back(rows(name, "box", x, kCoordinates));
      total += net_.shape(scores.back())[1];
    }
    const TensorId score =
        net_.elementwise("rpn/sigmoid", "sigmoid", net_.join("rpn/scores", scores, {batch_, total, 1}));
    TensorId box = net_.join("rpn/boxes", boxes, {batch_, total, kCoordinates});
    box = net_.elementwise("rpn/decode", "mul", box);
    const TensorId best = net_.reduce("rpn/top_k", "top_k", {score, box}, {batch_, 2 * most, kCoordinates + 1});
    return net_.reduce("rpn/nms", "nms", {best}, {batch_, most, kCoordinates});
  }

 private:
  // The first map's layer has the weights.
  TensorId conv(const std::string& name, const std::string& layer, TensorId x, const ConvShape& shape) {
    const bool first = name == "rpn/0/";
    return first ? net_.conv(name + layer, x, shape) : net_.conv_again(name + layer, x, shape, "rpn/0/" + layer);
  }

  TensorId rows(const std::string& name, const std::string& layer, TensorId x, std::int64_t numbers) {
    const TensorId raw = conv(name, layer, x, {.channels = anchors_ * numbers});
    const Shape shape = net_.shape(raw);
    const TensorId last = net_.transpose(name + layer + "/permute", raw, {shape[0], shape[2], shape[3], shape[1]});
    return net_.view(name + layer + "/rows", "reshape", last, {shape[0], shape[2] * shape[3] * anchors_, numbers});
  }

  Net& net_;
  std::int64_t batch_, channels_, anchors_;
};

// Feature pyramid (Lin et al., CVPR 2017, figure 3): five maps of 256 channels, the last by subsampling.
std::vector<TensorId> pyramid(Net& net, const std::vector<TensorId>& stages) {
  constexpr std::int64_t kChannels = 256;
  std::vector<TensorId> maps(stages.size());
  TensorId above = 0;
  for (std::size_t level = stages.size(); level-- > 0;) {
    const std::string name = "fpn/" + std::to_string(level) + "/";
    TensorId x = net.conv(name + "lateral", stages[level], kChannels, {1});
    if (level + 1 < stages.size()) x = net.add(name + "add", x, net.upsample(name + "up", above, 2));
    above = x;
    maps[level] = net.conv(name + "3x3", x, kChannels, {3, 1, 1});
  }
  maps.push_back(net.max_pool("fpn/pool", maps.back(), {1, 2}));
  return maps;
}

// Features under each region, interpolated (He et al., ICCV 2017, section 3, RoIAlign).
TensorId align(Net& net, const std::string& name, const std::vector<TensorId>& maps, TensorId boxes,
               std::int64_t regions, std::int64_t size) {
  std::vector<TensorId> inputs = maps;
  inputs.push_back(boxes);
  return net.move(name, "roi_align", inputs, {regions, net.shape(maps.front())[1], size, size});
}

}  // namespace

// He et al., ICCV 2017, with the sizes of torchvision's maskrcnn_resnet50_fpn: images of 800x1344, 1000 regions, masks
// of the best 100 boxes, 91 classes.
Workload mask_rcnn_resnet50_fpn(std::int64_t batch_size) {
  constexpr std::int64_t kRegions = 1000, kDetections = 100, kClasses = 91, kFeatures = 1024, kMaskLayers = 4;
  const char* name = "mask_rcnn_resnet50_fpn";
  if (batch_size > kMaxDimension / kRegions) return refused(name, batch_size);
  Net net(name);
  TensorId x = resnet_stem(net, net.input("image", {batch_size, 3, 800, 1344}));
  std::vector<TensorId> stages;
  for (std::size_t stage = 0; stage < kResNet50.blocks.size(); ++stage) {
    x = resnet_stage(net, kResNet50, x, stage, stage > 0 ? 2 : 1);
    stages.push_back(x);
  }
  std::vector<TensorId> maps = pyramid(net, stages);
  const TensorId proposals = Proposals(net, batch_size, 256, 3).of(maps, kRegions);
  maps.pop_back();  // regions are of the first four
  x = net.flatten("box/flatten", align(net, "box/align", maps, proposals, batch_size * kRegions, 7));
  x = net.relu("box/relu6", net.fully_connected("box/fc6", x, kFeatures));
  x = net.relu("box/relu7", net.fully_connected("box/fc7", x, kFeatures));
  const TensorId scores = net.softmax("box/prob", net.fully_connected("box/score", x, kClasses));
  const TensorId boxes = net.fully_connected("box/coordinates", x, kClasses * kCoordinates);
  const TensorId best = net.reduce("box/nms", "nms", {boxes, scores}, {batch_size, kDetections, kCoordinates + 2});
  x = align(net, "mask/align", maps, best, batch_size * kDetections, 14);
  for (std::int64_t i = 1; i <= kMaskLayers; ++i) {
    const std::string layer = "mask/conv" + std::to_string(i);
    x = net.relu(layer + "/relu", net.conv(layer, x, 256, {3, 1, 1}));
  }
  const Window twice = {2, 2};
  x = net.conv("mask/up", x, ConvShape{.channels = 256, .height = twice, .width = twice, .transposed = true});
  net.elementwise("mask/prob", "sigmoid", net.conv("mask/classes", net.relu("mask/up/relu", x), kClasses, {1}));
  return net.finish({best});
}

// Ren et al., NIPS 2015, on ResNet-101 as He et al., CVPR 2016, appendix A, have it: regions are of the fourth stage's
// map, and each goes through the fifth stage. Images of 600x1000, 300 regions, 21 classes (PASCAL VOC).
Workload faster_rcnn_resnet101(std::int64_t batch_size) {
  constexpr std::int64_t kRegions = 300, kClasses = 21;
  const char* name = "faster_rcnn_resnet101";
  if (batch_size > kMaxDimension / kRegions) return refused(name, batch_size);
  Net net(name);
  TensorId x = resnet_stem(net, net.input("image", {batch_size, 3, 600, 1000}));
  for (std::size_t stage = 0; stage < 3; ++stage) x = resnet_stage(net, kResNet101, x, stage, stage > 0 ? 2 : 1);
  const TensorId proposals = Proposals(net, batch_size, 512, 9).of({x}, kRegions);
  x = align(net, "box/align", {x}, proposals, batch_size * kRegions, 14);
  x = net.flatten("box/flatten", net.global_average_pool("box/pool", resnet_stage(net, kResNet101, x, 3, 2)));
  const TensorId scores = net.softmax("box/prob", net.fully_connected("box/score", x, kClasses));
  net.reduce("box/nms", "nms", {net.fully_connected("box/coordinates", x, kClasses * kCoordinates), scores},
             {batch_size, kRegions, kCoordinates + 2});
  return net.finish();
}

}  // namespace rooftile
