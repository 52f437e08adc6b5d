// Detectors of Ultralytics for COCO's 80 classes: YOLOv5 (release 6.0 on), YOLOv8 and YOLO11, by their configurations
// (ultralytics/yolov5, models/yolov5*.yaml; ultralytics/ultralytics, cfg/models/v8/yolov8.yaml and 11/yolo11.yaml) and
// modules (nn/modules/{conv,block,head}.py). Layers bear the numbers of those files. Boxes are decoded, as in
// inference; suppressing those that overlap is left to the host.
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "rooftile/zoo/net.hpp"
#include "rooftile/zoo/networks.hpp"

namespace rooftile {
namespace {

constexpr std::int64_t kYoloClasses = 80, kCorners = 4;

struct YoloScale {
  char letter;
  double depth, width;       // of blocks, of channels
  std::int64_t most = 1024;  // channels before `width`
};

std::string numbered(const std::string& name, std::int64_t number) { return name + std::to_string(number) + "/"; }

// What the three generations share.
class YoloNet {
 public:
  YoloNet(const std::string& name, const YoloScale& scale, std::int64_t batch, std::int64_t image)
      : form(scale), samples(batch), net(name + scale.letter), images(net.input("images", {batch, 3, image, image})) {}

 protected:
  enum class Activation { silu, none };
  enum class Shortcut { added, none };

  std::int64_t width(std::int64_t channels) const {
    constexpr double kMultiple = 8;
    const double scaled = static_cast<double>(std::min(channels, form.most)) * form.width;
    return static_cast<std::int64_t>(std::ceil(scaled / kMultiple) * kMultiple);
  }
  std::int64_t depth(std::int64_t repeats) const {
    return std::max<std::int64_t>(1, std::llround(static_cast<double>(repeats) * form.depth));
  }
  std::int64_t channels_of(TensorId x) const { return net.shape(x)[1]; }

  // A convolution that keeps the size, its norm and SiLU.
  TensorId conv(const std::string& name, TensorId x, std::int64_t channels, const Window& window,
                std::int64_t groups = 1, Activation activation = Activation::silu) {
    const TensorId y =
        net.conv(name + "conv", x,
                 ConvShape{.channels = channels, .height = window, .width = window, .groups = groups, .bias = false});
    const TensorId normed = net.batch_norm(name + "bn", y);
    return activation == Activation::silu ? net.elementwise(name + "silu", "silu", normed) : normed;
  }
  TensorId point(const std::string& name, TensorId x, std::int64_t channels) { return conv(name, x, channels, {1}); }
  TensorId halve(std::int64_t number, TensorId x, std::int64_t channels) {
    return conv(numbered("", number), x, width(channels), {3, 2, 1});
  }

  // Two convolutions, the first to `inner` channels.
  TensorId bottleneck(const std::string& name, TensorId x, std::int64_t inner, std::int64_t first, Shortcut shortcut) {
    const TensorId y =
        conv(name + "cv2/", conv(name + "cv1/", x, inner, {first, 1, first / 2}), channels_of(x), {3, 1, 1});
    return shortcut == Shortcut::added ? net.add(name + "add", x, y) : y;
  }

  // C3: half of the channels through bottlenecks, whose first filter is of size `first`.
  TensorId c3(const std::string& name, TensorId x, std::int64_t channels, std::int64_t repeats, std::int64_t first,
              Shortcut shortcut) {
    const std::int64_t inner = channels / 2;
    TensorId y = point(name + "cv1/", x, inner);
    for (std::int64_t i = 0; i < repeats; ++i) y = bottleneck(numbered(name + "m", i), y, inner, first, shortcut);
    const TensorId beside = point(name + "cv2/", x, inner);
    return point(name + "cv3/", net.concat(name + "concat", {y, beside}), channels);
  }

