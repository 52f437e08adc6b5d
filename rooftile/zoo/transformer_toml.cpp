#include "rooftile/zoo/transformer_toml.hpp"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/toml_reader.hpp"
#include "rooftile/base/try.hpp"

namespace rooftile {
namespace {

template <class Owner>
struct NumberKey {
  std::string_view key;
  std::int64_t Owner::*field;
};
constexpr std::array kNumbers = {
    NumberKey<Transformer>{"layers", &Transformer::layers},
    NumberKey<Transformer>{"hidden", &Transformer::hidden},
    NumberKey<Transformer>{"heads", &Transformer::heads},
    NumberKey<Transformer>{"kv_heads", &Transformer::kv_heads},
    NumberKey<Transformer>{"head_dim", &Transformer::head_dim},
    NumberKey<Transformer>{"ffn", &Transformer::ffn},
    NumberKey<Transformer>{"vocab", &Transformer::vocab},
    NumberKey<Transformer>{"seq_len", &Transformer::seq_len},
    NumberKey<Transformer>{"max_positions", &Transformer::max_positions},
    NumberKey<Transformer>{"encoder_layers", &Transformer::encoder_layers},
    NumberKey<Transformer>{"window", &Transformer::window},
    NumberKey<Transformer>{"window_period", &Transformer::window_period},
    NumberKey<Transformer>{"experts", &Transformer::experts},
    NumberKey<Transformer>{"experts_per_token", &Transformer::experts_per_token},
    NumberKey<Transformer>{"expert_ffn", &Transformer::expert_ffn},
    NumberKey<Transformer>{"shared_ffn", &Transformer::shared_ffn},
    NumberKey<Transformer>{"dense_layers", &Transformer::dense_layers},
    NumberKey<Transformer>{"expert_period", &Transformer::expert_period},
    NumberKey<Transformer>{"generator_hidden", &Transformer::generator_hidden},
    NumberKey<Transformer>{"generator_layers", &Transformer::generator_layers},
    NumberKey<Transformer>{"patch", &Transformer::patch},
    NumberKey<Transformer>{"image_size", &Transformer::image_size},
    NumberKey<Transformer>{"classes", &Transformer::classes},
};
constexpr std::array kLatentNumbers = {
    NumberKey<LatentAttention>{"q_rank", &LatentAttention::q_rank},
    NumberKey<LatentAttention>{"kv_rank", &LatentAttention::kv_rank},
    NumberKey<LatentAttention>{"nope_dim", &LatentAttention::nope_dim},
    NumberKey<LatentAttention>{"rope_dim", &LatentAttention::rope_dim},
    NumberKey<LatentAttention>{"v_dim", &LatentAttention::v_dim},
};

struct FlagKey {
  std::string_view key;
  bool Transformer::*field;
};
constexpr std::array kFlags = {
    FlagKey{"gated", &Transformer::gated},
    FlagKey{"norm_first", &Transformer::norm_first},
    FlagKey{"fused_qkv", &Transformer::fused_qkv},
    FlagKey{"embedding_norm", &Transformer::embedding_norm},
    FlagKey{"tied", &Transformer::tied},
    FlagKey{"dropout", &Transformer::dropout},
    FlagKey{"qk_norm", &Transformer::qk_norm},
    FlagKey{"output_norm", &Transformer::output_norm},
    FlagKey{"layer_scale", &Transformer::layer_scale},
    FlagKey{"clamped", &Transformer::clamped},
};

struct TextKey {
  std::string_view key;
  std::string Transformer::*field;
};
constexpr std::array kTexts = {
    TextKey{"name", &Transformer::name},
    TextKey{"description", &Transformer::description},
    TextKey{"source", &Transformer::source},
};

// One of a few words; the place of the word is the value.
struct ChoiceKey {
  std::string_view key;
  std::vector<std::string> words;
  void (*set)(Transformer& shape, std::size_t which);
};

const std::vector<std::string>& activations() {
  static const std::vector<std::string> names = {"gelu", "gelu_new", "quick_gelu", "relu", "silu"};
  return names;
}

const std::vector<ChoiceKey>& choices() {
  static const std::vector<ChoiceKey> keys = {
      {"form",
       {"decoder", "encoder", "encoder_decoder"},
       [](Transformer& t, std::size_t i) { t.form = static_cast<TransformerForm>(i); }},
      {"block",
       {"sequential", "parallel", "parallel_own_norms"},
       [](Transformer& t, std::size_t i) { t.block = static_cast<TransformerBlock>(i); }},
      {"bias",
       {"all", "none", "qkv", "mlp"},
       [](Transformer& t, std::size_t i) { t.bias = static_cast<TransformerBias>(i); }},
      {"positions",
       {"learned", "rotary", "alibi", "relative", "sinusoidal"},
       [](Transformer& t, std::size_t i) { t.positions = static_cast<TransformerPositions>(i); }},
      {"head",
       {"language_model", "pooler", "classes", "projection", "none"},
       [](Transformer& t, std::size_t i) { t.head = static_cast<TransformerHead>(i); }},
      {"norm", {"layer", "rms"}, [](Transformer& t, std::size_t i) { t.rms_norm = i == 1; }},
      {"attention", {"fused", "separate"}, [](Transformer& t, std::size_t i) { t.fused_attention = i == 0; }},
      {"activation", activations(), [](Transformer& t, std::size_t i) { t.activation = activations()[i]; }},
  };
  return keys;
}

// "llama.toml" of "models/llama.toml", without its suffix.
std::string stem(std::string_view path) {
  path.remove_prefix(path.rfind('/') + 1);
  return std::string(path.substr(0, path.rfind('.')));
}

class Reader : private TomlReader {
 public:
  explicit Reader(std::string_view where) : TomlReader(where) {}

