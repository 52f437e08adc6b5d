// wav2vec 2.0 (Baevski et al., NeurIPS 2020, section 4.2; config.json of facebook/wav2vec2-base-960h and -large-960h):
// ten seconds of sound at 16 kHz, seven convolutions that leave 499 positions, a convolution over 128 of them as their
// place, a transformer, and the scores of 32 letters.
#include <array>
#include <string>

#include "rooftile/zoo/net.hpp"
#include "rooftile/zoo/networks.hpp"

namespace rooftile {
namespace {

struct Wav2Vec2Size {
  const char* name;
  std::int64_t layers, hidden;
};

class Wav2Vec2 {
 public:
  Wav2Vec2(const Wav2Vec2Size& size, std::int64_t batch, std::int64_t samples)
      : size_(size), batch_(batch), net_(size.name), x_(net_.input("sound", {batch, 1, 1, samples})) {}

  Workload build() {
    constexpr std::int64_t kLetters = 32;
    TensorId x = features();
    x = net_.fully_connected("project", net_.layer_norm("features/norm", x), size_.hidden);
    x = net_.layer_norm("encoder/norm", net_.add("places/add", x, places(x)));
    for (std::int64_t i = 0; i < size_.layers; ++i) {
      const std::string name = "layer" + std::to_string(i) + "/";
      x = net_.layer_norm(name + "attention/norm", net_.add(name + "attention/add", x, attention(name, x)));
      TensorId y =
          net_.elementwise(name + "mlp/gelu", "gelu", net_.fully_connected(name + "mlp/up", x, 4 * size_.hidden));
      y = net_.fully_connected(name + "mlp/down", y, size_.hidden);
      x = net_.layer_norm(name + "mlp/norm", net_.add(name + "mlp/add", x, y));
    }
    net_.fully_connected("letters", x, kLetters);
    return net_.finish();
  }

 private:
  TensorId features() {
    constexpr std::int64_t kChannels = 512;
    constexpr std::array<Window, 7> kWindows = {{{10, 5}, {3, 2}, {3, 2}, {3, 2}, {3, 2}, {2, 2}, {2, 2}}};
    TensorId x = x_;
    int number = 0;
    for (const Window& window : kWindows) {
      const std::string name = "conv" + std::to_string(number) + "/";
      x = net_.conv(name + "conv", x, {.channels = kChannels, .height = {}, .width = window, .bias = false});
      if (number++ == 0) x = net_.group_norm(name + "norm", x);
      x = net_.elementwise(name + "gelu", "gelu", x);
    }
    return to_positions("features/", x);
  }

  TensorId to_positions(const std::string& name, TensorId x) {
    const Shape map = net_.shape(x);
    x = net_.view(name + "flatten", "reshape", x, {map[0], map[1], map[3]});
    return net_.transpose(name + "permute", x, {map[0], map[3], map[1]});
  }

  // Sixteen groups; one position too many is cut off.
  TensorId places(TensorId x) {
    constexpr std::int64_t kGroups = 16;
    const Window window = {128, 1, 64};
    const Shape shape = net_.shape(x);
    TensorId y = net_.transpose("places/permute", x, {shape[0], shape[2], shape[1]});
    y = net_.view("places/map", "reshape", y, {shape[0], shape[2], 1, shape[1]});
    y = net_.conv("places", y, {.channels = shape[2], .height = {}, .width = window, .groups = kGroups});
    y = net_.slice("places/crop", y, {shape[0], shape[2], 1, shape[1]});
    return to_positions("places/back/", net_.elementwise("places/gelu", "gelu", y));
  }

  TensorId attention(const std::string& name, TensorId x) {
    constexpr std::int64_t kHeadDim = 64;
    const std::int64_t positions = net_.shape(x)[1], heads = size_.hidden / kHeadDim;
    const auto split = [&](const char* which) {
      return net_.view(name + which + "/split", "reshape", net_.fully_connected(name + which, x, size_.hidden),
                       {batch_, positions, heads, kHeadDim});
    };
    const TensorId q = split("q"), k = split("k"), v = split("v");
    Attention attention;
    attention.batch = batch_;
    attention.q_len = attention.kv_len = positions;
    attention.heads = attention.kv_heads = heads;
    attention.head_dim = kHeadDim;
    const TensorId y = net_.attention(name + "attention", attention, {q, k, v});
    return net_.fully_connected(name + "out", net_.view(name + "join", "reshape", y, net_.shape(x)), size_.hidden);
  }

  Wav2Vec2Size size_;
  std::int64_t batch_;
  Net net_;
  TensorId x_;
};

}  // namespace

Workload wav2vec2_base(std::int64_t batch_size, std::int64_t samples) {
  return Wav2Vec2({"wav2vec2_base", 12, 768}, batch_size, samples).build();
}
Workload wav2vec2_large(std::int64_t batch_size, std::int64_t samples) {
  return Wav2Vec2({"wav2vec2_large", 24, 1024}, batch_size, samples).build();
}

}  // namespace rooftile