  // C2f: each block's result goes into the last convolution. `block(name, x)` keeps the shape.
  template <class Block>
  TensorId c2f(const std::string& name, TensorId x, std::int64_t channels, std::int64_t inner, std::int64_t repeats,
               const Block& block) {
    const TensorId both = point(name + "cv1/", x, 2 * inner);
    std::vector<TensorId> parts = {half(name + "first", both), half(name + "second", both)};
    for (std::int64_t i = 0; i < repeats; ++i) parts.push_back(block(numbered(name + "m", i), parts.back()));
    return point(name + "cv2/", net.concat(name + "concat", parts), channels);
  }

  TensorId half(const std::string& name, TensorId x) {
    Shape shape = net.shape(x);
    shape[1] /= 2;
    return net.slice(name, x, shape);
  }

  // SPPF: three windows of 5, one after the other.
  TensorId pools(std::int64_t number, TensorId x) {
    const std::string name = numbered("", number);
    const std::int64_t channels = channels_of(x);
    std::vector<TensorId> parts = {point(name + "cv1/", x, channels / 2)};
    for (int i = 0; i < 3; ++i)
      parts.push_back(net.max_pool(numbered(name + "m", i) + "pool", parts.back(), {5, 1, 2}));
    return point(name + "cv2/", net.concat(name + "concat", parts), channels);
  }

  TensorId up_beside(std::int64_t number, TensorId x, TensorId other) {
    const TensorId larger = net.upsample(numbered("", number) + "up", x, 2);
    return net.concat(numbered("", number + 1) + "concat", {larger, other});
  }
  TensorId beside(std::int64_t number, TensorId x, TensorId other) {
    return net.concat(numbered("", number) + "concat", {x, other});
  }

  // The head without anchors (YOLOv8's): of each map, 4 x 16 numbers for a box and 80 scores. `scores(name, x, width)`
  // makes what goes into the last convolution of the latter.
  template <class Scores>
  Workload detect(std::int64_t number, const std::vector<TensorId>& maps, const Scores& scores) {
    constexpr std::int64_t kBins = 16, kNumbers = kCorners * kBins + kYoloClasses;
    const std::string head = numbered("", number);
    const std::int64_t first = channels_of(maps.front());
    const std::int64_t box_width = std::max({kBins, first / 4, kCorners * kBins});
    const std::int64_t score_width = std::max(first, kYoloClasses);
    std::vector<TensorId> raw, rows;
    std::int64_t places = 0;
    for (std::size_t i = 0; i < maps.size(); ++i) {
      const std::string name = numbered(head, static_cast<std::int64_t>(i));
      TensorId box = conv(name + "box0/", maps[i], box_width, {3, 1, 1});
      box = net.conv(name + "box2", conv(name + "box1/", box, box_width, {3, 1, 1}), kCorners * kBins, {1});
      const TensorId score = net.conv(name + "score2", scores(name, maps[i], score_width), kYoloClasses, {1});
      raw.push_back(net.concat(name + "concat", {box, score}));
      const std::int64_t area = net.shape(raw.back())[2] * net.shape(raw.back())[3];
      rows.push_back(net.view(name + "rows", "reshape", raw.back(), {samples, kNumbers, area}));
      places += area;
    }
    const TensorId all = net.join(head + "rows", rows, {samples, kNumbers, places});
    // The mean over 16 bins is each distance from a place to a side of its box.
    TensorId box = net.slice(head + "box", all, {samples, kCorners * kBins, places});
    box = net.transpose(head + "bins", box, {samples, kBins, kCorners, places});
    box = net.conv(head + "dfl", net.softmax(head + "softmax", box), 1, {1}, false);
    box = net.view(head + "distances", "reshape", box, {samples, kCorners, places});
    const TensorId near = net.slice(head + "near", box, {samples, 2, places});
    const TensorId far = net.slice(head + "far", box, {samples, 2, places});
    const TensorId begin = net.elementwise(head + "begin", "sub", near),
                   end = net.elementwise(head + "end", "add", far);
    const TensorId middle = net.elementwise(head + "half", "mul", net.add(head + "sum", begin, end));
    const TensorId size = net.elementwise(head + "size", "sub", end);
    box = net.elementwise(head + "pixels", "mul", net.concat(head + "box/concat", {middle, size}));
    const TensorId score = net.slice(head + "score", all, {samples, kYoloClasses, places});
    net.concat(head + "result", {box, net.elementwise(head + "sigmoid", "sigmoid", score)});
    return net.finish(raw);
  }

