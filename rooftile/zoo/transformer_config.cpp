#include "rooftile/zoo/transformer_config.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/json_fields.hpp"
#include "rooftile/base/nearest.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/strict_json.hpp"
#include "rooftile/base/try.hpp"

namespace rooftile {
namespace {

using nlohmann::json;

constexpr std::size_t kLargestConfig = 1 << 20;
constexpr std::int64_t kLongestPrompt = 4096;  // of a network that would take a longer one
constexpr Range kSizes = {1, kMaxDimension};

// A key by any of the names that it had over the years; null is as if it were not there.
class Config {
 public:
  explicit Config(const json& document) : document_(document) {}

  const json* find(std::initializer_list<const char*> keys) const {
    for (const char* key : keys) {
      const auto found = document_.find(key);
      if (found != document_.end() && !found->is_null()) return &*found;
    }
    return nullptr;
  }
  std::int64_t number(std::initializer_list<const char*> keys, std::int64_t otherwise) const {
    const json* value = find(keys);
    return value != nullptr ? as_integer(*value, *keys.begin(), kSizes) : otherwise;
  }
  std::int64_t number(std::initializer_list<const char*> keys) const {
    if (find(keys) == nullptr) reject("", fmt::format("'{}' is missing", *keys.begin()));
    return number(keys, 0);
  }
  bool flag(const char* key, bool otherwise) const {
    const json* value = find({key});
    if (value == nullptr) return otherwise;
    if (!value->is_boolean()) reject(key, "true or false is needed");
    return value->get<bool>();
  }
  std::string text(std::initializer_list<const char*> keys, const char* otherwise) const {
    const json* value = find(keys);
    return value != nullptr ? as_text(*value, *keys.begin()) : otherwise;
  }

  // The names that most types share.
  Transformer sizes() const {
    Transformer shape;
    shape.layers = number({"num_hidden_layers", "n_layer", "n_layers", "num_layers"});
    shape.hidden = number({"hidden_size", "n_embd", "n_embed", "d_model", "dim"});
    shape.heads = number({"num_attention_heads", "n_head", "n_heads", "num_heads"});
    shape.head_dim = number({"head_dim", "d_kv"}, 0);
    shape.ffn = number({"intermediate_size", "ffn_dim", "n_inner", "d_ff", "hidden_dim"}, 0);
    return shape;
  }
  void add_text(Transformer& shape, std::int64_t positions) const {
    shape.vocab = number({"vocab_size"});
    shape.max_positions = number({"max_position_embeddings", "n_positions", "seq_length"}, positions);
    shape.seq_len = std::min(shape.max_positions, kLongestPrompt);
  }
  void add_activation(Transformer& shape, const char* otherwise) const {
    struct Known {
      const char* theirs;
      const char* ours;
    };
    constexpr std::array<Known, 11> kKnown = {{{"gelu", "gelu"},
                                               {"gelu_new", "gelu_new"},
                                               {"gelu_fast", "gelu_new"},
                                               {"gelu_pytorch_tanh", "gelu"},
                                               {"gelu_python", "gelu"},
                                               {"gelu_10", "gelu"},
                                               {"quick_gelu", "gelu"},
                                               {"relu", "relu"},
                                               {"relu2", "relu"},
                                               {"silu", "silu"},
                                               {"swish", "silu"}}};
    const std::initializer_list<const char*> keys = {"hidden_act", "hidden_activation", "activation_function",
                                                     "activation"};
    const std::string name = text(keys, otherwise);
    std::vector<std::string> names;
    for (const Known& known : kKnown) {
      names.emplace_back(known.theirs);
      if (name != known.theirs) continue;
      shape.activation = known.ours;
      return;
    }
    reject_choice("hidden_act", name, names);
  }

