// The encoder of images of Segment Anything (Kirillov et al., ICCV 2023, appendix A; Li et al., ViTDet, ECCV 2022,
// section 3), as facebookresearch/segment-anything runs it (modeling/image_encoder.py): a vision transformer on 64x64
// patches of 16 pixels whose blocks attend within windows of 14x14, four of them to everything, with tables of
// distances along height and width. The decoder of masks, 4 million parameters, is not part of it.
#include <string>

#include "rooftile/zoo/net.hpp"
#include "rooftile/zoo/networks.hpp"

namespace rooftile {
namespace {

struct SamShape {
  const char* name;
  std::int64_t layers, hidden, heads;
};

class SamEncoder {
 public:
  SamEncoder(const SamShape& shape, std::int64_t batch) : shape_(shape), batch_(batch), net_(shape.name) {}

  Workload build() {
    constexpr std::int64_t kImage = 1024, kPatch = 16, kGlobal = 4;
    const TensorId image = net_.input("image", {batch_, 3, kImage, kImage});
    TensorId x = net_.conv("patches", image, shape_.hidden, {kPatch, kPatch});
    x = net_.transpose("patches/permute", x, map());
    x = net_.add("positions/add", x, net_.weight("positions", {1, kSide, kSide, shape_.hidden}));
    for (std::int64_t i = 0; i < shape_.layers; ++i) {
      const bool global = (i + 1) % (shape_.layers / kGlobal) == 0;
      x = block("layer" + std::to_string(i) + "/", x, global);
    }
    neck(x);
    return net_.finish();
  }

 private:
  static constexpr std::int64_t kSide = 64, kWindow = 14;

  Shape map() const { return {batch_, kSide, kSide, shape_.hidden}; }

  TensorId block(const std::string& name, TensorId x, bool global) {
    constexpr std::int64_t kWindows = (kSide + kWindow - 1) / kWindow, kPadded = kWindows * kWindow, kWider = 4;
    TensorId y = net_.layer_norm(name + "attention/norm", x);
    if (!global) {
      y = net_.move(name + "windows/pad", "pad", {y}, {batch_, kPadded, kPadded, shape_.hidden});
      y = net_.transpose(name + "windows", y, {batch_ * kWindows * kWindows, kWindow, kWindow, shape_.hidden});
    }
    y = attention(name + "attention/", y);
    if (!global) {
      y = net_.transpose(name + "windows/back", y, {batch_, kPadded, kPadded, shape_.hidden});
      y = net_.slice(name + "windows/crop", y, map());
    }
    x = net_.add(name + "attention/add", x, y);
    y = net_.fully_connected(name + "mlp/up", net_.layer_norm(name + "mlp/norm", x), kWider * shape_.hidden);
    y = net_.fully_connected(name + "mlp/down", net_.elementwise(name + "mlp/gelu", "gelu", y), shape_.hidden);
    return net_.add(name + "mlp/add", x, y);
  }

  // Of maps of side x side places each.
  TensorId attention(const std::string& name, TensorId x) {
    const Shape maps = net_.shape(x);
    const std::int64_t side = maps[1], places = side * side, rows = maps[0] * shape_.heads;
    const std::int64_t features = shape_.hidden / shape_.heads;
    TensorId qkv = net_.fully_connected(name + "qkv", x, 3 * shape_.hidden);
    qkv = net_.transpose(name + "qkv/permute", qkv, {3, rows, places, features});
    const auto part = [&](const char* which) { return net_.slice(name + which, qkv, {rows, places, features}); };
    const TensorId q = part("q"), k = part("k"), v = part("v");
    TensorId scores = net_.matmul(name + "scores", net_.elementwise(name + "scale", "mul", q), k, true);
    scores = net_.view(name + "scores/maps", "reshape", scores, {rows, side, side, side, side});
    scores = net_.add(name + "height/add", scores, distances(name + "height/", q, side, {rows, side, side, side, 1}));
    scores = net_.add(name + "width/add", scores, distances(name + "width/", q, side, {rows, side, side, 1, side}));
    scores = net_.view(name + "scores/rows", "reshape", scores, {rows, places, places});
    const TensorId context = net_.matmul(name + "context", net_.softmax(name + "softmax", scores), v);
    return net_.fully_connected(name + "out", net_.transpose(name + "join", context, maps), shape_.hidden);
  }

  // Queries times what a table holds for the distance to each row, or column.
  TensorId distances(const std::string& name, TensorId q, std::int64_t side, const Shape& result) {
    const Shape queries = net_.shape(q);
    const std::int64_t features = queries[2];
    const TensorId table = net_.weight(name + "table", {2 * side - 1, features});
    const TensorId of_pairs = net_.gather(name + "pairs", {table}, {side, side, features});
    const TensorId by_row = net_.transpose(name + "permute", q, {side, queries[0] * side, features});
    const TensorId product = net_.matmul(name + "product", by_row, of_pairs, true);
    return net_.transpose(name + "permute_back", product, result);
  }

  void neck(TensorId x) {
    constexpr std::int64_t kFeatures = 256;
    const auto norm = [&](const std::string& name, TensorId y) {
      const TensorId last = net_.transpose(name + "permute", y, {batch_, kSide, kSide, kFeatures});
      return net_.transpose(name + "permute_back", net_.layer_norm(name + "norm", last),
                            {batch_, kFeatures, kSide, kSide});
    };
    x = net_.transpose("neck/permute", x, {batch_, shape_.hidden, kSide, kSide});
    x = norm("neck/1x1/", net_.conv("neck/1x1", x, kFeatures, {1}, false));
    norm("neck/3x3/", net_.conv("neck/3x3", x, kFeatures, {3, 1, 1}, false));
  }

  SamShape shape_;
  std::int64_t batch_;
  Net net_;
};

}  // namespace

Workload sam_vit_b(std::int64_t batch_size) { return SamEncoder({"sam_vit_b", 12, 768, 12}, batch_size).build(); }
Workload sam_vit_l(std::int64_t batch_size) { return SamEncoder({"sam_vit_l", 24, 1024, 16}, batch_size).build(); }
Workload sam_vit_h(std::int64_t batch_size) { return SamEncoder({"sam_vit_h", 32, 1280, 16}, batch_size).build(); }

}  // namespace rooftile