  YoloScale form;
  std::int64_t samples;
  Net net;
  TensorId images;
};

class Yolov5 : private YoloNet {
 public:
  using YoloNet::YoloNet;

  Workload build() {
    TensorId x = conv("0/", images, width(64), {6, 2, 2});
    x = block(2, halve(1, x, 128), 128, 3, Shortcut::added);
    const TensorId eighth = block(4, halve(3, x, 256), 256, 6, Shortcut::added);
    const TensorId sixteenth = block(6, halve(5, eighth, 512), 512, 9, Shortcut::added);
    x = pools(9, block(8, halve(7, sixteenth, 1024), 1024, 3, Shortcut::added));
    const TensorId deep = point("10/", x, width(512));
    x = block(13, up_beside(11, deep, sixteenth), 512, 3, Shortcut::none);
    const TensorId middle = point("14/", x, width(256));
    const TensorId large = block(17, up_beside(15, middle, eighth), 256, 3, Shortcut::none);
    const TensorId medium = block(20, beside(19, halve(18, large, 256), middle), 512, 3, Shortcut::none);
    const TensorId small = block(23, beside(22, halve(21, medium, 512), deep), 1024, 3, Shortcut::none);
    return detect({large, medium, small});
  }

 private:
  TensorId block(std::int64_t number, TensorId x, std::int64_t channels, std::int64_t repeats, Shortcut shortcut) {
    return c3(numbered("", number), x, width(channels), depth(repeats), 1, shortcut);
  }

  // Three anchors at each place: centre, size, whether there is anything, and the scores.
  Workload detect(const std::vector<TensorId>& maps) {
    constexpr std::int64_t kAnchors = 3, kNumbers = kCorners + 1 + kYoloClasses;
    std::vector<TensorId> raw, rows;
    std::int64_t places = 0;
    for (std::size_t i = 0; i < maps.size(); ++i) {
      const std::string name = numbered("24/", static_cast<std::int64_t>(i));
      TensorId x = net.conv(name + "conv", maps[i], kAnchors * kNumbers, {1});
      const std::int64_t height = net.shape(x)[2], across = net.shape(x)[3], area = kAnchors * height * across;
      x = net.transpose(name + "permute", x, {samples, kAnchors, height, across, kNumbers});
      raw.push_back(x);
      x = net.elementwise(name + "sigmoid", "sigmoid", x);
      const auto part = [&](const char* which, std::int64_t numbers) {
        return net.slice(name + which, x, {samples, kAnchors, height, across, numbers});
      };
      TensorId centre = net.elementwise(name + "centre/double", "mul", part("centre", 2));
      centre = net.elementwise(name + "centre/add", "add", centre);
      centre = net.elementwise(name + "centre/pixels", "mul", centre);
      TensorId size = net.elementwise(name + "size/double", "mul", part("size", 2));
      size = net.elementwise(name + "size/square", "pow", size);
      size = net.elementwise(name + "size/pixels", "mul", size);
      x = net.join(name + "concat", {centre, size, part("scores", 1 + kYoloClasses)},
                   {samples, kAnchors, height, across, kNumbers});
      rows.push_back(net.view(name + "rows", "reshape", x, {samples, area, kNumbers}));
      places += area;
    }
    net.join("24/result", rows, {samples, places, kNumbers});
    return net.finish(raw);
  }
};

class Yolov8 : private YoloNet {
 public:
  using YoloNet::YoloNet;

