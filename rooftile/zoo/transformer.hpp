// The geometry of a transformer: what a file of data/transformers, a configuration of Hugging Face or a row of a table
// says of one, and the workload that it means.
//
//     Transformer small;
//     small.name = "small";
//     small.layers = 2, small.hidden = 128, small.heads = 4, small.vocab = 1000, small.seq_len = 64;
//     const Workload prompt = build(completed(small), {.batch_size = 8, .seq_len = 64});
//     assert(validate(prompt));
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {

enum class TransformerForm {
  decoder,          // each position sees those before it
  encoder,          // each position sees all
  encoder_decoder,  // a decoder that also reads what an encoder made of another text
};
enum class TransformerBlock {
  sequential,          // attention, then the MLP
  parallel,            // both from one norm of the same input
  parallel_own_norms,  // both from the same input, each with a norm
};
enum class TransformerBias { all, none, qkv, mlp };  // which products add one
enum class TransformerPositions {
  learned,     // a table of max_positions
  rotary,      // queries and keys are turned
  alibi,       // added to the scores with the mask
  relative,    // the same, from a table of distances (T5); scores are not scaled
  sinusoidal,  // added to the words, not learned
};
enum class TransformerHead {
  language_model,  // scores of all words at each position
  pooler,          // BERT's: hidden x hidden and tanh of the first position
  classes,         // scores of classes from the first position
  projection,      // `classes` features from one position, without bias (CLIP)
  none,
};

// Multi-head latent attention (DeepSeek-V2, arXiv:2405.04434, section 2.1): queries, and keys and values, by way of a
// narrow vector, which is all that a cache holds.
struct LatentAttention {
  std::int64_t q_rank = 0;  // 0: queries directly from the hidden state
  std::int64_t kv_rank = 0;
  std::int64_t nope_dim = 0, rope_dim = 0;  // of a head's query and key: without and with positions
  std::int64_t v_dim = 0;

  bool operator==(const LatentAttention&) const = default;
};

// Zero stands for the default in the comment, which completed() fills in.
struct Transformer {
  std::string name;
  std::string description;
  std::string source;
  std::vector<std::string> aliases;  // other names of the same network

  std::int64_t layers = 0, hidden = 0, heads = 0;
  std::int64_t kv_heads = 0;        // heads
  std::int64_t head_dim = 0;        // hidden / heads
  std::int64_t ffn = 0;             // 4 x hidden: width of the MLP
  std::int64_t vocab = 0;           // none with images
  std::int64_t seq_len = 0;         // positions of a text unless others are asked for
  std::int64_t max_positions = 0;   // seq_len: of the table of learned positions
  std::int64_t encoder_layers = 0;  // layers, of the encoder of an encoder_decoder
  std::int64_t window = 0;          // how many positions back a position sees; 0: all
  std::int64_t window_period = 1;   // of so many layers the last sees all positions; 1: none does

  TransformerForm form = TransformerForm::decoder;
  TransformerBlock block = TransformerBlock::sequential;
  TransformerBias bias = TransformerBias::all;
  TransformerPositions positions = TransformerPositions::learned;
  TransformerHead head = TransformerHead::language_model;
  // relu, gelu, gelu_new (eight element-wise kernels), quick_gelu (three), silu
  std::string activation = "gelu";
  bool gated = false;           // the MLP multiplies the activation with a third product (GLU)
  bool rms_norm = false;        // else layer normalisation
  bool norm_first = true;       // before attention and MLP, and once after all blocks; else after the residuals
  bool embedding_norm = false;  // of patches, which then have no bias (CLIP)
  bool qk_norm = false;         // of the features of each head, in queries and keys (Qwen3)
  bool clamped = false;         // what the MLP's activation and product take is (gpt-oss)
  bool output_norm = false;     // of what attention and MLP give, before it is added (Gemma 2)
  bool layer_scale = false;     // what attention and MLP give is multiplied by a number of each feature (DINOv2)
  bool fused_qkv = false;       // one product for queries, keys and values
  bool fused_attention = true;  // one kernel; else two products with scale, mask and softmax between them
  bool fused_softmax = false;   // where attention is not: with scale and mask in one kernel
  bool tied = true;             // the head reads the table of words
  bool dropout = false;         // in training

  std::int64_t experts = 0;            // of each MLP; 0: no mixture
  std::int64_t experts_per_token = 2;  // that a router picks
  std::int64_t expert_ffn = 0;         // ffn
  std::int64_t shared_ffn = 0;         // of an MLP beside the experts that all positions take
  std::int64_t dense_layers = 0;       // first layers without experts
  std::int64_t routed_apart = 1;       // GPUs with the same positions, of which each takes its part to the experts
  std::int64_t routed_together = 1;    // GPUs with other positions, whose picks come to the same experts
  std::int64_t expert_period = 1;      // every such layer has experts, counted from the end of a period

  // ELECTRA: a narrower encoder beside this one, which proposes words for those that are masked.
  std::int64_t generator_hidden = 0;  // 0: none; as many features a head as here
  std::int64_t generator_layers = 0;  // layers

  LatentAttention latent;  // used if kv_rank is not 0

  std::int64_t patch = 0;       // of images, which are then the input
  std::int64_t image_size = 0;  // 224
  std::int64_t classes = 0;     // 1000

  bool operator==(const Transformer&) const = default;
};

// What speaks against so many positions: more than a table of learned ones has is an error, more than the network was
// made for a note; empty where nothing does.
Result<std::string> check_positions(const Transformer& shape, std::int64_t positions);

// "bert_base: 513 positions are more than the 512 of its table".
tl::unexpected<Error> beyond_table(const std::string& network, std::int64_t positions, std::int64_t most);

// Limits that leave room above any network that was ever trained and keep every product exact.
constexpr std::int64_t kMostLayers = 1024;
constexpr std::int64_t kMostHeads = 1 << 14;
constexpr std::int64_t kMostFeatures = 1 << 22;  // hidden, ffn, vocab and their like

// What layers of one network may differ in.
struct TransformerLayer {
  bool experts = false;     // whether its MLP is a mixture
  std::int64_t window = 0;  // as in Transformer

  bool operator==(const TransformerLayer&) const = default;
};
TransformerLayer layer_of(const Transformer& shape, std::int64_t layer);

// With every default filled in. Errors come from check().
Transformer completed(Transformer shape);

// Dimensions in range, heads that fit hidden and each other, parts that go together. The error names the key.
Result<void> check(const Transformer& shape);

struct TransformerRun {
  std::int64_t batch_size = 1;
  std::int64_t seq_len = 1;  // positions that go through the network
  // Positions of the text before these, in the cache; 0: none, and no cache. Of a decoder.
  std::int64_t context = 0;
  std::int64_t image_size = 224;
};

// Whether the run is one of that network, and no tensor of it too large.
Result<void> check(const Transformer& shape, const TransformerRun& run);

// Of a shape that passed check(). The result still needs validate(), which refuses it if the run did not pass.
Workload build(const Transformer& shape, const TransformerRun& run);

}  // namespace rooftile