 private:
  const json& document_;
};

// A decoder with rotary positions, whose heads may share keys and values.
Transformer rotary(const Config& config, std::int64_t positions, const char* activation) {
  Transformer shape = config.sizes();
  config.add_text(shape, positions);
  config.add_activation(shape, activation);
  shape.kv_heads = config.number({"num_key_value_heads"}, 0);
  shape.positions = TransformerPositions::rotary;
  return shape;
}

Transformer llama(const Config& config) {
  Transformer shape = rotary(config, 2048, "silu");
  shape.rms_norm = shape.gated = true;
  shape.tied = config.flag("tie_word_embeddings", false);
  const bool bias = config.flag("attention_bias", false), mlp = config.flag("mlp_bias", false);
  shape.bias = bias ? TransformerBias::qkv : (mlp ? TransformerBias::mlp : TransformerBias::none);
  return shape;
}

Transformer mistral(const Config& config) {
  Transformer shape = llama(config);
  shape.window = config.number({"sliding_window"}, 0);
  return shape;
}

Transformer mixtral(const Config& config) {
  Transformer shape = mistral(config);
  shape.experts = config.number({"num_local_experts"});
  shape.experts_per_token = config.number({"num_experts_per_tok"}, 2);
  return shape;
}

Transformer qwen2(const Config& config) {
  Transformer shape = llama(config);
  if (config.flag("use_sliding_window", false)) shape.window = config.number({"sliding_window"}, 0);
  shape.bias = TransformerBias::qkv;
  return shape;
}

// Whose experts are narrower than the MLPs of layers without any. Experts that all positions share are Qwen2's alone.
Transformer qwen_mixture(const Config& config, Transformer shape) {
  shape.experts = config.number({"num_experts"});
  shape.experts_per_token = config.number({"num_experts_per_tok"}, 8);
  shape.expert_ffn = config.number({"moe_intermediate_size"}, 0);
  shape.shared_ffn = config.number({"shared_expert_intermediate_size"}, 0);
  shape.expert_period = config.number({"decoder_sparse_step"}, 1);
  return shape;
}

Transformer qwen2_moe(const Config& config) { return qwen_mixture(config, qwen2(config)); }

Transformer qwen3(const Config& config) {
  Transformer shape = llama(config);
  if (config.flag("use_sliding_window", false)) shape.window = config.number({"sliding_window"}, 0);
  shape.qk_norm = true;
  return shape;
}

Transformer qwen3_moe(const Config& config) { return qwen_mixture(config, qwen3(config)); }

Transformer phi3(const Config& config) {
  Transformer shape = mistral(config);
  shape.fused_qkv = true;
  return shape;
}

Transformer gemma(const Config& config) {
  Transformer shape = rotary(config, 8192, "gelu_pytorch_tanh");
  shape.rms_norm = shape.gated = true;
  shape.tied = config.flag("tie_word_embeddings", true);
  shape.bias = TransformerBias::none;
  return shape;
}

Transformer gemma2(const Config& config) {
  Transformer shape = gemma(config);
  shape.output_norm = true;
  shape.window = config.number({"sliding_window"}, 4096);
  shape.window_period = config.number({"sliding_window_pattern", "_sliding_window_pattern"}, 2);
  return shape;
}

Transformer gemma3(const Config& config) {
  Transformer shape = gemma2(config);
  shape.qk_norm = true;
  shape.window_period = config.number({"sliding_window_pattern", "_sliding_window_pattern"}, 6);
  return shape;
}

Transformer gpt_oss(const Config& config) {
  Transformer shape = mixtral(config);
  shape.experts_per_token = config.number({"num_experts_per_tok", "experts_per_token"}, 4);
  shape.bias = TransformerBias::all;
  shape.clamped = true;  // swiglu_limit
  if (shape.window > 0) shape.window_period = 2;
  return shape;
}

Transformer starcoder2(const Config& config) {
  Transformer shape = rotary(config, 4096, "gelu_pytorch_tanh");
  shape.window = config.number({"sliding_window"}, 0);
  shape.bias = config.flag("use_bias", true) ? TransformerBias::all : TransformerBias::none;
  shape.tied = config.flag("tie_word_embeddings", true);
  return shape;
}

Transformer deepseek(const Config& config) {
  Transformer shape = llama(config);
  shape.kv_heads = 0;
  shape.head_dim = 0;
  shape.latent.q_rank = config.number({"q_lora_rank"}, 0);
  shape.latent.kv_rank = config.number({"kv_lora_rank"});
  shape.latent.nope_dim = config.number({"qk_nope_head_dim"});
  shape.latent.rope_dim = config.number({"qk_rope_head_dim"});
  shape.latent.v_dim = config.number({"v_head_dim"});
  shape.experts = config.number({"n_routed_experts"}, 0);
  shape.experts_per_token = config.number({"num_experts_per_tok"}, 2);
  shape.expert_ffn = config.number({"moe_intermediate_size"}, 0);
  if (config.find({"n_shared_experts"}) != nullptr) {
    shape.shared_ffn = config.number({"n_shared_experts"}) * std::min(shape.expert_ffn, kMostFeatures);
  }
  // May be 0, unlike sizes.
  if (const json* dense = config.find({"first_k_dense_replace"})) {
    shape.dense_layers = as_integer(*dense, "first_k_dense_replace", {0, kMaxDimension});
  }
  return shape;
}

// With the operators that GPT-2, OPT and their like have apart.
Transformer apart(Transformer shape) {
  shape.fused_attention = false;
  shape.dropout = true;
  return shape;
}

Transformer gpt2(const Config& config) {
  Transformer shape = apart(config.sizes());
  config.add_text(shape, 1024);
  config.add_activation(shape, "gelu_new");
  shape.fused_qkv = true;
  return shape;
}

Transformer gptj(const Config& config) {
  Transformer shape = config.sizes();
  config.add_text(shape, 2048);
  config.add_activation(shape, "gelu_new");
  shape.fused_attention = false;
  shape.block = TransformerBlock::parallel;
  shape.positions = TransformerPositions::rotary;
  shape.bias = TransformerBias::mlp;
  shape.tied = config.flag("tie_word_embeddings", false);
  return shape;
}

Transformer gpt_neox(const Config& config) {
  Transformer shape = config.sizes();
  config.add_text(shape, 2048);
  config.add_activation(shape, "gelu");
  if (config.flag("use_parallel_residual", true)) shape.block = TransformerBlock::parallel_own_norms;
  shape.positions = TransformerPositions::rotary;
  shape.fused_qkv = true;
  shape.tied = config.flag("tie_word_embeddings", false);
  return shape;
}

Transformer opt(const Config& config) {
  Transformer shape = apart(config.sizes());
  config.add_text(shape, 2048);
  config.add_activation(shape, "relu");
  if (config.number({"word_embed_proj_dim"}, shape.hidden) != shape.hidden) {
    reject("word_embed_proj_dim", "words of another width than hidden_size are not supported", ErrorCode::unsupported);
  }
  shape.norm_first = config.flag("do_layer_norm_before", true);
  return shape;
}

Transformer bloom(const Config& config) {
  Transformer shape = config.sizes();
  config.add_text(shape, 2048);
  shape.positions = TransformerPositions::alibi;
  shape.embedding_norm = shape.fused_qkv = true;
  shape.fused_attention = false;
  return shape;
}

Transformer falcon(const Config& config) {
  Transformer shape = config.sizes();
  config.add_text(shape, 2048);
  const bool two_norms = config.flag("new_decoder_architecture", false);
  shape.kv_heads = config.flag("multi_query", true) && !two_norms ? 1 : 0;
  if (two_norms) shape.kv_heads = config.number({"num_kv_heads", "n_head_kv"}, 0);
  if (two_norms) {
    shape.block = TransformerBlock::parallel_own_norms;
  } else if (config.flag("parallel_attn", true)) {
    shape.block = TransformerBlock::parallel;
  }
  shape.positions = config.flag("alibi", false) ? TransformerPositions::alibi : TransformerPositions::rotary;
  shape.bias = config.flag("bias", false) ? TransformerBias::all : TransformerBias::none;
  shape.fused_qkv = true;
  return shape;
}

Transformer bert(const Config& config) {
  Transformer shape = apart(config.sizes());
  config.add_text(shape, 512);
  config.add_activation(shape, "gelu");
  shape.form = TransformerForm::encoder;
  shape.head = TransformerHead::pooler;
  shape.norm_first = false;
  shape.embedding_norm = true;
  return shape;
}

Transformer distilbert(const Config& config) {
  Transformer shape = bert(config);
  shape.head = TransformerHead::none;
  return shape;
}

// Whose table of positions begins with two that stand for padding.
Transformer roberta(const Config& config) {
  Transformer shape = bert(config);
  if (shape.seq_len > 2) shape.seq_len -= 2;
  return shape;
}

Transformer t5(const Config& config) {
  Transformer shape = apart(config.sizes());
  config.add_text(shape, 512);
  shape.form = TransformerForm::encoder_decoder;
  shape.encoder_layers = config.number({"num_layers"});
  shape.layers = config.number({"num_decoder_layers"}, shape.encoder_layers);
  shape.positions = TransformerPositions::relative;
  shape.bias = TransformerBias::none;
  shape.rms_norm = true;
  const std::string mlp = config.text({"feed_forward_proj"}, "relu");
  const std::vector<std::string> known = {"relu", "gated-gelu", "gated-silu"};
  if (std::find(known.begin(), known.end(), mlp) == known.end()) reject_choice("feed_forward_proj", mlp, known);
  shape.gated = mlp != "relu";
  shape.activation = mlp == "relu" ? "relu" : (mlp == "gated-gelu" ? "gelu_new" : "silu");
  shape.tied = config.flag("tie_word_embeddings", true);
  return shape;
}

Transformer vit(const Config& config) {
  Transformer shape = config.sizes();
  config.add_activation(shape, "gelu");
  shape.form = TransformerForm::encoder;
  shape.head = TransformerHead::classes;
  shape.patch = config.number({"patch_size"}, 16);
  shape.image_size = config.number({"image_size"}, 224);
  if (const json* labels = config.find({"id2label"}); labels != nullptr && labels->is_object() && !labels->empty()) {
    shape.classes = static_cast<std::int64_t>(labels->size());
  }
  return shape;
}

struct ModelType {
  const char* name;
  Transformer (*read)(const Config& config);
};
constexpr std::array kModelTypes = {
    ModelType{"bert", bert},
    ModelType{"bloom", bloom},
    ModelType{"camembert", roberta},
    ModelType{"deepseek_v2", deepseek},
    ModelType{"deepseek_v3", deepseek},
    ModelType{"distilbert", distilbert},
    ModelType{"falcon", falcon},
    ModelType{"gemma", gemma},
    ModelType{"gemma2", gemma2},
    ModelType{"gemma3_text", gemma3},
    ModelType{"gpt2", gpt2},
    ModelType{"gpt_neox", gpt_neox},
    ModelType{"gpt_oss", gpt_oss},
    ModelType{"gptj", gptj},
    ModelType{"granite", llama},
    ModelType{"llama", llama},
    ModelType{"mistral", mistral},
    ModelType{"mixtral", mixtral},
    ModelType{"opt", opt},
    ModelType{"phi3", phi3},
    ModelType{"qwen2", qwen2},
    ModelType{"qwen2_moe", qwen2_moe},
    ModelType{"qwen3", qwen3},
    ModelType{"qwen3_moe", qwen3_moe},
    ModelType{"roberta", roberta},
    ModelType{"starcoder2", starcoder2},
    ModelType{"t5", t5},
    ModelType{"vit", vit},
    ModelType{"xlm-roberta", roberta},
};

Transformer read(const json& document) {
  if (!document.is_object()) reject("", "an object is needed");
  const Config config(document);
  const std::string type = config.text({"model_type"}, "");
  std::vector<std::string> names;
  for (const ModelType& known : kModelTypes) {
    names.emplace_back(known.name);
    if (type != known.name) continue;
    Transformer shape = known.read(config);
    shape.name = config.text({"_name_or_path"}, "");
    if (shape.name.empty()) shape.name = type;
    shape.description = "configuration of Hugging Face, " + type;
    shape = completed(std::move(shape));
    or_reject(check(shape), "");
    return shape;
  }
  reject_choice("model_type", type, names);
}

}  // namespace

bool is_transformer_config(std::string_view json) {
  return json.size() <= kLargestConfig && json.find("\"model_type\"") != std::string_view::npos &&
         json.find("\"rooftile/workload/") == std::string_view::npos;
}

Result<Transformer> parse_transformer_config(std::string_view text, std::string_view where) {
  if (text.size() > kLargestConfig) {
    return fail(ErrorCode::bad_input, "larger than 1 MiB: not a configuration", std::string(where));
  }
  const auto document = TRY(parse_strict_json(text, where));
  try {
    return read(document);
  } catch (const Error& error) {
    const std::string at = error.where.empty() ? std::string(where) : fmt::format("{}: {}", where, error.where);
    return fail(error.code, one_line(error.message, 500), one_line(at, 500));
  }
}

}  // namespace rooftile
