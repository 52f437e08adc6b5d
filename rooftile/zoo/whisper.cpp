// Whisper (Radford et al., arXiv:2212.04356; config.json of openai/whisper-*): 30 s of speech as 3000 frames, of which
// two convolutions make 1500 positions, and the text so far.
#include <string>

#include "rooftile/zoo/net.hpp"
#include "rooftile/zoo/networks.hpp"

namespace rooftile {
namespace {

constexpr std::int64_t kFrames = 3000, kHeadDim = 64;

struct WhisperSize {
  const char* name;
  std::int64_t layers, hidden;  // of the encoder and, unless it has fewer layers, of the decoder
  std::int64_t bands = 80, vocabulary = 51865;
  std::int64_t decoder_layers = layers;
};

class Whisper {
 public:
  Whisper(const WhisperSize& form, std::int64_t batch, std::int64_t tokens)
      : form_(form), batch_(batch), tokens_(tokens), net_(form.name) {}

  Workload build() {
    const TensorId memory = encoder();
    TensorId x = net_.embedding("tokens", net_.input("tokens/ids", {batch_, tokens_}, DType::int64), form_.vocabulary,
                                form_.hidden);
    x = with_positions("decoder/", x, kMostWhisperTokens);
    for (std::int64_t i = 0; i < form_.decoder_layers; ++i) {
      const std::string name = "decoder" + std::to_string(i) + "/";
      TensorId y = net_.layer_norm(name + "self/norm", x);
      x = net_.add(name + "self/add", x, attend(name + "self/", y, y, true));
      y = net_.layer_norm(name + "speech/norm", x);
      x = net_.add(name + "speech/add", x, attend(name + "speech/", y, memory, false));
      x = mlp(name, x);
    }
    net_.tied("head", net_.layer_norm("decoder/norm", x), "tokens.weight");
    return net_.finish();
  }

 private:
  TensorId encoder() {
    const Window slides{3, 1, 1}, halves{3, 2, 1};
    TensorId x = net_.input("spectrogram", {batch_, form_.bands, 1, kFrames});
    x = gelu("conv1/", net_.conv("conv1", x, {.channels = form_.hidden, .height = {}, .width = slides}));
    x = gelu("conv2/", net_.conv("conv2", x, {.channels = form_.hidden, .height = {}, .width = halves}));
    const std::int64_t positions = kFrames / 2;
    x = net_.view("speech/flatten", "flatten", x, {batch_, form_.hidden, positions});
    x = net_.transpose("speech/permute", x, {batch_, positions, form_.hidden});
    x = with_positions("encoder/", x, positions);
    for (std::int64_t i = 0; i < form_.layers; ++i) {
      const std::string name = "encoder" + std::to_string(i) + "/";
      const TensorId y = net_.layer_norm(name + "self/norm", x);
      x = mlp(name, net_.add(name + "self/add", x, attend(name + "self/", y, y, false)));
    }
    return net_.layer_norm("encoder/norm", x);
  }

  TensorId gelu(const std::string& name, TensorId x) { return net_.elementwise(name + "gelu", "gelu", x); }

  // The first of a table.
  TensorId with_positions(const std::string& name, TensorId x, std::int64_t most) {
    TensorId table = net_.weight(name + "positions", {most, form_.hidden});
    const std::int64_t length = net_.shape(x)[1];
    if (length < most) table = net_.slice(name + "positions/slice", table, {length, form_.hidden});
    return net_.add(name + "positions/add", x, table);
  }

  // Keys have no bias.
  TensorId attend(const std::string& name, TensorId x, TensorId memory, bool causal) {
    const std::int64_t heads = form_.hidden / kHeadDim;
    const auto split = [&](const char* which, TensorId from, bool bias) {
      return net_.view(name + which + "/split", "reshape", net_.fully_connected(name + which, from, form_.hidden, bias),
                       {batch_, net_.shape(from)[1], heads, kHeadDim});
    };
    const TensorId q = split("q", x, true), k = split("k", memory, false), v = split("v", memory, true);
    Attention attention;
    attention.batch = batch_;
    attention.q_len = net_.shape(x)[1];
    attention.kv_len = net_.shape(memory)[1];
    attention.heads = attention.kv_heads = heads;
    attention.head_dim = kHeadDim;
    attention.causal = causal;
    const TensorId y = net_.attention(name + "attention", attention, {q, k, v});
    return net_.fully_connected(name + "out", net_.view(name + "join", "reshape", y, net_.shape(x)), form_.hidden);
  }

  TensorId mlp(const std::string& name, TensorId x) {
    const TensorId y = net_.layer_norm(name + "mlp/norm", x);
    const TensorId up = gelu(name + "mlp/", net_.fully_connected(name + "mlp/up", y, 4 * form_.hidden));
    return net_.add(name + "mlp/add", x, net_.fully_connected(name + "mlp/down", up, form_.hidden));
  }

  WhisperSize form_;
  std::int64_t batch_, tokens_;
  Net net_;
};

Workload whisper(const WhisperSize& form, std::int64_t batch_size, std::int64_t tokens) {
  return Whisper(form, batch_size, tokens).build();
}

}  // namespace

Workload whisper_tiny(std::int64_t batch_size, std::int64_t tokens) {
  return whisper({"whisper_tiny", 4, 384}, batch_size, tokens);
}
Workload whisper_base(std::int64_t batch_size, std::int64_t tokens) {
  return whisper({"whisper_base", 6, 512}, batch_size, tokens);
}
Workload whisper_small(std::int64_t batch_size, std::int64_t tokens) {
  return whisper({"whisper_small", 12, 768}, batch_size, tokens);
}
Workload whisper_medium(std::int64_t batch_size, std::int64_t tokens) {
  return whisper({"whisper_medium", 24, 1024}, batch_size, tokens);
}
Workload whisper_large_v2(std::int64_t batch_size, std::int64_t tokens) {
  return whisper({"whisper_large_v2", 32, 1280}, batch_size, tokens);
}
Workload whisper_large_v3(std::int64_t batch_size, std::int64_t tokens) {
  return whisper({"whisper_large_v3", 32, 1280, 128, 51866}, batch_size, tokens);
}
Workload whisper_large_v3_turbo(std::int64_t batch_size, std::int64_t tokens) {
  return whisper({"whisper_large_v3_turbo", 32, 1280, 128, 51866, 4}, batch_size, tokens);
}

}  // namespace rooftile
