// Detectors on ResNets, in two stages and in one. How many regions the second stage sees depends on the image; it is
// taken to see as many as the first may propose. Choosing among boxes (top-k, non-maximum suppression) is named and
// costs its bytes; what a framework's host does meanwhile, box by box, is not counted.
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

// Feature pyramid (Lin et al., CVPR 2017, figure 3): maps of 256 channels.
std::vector<TensorId> top_down(Net& net, const std::vector<TensorId>& stages) {
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
  return maps;
}

// RetinaNet (Lin et al., ICCV 2017): from a pyramid over the last three stages, whose two coarsest maps come from
// further convolutions (torchvision, LastLevelP6P7), two towers of four convolutions find scores and boxes for nine
// anchors of each place. The maps share the towers' weights.
class RetinaNet {
 public:
  RetinaNet(const char* name, std::int64_t batch, std::int64_t classes)
      : net_(name), batch_(batch), classes_(classes) {}

  Workload build(const ResNetShape& backbone, std::int64_t height, std::int64_t width) {
    TensorId x = resnet_stem(net_, net_.input("image", {batch_, 3, height, width}));
    std::vector<TensorId> stages;
    for (std::size_t stage = 0; stage < backbone.blocks.size(); ++stage) {
      x = resnet_stage(net_, backbone, x, stage, stage > 0 ? 2 : 1);
      if (stage > 0) stages.push_back(x);
    }
    const std::vector<TensorId> maps = further(top_down(net_, stages));
    const TensorId scores = net_.elementwise("scores/sigmoid", "sigmoid", rows("scores", maps, classes_));
    const TensorId boxes = net_.elementwise("boxes/decode", "mul", rows("boxes", maps, kCoordinates));
    // The best thousand of each map, of any class, and of those what does not overlap (torchvision's defaults).
    constexpr std::int64_t kCandidates = 1000, kDetections = 300;
    const TensorId best = net_.reduce("top_k", "top_k", {scores, boxes},
                                      {batch_, static_cast<std::int64_t>(maps.size()) * kCandidates, kCoordinates + 2});
    net_.reduce("nms", "nms", {best}, {batch_, kDetections, kCoordinates + 2});
    return net_.finish({boxes});
  }

 private:
  static constexpr std::int64_t kAnchors = 9, kWidth = 256;

  std::vector<TensorId> further(std::vector<TensorId> maps) {
    maps.push_back(net_.conv("fpn/p6", maps.back(), kWidth, {3, 2, 1}));
    maps.push_back(net_.conv("fpn/p7", net_.relu("fpn/p6/relu", maps.back()), kWidth, {3, 2, 1}));
    return maps;
  }

  TensorId conv(const std::string& tower, std::size_t map, const std::string& layer, TensorId x,
                std::int64_t channels) {
    const ConvShape shape = {.channels = channels, .height = {3, 1, 1}, .width = {3, 1, 1}};
    const std::string first = tower + "/0/" + layer;
    return map == 0 ? net_.conv(first, x, shape)
                    : net_.conv_again(tower + "/" + std::to_string(map) + "/" + layer, x, shape, first);
  }

  // batch x anchors x numbers of all maps.
  TensorId rows(const std::string& tower, const std::vector<TensorId>& maps, std::int64_t numbers) {
    constexpr int kLayers = 4;
    std::vector<TensorId> all;
    std::int64_t total = 0;
    for (std::size_t map = 0; map < maps.size(); ++map) {
      const std::string name = tower + "/" + std::to_string(map) + "/";
      TensorId x = maps[map];
      for (int i = 0; i < kLayers; ++i) {
        const std::string layer = "conv" + std::to_string(i);
        x = net_.relu(name + layer + "/relu", conv(tower, map, layer, x, kWidth));
      }
      x = conv(tower, map, "last", x, kAnchors * numbers);
      const Shape shape = net_.shape(x);
      const std::int64_t anchors = shape[2] * shape[3] * kAnchors;
      x = net_.transpose(name + "permute", x, {shape[0], shape[2], shape[3], shape[1]});
      all.push_back(net_.view(name + "rows", "reshape", x, {batch_, anchors, numbers}));
      total += anchors;
    }
    return net_.join(tower + "/all", all, {batch_, total, numbers});
  }

  Net net_;
  std::int64_t batch_, classes_;
};

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
  std::vector<TensorId> maps = top_down(net, stages);
  maps.push_back(net.max_pool("fpn/pool", maps.back(), {1, 2}));  // a fifth by subsampling, for proposals alone
  const TensorId proposals = Proposals(net, batch_size, 256, 3).of(maps, kRegions);
  maps.pop_back();
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

// The sizes of torchvision's retinanet_resnet50_fpn: images of 800x1344, 91 classes.
Workload retinanet_resnet50_fpn(std::int64_t batch_size) {
  return RetinaNet("retinanet_resnet50_fpn", batch_size, 91).build(kResNet50, 800, 1344);
}

// MLPerf Inference since v2.1 (mlcommons/inference, vision/classification_and_detection): images of 800x800, the 264
// classes of its part of Open Images.
Workload retinanet_resnext50_fpn(std::int64_t batch_size) {
  return RetinaNet("retinanet_resnext50_fpn", batch_size, 264).build(kResNext50, 800, 800);
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