  Result<Transformer> read(const toml::table& root) {
    for (auto&& [key, node] : root) TRY(read_key(key, node));
    return std::move(shape_);
  }

 private:
  Result<void> read_key(const toml::key& key, const toml::node& node) {
    for (const auto& row : kNumbers) {
      if (row.key == key.str()) return number(node, row.key, shape_.*row.field);
    }
    for (const FlagKey& row : kFlags) {
      if (row.key != key.str()) continue;
      const auto* flag = node.as_boolean();
      if (flag == nullptr) return error(node.source(), fmt::format("{} must be true or false", row.key));
      shape_.*row.field = flag->get();
      return {};
    }
    for (const TextKey& row : kTexts) {
      if (row.key != key.str()) continue;
      auto text = TRY(words(node, row.key));
      shape_.*row.field = std::move(text);
      return {};
    }
    for (const ChoiceKey& row : choices()) {
      if (row.key != key.str()) continue;
      const auto which = TRY(choice(node, row.key, row.words));
      row.set(shape_, which);
      return {};
    }
    if (key.str() == "aliases") return read_aliases(node);
    if (key.str() == "latent") return read_latent(node);
    return unknown(key, "", known());
  }

  Result<void> read_latent_key(const toml::key& key, const toml::node& node) {
    std::vector<std::string> names;
    for (const auto& row : kLatentNumbers) {
      if (row.key == key.str()) return number(node, row.key, shape_.latent.*row.field);
      names.emplace_back(row.key);
    }
    return unknown(key, " in [latent]", names);
  }

  Result<void> read_latent(const toml::node& node) {
    const auto* table = node.as_table();
    if (table == nullptr) return error(node.source(), "'latent' must be a table: [latent]");
    for (auto&& [key, part] : *table) TRY(read_latent_key(key, part));
    if (shape_.latent.kv_rank == 0) return error(node.source(), "[latent] has no kv_rank");
    return {};
  }

  Result<void> read_aliases(const toml::node& node) {
    const auto* list = node.as_array();
    if (list == nullptr) return error(node.source(), "aliases must be a list of names");
    for (const toml::node& item : *list) {
      auto text = TRY(words(item, "an alias"));
      shape_.aliases.push_back(std::move(text));
    }
    return {};
  }

  // check() knows how large it may be.
  Result<void> number(const toml::node& node, std::string_view key, std::int64_t& value) const {
    const auto* integer = node.as_integer();
    if (integer == nullptr) return error(node.source(), fmt::format("{} must be a whole number", key));
    value = integer->get();
    if (value > 0) return {};
    return error(node.source(), fmt::format("{} {} is not a positive number", key, value));
  }

  static std::vector<std::string> known() {
    std::vector<std::string> names = {"aliases", "latent"};
    for (const auto& row : kNumbers) names.emplace_back(row.key);
    for (const FlagKey& row : kFlags) names.emplace_back(row.key);
    for (const TextKey& row : kTexts) names.emplace_back(row.key);
    for (const ChoiceKey& row : choices()) names.emplace_back(row.key);
    return names;
  }

  Transformer shape_;
};

}  // namespace

Result<Transformer> parse_transformer(std::string_view toml, std::string_view where) {
  const auto root = TRY(parse_toml(toml, where, "a transformer"));
  auto shape = TRY(Reader(where).read(root));
  for (const char* key : {"layers", "hidden", "heads"}) {
    if (!root.contains(key)) {
      return fail(ErrorCode::bad_input, fmt::format("has no {}: a transformer needs layers, hidden, heads", key),
                  std::string(where));
    }
  }
  if (shape.patch == 0) {
    for (const char* key : {"vocab", "seq_len"}) {
      if (root.contains(key)) continue;
      return fail(ErrorCode::bad_input, fmt::format("has no {}, which a network that reads a text needs", key),
                  std::string(where));
    }
  }
  if (shape.name.empty()) shape.name = one_line(stem(where));
  shape = completed(std::move(shape));
  if (auto good = check(shape); !good) return fail(ErrorCode::bad_input, good.error().message, std::string(where));
  return shape;
}

}  // namespace rooftile
