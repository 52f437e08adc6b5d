// Recurrent networks: translation with attention, and speech.
#include <array>
#include <string>

#include "rooftile/zoo/net.hpp"
#include "rooftile/zoo/networks.hpp"

namespace rooftile {
namespace {

// LSTMs that read a text, the first of them both ways, and LSTMs that write one, the first of which looks for what it
// needs next; sums with the input of a layer from the third on (Wu et al., arXiv:1609.08144).
struct Translator {
  const char* name;
  std::int64_t encoder_layers, decoder_layers, hidden, vocabulary;
  std::int64_t direction;  // features of each direction of the first layer
  bool one_table;          // both texts share their words
};

class TranslatorNet {
 public:
  TranslatorNet(const Translator& shape, std::int64_t batch, std::int64_t length)
      : shape_(shape), batch_(batch), length_(length), net_(shape.name) {}

  Workload build() {
    const TensorId memory = encoder(words("encoder/", "source_ids"));
    decoder(words("decoder/", "target_ids"), memory);
    return net_.finish();
  }

 private:
  TensorId words(const std::string& prefix, const std::string& input) {
    const TensorId ids = net_.input(input, {batch_, length_}, DType::int64);
    const bool again = shape_.one_table && prefix == "decoder/";
    const TensorId x = again ? net_.lookup(prefix + "words", ids, "encoder/words.weight", shape_.hidden)
                             : net_.embedding(prefix + "words", ids, shape_.vocabulary, shape_.hidden);
    return net_.dropout(prefix + "words/dropout", x);
  }

  TensorId lstm(const std::string& name, TensorId x, std::int64_t hidden, std::int64_t directions = 1) {
    Recurrent layer;
    layer.hidden = hidden;
    layer.directions = directions;
    return net_.recurrent(name, x, layer);
  }

  TensorId encoder(TensorId x) {
    for (std::int64_t i = 0; i < shape_.encoder_layers; ++i) {
      const std::string name = "encoder/lstm" + std::to_string(i);
      const TensorId y =
          net_.dropout(name + "/dropout", i == 0 ? lstm(name, x, shape_.direction, 2) : lstm(name, x, shape_.hidden));
      x = i > 1 ? net_.add(name + "/add", y, x) : y;
    }
    return x;
  }

  void decoder(TensorId words, TensorId memory) {
    TensorId x = net_.dropout("decoder/lstm0/dropout", lstm("decoder/lstm0", words, shape_.hidden));
    const TensorId context = attention(x, memory);
    const Shape both = {batch_, length_, 2 * shape_.hidden};
    for (std::int64_t i = 1; i < shape_.decoder_layers; ++i) {
      const std::string name = "decoder/lstm" + std::to_string(i);
      const TensorId y = lstm(name, net_.join(name + "/concat", {x, context}, both), shape_.hidden);
      const TensorId dropped = net_.dropout(name + "/dropout", y);
      x = i > 1 ? net_.add(name + "/add", dropped, x) : dropped;
    }
    net_.fully_connected("classifier", x, shape_.vocabulary);
  }

  // Bahdanau et al., arXiv:1409.0473, appendix A.1.2: v tanh(W q + U k) for each pair of positions.
  TensorId attention(TensorId query, TensorId memory) {
    const std::int64_t hidden = shape_.hidden;
    TensorId q = net_.fully_connected("attention/q", query, hidden, false);
    TensorId k = net_.fully_connected("attention/k", memory, hidden, false);
    q = net_.view("attention/q/view", "reshape", q, {batch_, length_, 1, hidden});
    k = net_.view("attention/k/view", "reshape", k, {batch_, 1, length_, hidden});
    const TensorId pairs = net_.elementwise("attention/tanh", "tanh", net_.add("attention/add", q, k));
    TensorId scores = net_.fully_connected("attention/scores", pairs, 1, false);
    scores = net_.view("attention/scores/view", "reshape", scores, {batch_, length_, length_});
    return net_.matmul("attention/context", net_.softmax("attention/softmax", scores), memory);
  }