  Workload build() {
    TensorId x = halve(0, images, 64);
    x = block(2, halve(1, x, 128), 128, 3, Shortcut::added);
    const TensorId eighth = block(4, halve(3, x, 256), 256, 6, Shortcut::added);
    const TensorId sixteenth = block(6, halve(5, eighth, 512), 512, 6, Shortcut::added);
    const TensorId deep = pools(9, block(8, halve(7, sixteenth, 1024), 1024, 3, Shortcut::added));
    const TensorId middle = block(12, up_beside(10, deep, sixteenth), 512, 3, Shortcut::none);
    const TensorId large = block(15, up_beside(13, middle, eighth), 256, 3, Shortcut::none);
    const TensorId medium = block(18, beside(17, halve(16, large, 256), middle), 512, 3, Shortcut::none);
    const TensorId small = block(21, beside(20, halve(19, medium, 512), deep), 1024, 3, Shortcut::none);
    return detect(22, {large, medium, small}, [this](const std::string& name, TensorId map, std::int64_t channels) {
      return conv(name + "score1/", conv(name + "score0/", map, channels, {3, 1, 1}), channels, {3, 1, 1});
    });
  }

 private:
  TensorId block(std::int64_t number, TensorId x, std::int64_t channels, std::int64_t repeats, Shortcut shortcut) {
    const std::int64_t inner = width(channels) / 2;
    return c2f(numbered("", number), x, width(channels), inner, depth(repeats),
               [&](const std::string& name, TensorId y) { return bottleneck(name, y, inner, 3, shortcut); });
  }
};

class Yolo11 : private YoloNet {
 public:
  using YoloNet::YoloNet;

  Workload build() {
    constexpr double kQuarter = 0.25, kHalf = 0.5;
    const bool deep_blocks = form.letter != 'n' && form.letter != 's';
    TensorId x = halve(0, images, 64);
    x = block(2, halve(1, x, 128), 256, kQuarter, deep_blocks);
    const TensorId eighth = block(4, halve(3, x, 256), 512, kQuarter, deep_blocks);
    const TensorId sixteenth = block(6, halve(5, eighth, 512), 512, kHalf, true);
    const TensorId deep = attend(10, pools(9, block(8, halve(7, sixteenth, 1024), 1024, kHalf, true)));
    const TensorId middle = block(13, up_beside(11, deep, sixteenth), 512, kHalf, deep_blocks);
    const TensorId large = block(16, up_beside(14, middle, eighth), 256, kHalf, deep_blocks);
    const TensorId medium = block(19, beside(18, halve(17, large, 256), middle), 512, kHalf, deep_blocks);
    const TensorId small = block(22, beside(21, halve(20, medium, 512), deep), 1024, kHalf, true);
    return detect(23, {large, medium, small}, [this](const std::string& name, TensorId map, std::int64_t channels) {
      const TensorId y = point(name + "score0/1/", depthwise(name + "score0/0/", map), channels);
      return point(name + "score1/1/", depthwise(name + "score1/0/", y), channels);
    });
  }

 private:
  TensorId depthwise(const std::string& name, TensorId x, Activation activation = Activation::silu) {
    return conv(name, x, channels_of(x), {3, 1, 1}, channels_of(x), activation);
  }

  // C3k2: bottlenecks of half the width, or a C3 of two whose filters are all 3x3.
  TensorId block(std::int64_t number, TensorId x, std::int64_t channels, double share, bool deep) {
    constexpr std::int64_t kRepeats = 2;
    const auto inner = static_cast<std::int64_t>(static_cast<double>(width(channels)) * share);
    return c2f(numbered("", number), x, width(channels), inner, depth(kRepeats),
               [&](const std::string& name, TensorId y) {
                 if (deep) return c3(name, y, inner, kRepeats, 3, Shortcut::added);
                 return bottleneck(name, y, inner / 2, 3, Shortcut::added);
               });
  }