  const Translator& shape_;
  std::int64_t batch_, length_;
  Net net_;
};

Workload translate(const Translator& shape, std::int64_t batch_size, std::int64_t seq_len) {
  const double pairs = elements({batch_size, seq_len, seq_len, shape.hidden});
  if (pairs > kMaxElements) return refused(shape.name, batch_size);
  return TranslatorNet(shape, batch_size, seq_len).build();
}

}  // namespace

// NVIDIA's DeepLearningExamples, PyTorch/Translation/GNMT: 4 layers each, 1024 wide, one table of 32320 words for both.
Workload gnmt_v2(std::int64_t batch_size, std::int64_t seq_len) {
  return translate({"gnmt_v2", 4, 4, 1024, 32320, 1024, true}, batch_size, seq_len);
}

// TBD (Zhu et al., IISWC 2018, tables 2 and 3): Sockeye with 5 layers of LSTM each, 512 wide, 17188 words of IWSLT15.
Workload sockeye(std::int64_t batch_size, std::int64_t seq_len) {
  return translate({"sockeye", 5, 5, 512, 17188, 256, false}, batch_size, seq_len);
}

// Deep Speech 2 (Amodei et al., arXiv:1512.02595, section 6.1: three convolutions in time and frequency, seven
// bidirectional recurrent layers, 35 million parameters), 1280 wide (table 1). Both directions of a layer read the same
// product and are added (section 3.3); 161 frequencies every 10 ms, 29 letters.
Workload deep_speech_2(std::int64_t batch_size, std::int64_t frames) {
  constexpr std::int64_t kFrequencies = 161, kHidden = 1280, kLayers = 7, kLetters = 29;
  struct Layer {
    std::int64_t channels = 0;
    Window frequency, time;
  };
  constexpr std::array<Layer, 3> kConvs = {
      {{32, {41, 2, 20}, {11, 2, 5}}, {32, {21, 2, 10}, {11, 1, 5}}, {96, {21, 2, 10}, {11, 1, 5}}}};
  const char* name = "deep_speech_2";
  if (elements({batch_size, frames, kFrequencies, 32}) > kMaxElements) return refused(name, batch_size);
  Net net(name);
  TensorId x = net.input("spectrogram", {batch_size, 1, kFrequencies, frames});
  for (std::size_t i = 0; i < kConvs.size(); ++i) {
    const std::string layer = "conv" + std::to_string(i + 1);
    const Layer& conv = kConvs[i];
    x = net.conv(layer, x,
                 ConvShape{.channels = conv.channels, .height = conv.frequency, .width = conv.time, .bias = false});
    x = net.relu(layer + "/relu", net.batch_norm(layer + "/bn", x));
  }
  const Shape map = net.shape(x);
  const std::int64_t steps = map[3];
  x = net.transpose("to_steps", x, {batch_size, steps, map[1] * map[2]});
  const Shape each = {batch_size, steps, kHidden}, flat = {batch_size * steps, kHidden};
  for (std::int64_t i = 1; i <= kLayers; ++i) {
    const std::string layer = "rnn" + std::to_string(i);
    x = net.view(layer + "/flat", "reshape", net.fully_connected(layer + "/input", x, kHidden, false), flat);
    x = net.view(layer + "/steps", "reshape", net.batch_norm(layer + "/bn", x), each);
    Recurrent recurrent;
    recurrent.cell = "vanilla";
    recurrent.hidden = kHidden;
    recurrent.directions = 2;
    recurrent.input_projection = false;
    x = net.reduce(layer + "/add", "sum", {net.recurrent(layer, x, recurrent)}, each);
  }
  net.softmax("prob", net.fully_connected("letters", x, kLetters));
  return net.finish();
}

}  // namespace rooftile