  // C2PSA: attention between all places on half of the channels.
  TensorId attend(std::int64_t number, TensorId x) {
    constexpr std::int64_t kRepeats = 2;
    const std::string name = numbered("", number);
    const std::int64_t inner = channels_of(x) / 2;
    const TensorId both = point(name + "cv1/", x, 2 * inner);
    TensorId y = half(name + "second", both);
    for (std::int64_t i = 0; i < depth(kRepeats); ++i) {
      const std::string part = numbered(name + "m", i);
      y = net.add(part + "attention/add", y, attention(part + "attention/", y));
      const TensorId up = point(part + "up/", y, 2 * inner);
      y = net.add(part + "add", y, conv(part + "down/", up, inner, {1}, 1, Activation::none));
    }
    return point(name + "cv2/", net.concat(name + "concat", {half(name + "first", both), y}), 2 * inner);
  }

  // Heads of 64 values and 32 features of query and key.
  TensorId attention(const std::string& name, TensorId x) {
    constexpr std::int64_t kValues = 64, kKeys = 32;
    const Shape map = net.shape(x);
    const std::int64_t heads = map[1] / kValues, places = map[2] * map[3];
    TensorId qkv = conv(name + "qkv/", x, heads * (kValues + 2 * kKeys), {1}, 1, Activation::none);
    qkv = net.view(name + "heads", "reshape", qkv, {samples, heads, kValues + 2 * kKeys, places});
    const auto part = [&](const char* which, std::int64_t features) {
      return net.slice(name + which, qkv, {samples, heads, features, places});
    };
    const TensorId q = net.transpose(name + "q/transpose", part("q", kKeys), {samples, heads, places, kKeys});
    const TensorId k = part("k", kKeys), v = part("v", kValues);
    TensorId scores = net.elementwise(name + "scale", "mul", net.matmul(name + "scores", q, k));
    scores = net.softmax(name + "softmax", scores);
    const TensorId y = net.view(name + "join", "reshape", net.matmul(name + "context", v, scores, true), map);
    const TensorId positions =
        depthwise(name + "positions/", net.view(name + "v/map", "reshape", v, map), Activation::none);
    return conv(name + "out/", net.add(name + "positions/add", y, positions), map[1], {1}, 1, Activation::none);
  }
};

template <std::size_t Size>
const YoloScale& scale_of(const std::array<YoloScale, Size>& scales, char letter) {
  const auto found = std::find_if(scales.begin(), scales.end(), [&](const YoloScale& s) { return s.letter == letter; });
  assert(found != scales.end());
  return *found;
}

}  // namespace

Workload yolov5(char scale, std::int64_t batch_size, std::int64_t image_size) {
  static constexpr std::array<YoloScale, 5> kScales = {
      {{'n', 0.33, 0.25}, {'s', 0.33, 0.5}, {'m', 0.67, 0.75}, {'l', 1, 1}, {'x', 1.33, 1.25}}};
  return Yolov5("yolov5", scale_of(kScales, scale), batch_size, image_size).build();
}

Workload yolov8(char scale, std::int64_t batch_size, std::int64_t image_size) {
  static constexpr std::array<YoloScale, 5> kScales = {
      {{'n', 0.33, 0.25}, {'s', 0.33, 0.5}, {'m', 0.67, 0.75, 768}, {'l', 1, 1, 512}, {'x', 1, 1.25, 512}}};
  return Yolov8("yolov8", scale_of(kScales, scale), batch_size, image_size).build();
}

Workload yolo11(char scale, std::int64_t batch_size, std::int64_t image_size) {
  static constexpr std::array<YoloScale, 5> kScales = {
      {{'n', 0.5, 0.25}, {'s', 0.5, 0.5}, {'m', 0.5, 1, 512}, {'l', 1, 1, 512}, {'x', 1, 1.5, 512}}};
  return Yolo11("yolo11", scale_of(kScales, scale), batch_size, image_size).build();
}

}  // namespace rooftile
