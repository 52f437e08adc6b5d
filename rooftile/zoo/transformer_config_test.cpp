#include "rooftile/zoo/transformer_config.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/zoo/zoo.hpp"

namespace rooftile {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// A file of data/transformers without what a configuration does not say.
Transformer built_in(const std::string& name) {
  for (const ZooEntry& entry : zoo()) {
    if (entry.name == name) return *entry.transformer;
  }
  throw std::out_of_range("no transformer " + name);
}

void expect_same(const std::string& json, const std::string& name) {
  const auto shape = parse_transformer_config(json, "config.json");
  ASSERT_TRUE(shape) << shape.error().text();
  Transformer wanted = built_in(name);
  wanted.name = shape->name, wanted.description = shape->description, wanted.source.clear(), wanted.aliases.clear();
  wanted.seq_len = shape->seq_len, wanted.max_positions = shape->max_positions;
  EXPECT_EQ(*shape, wanted) << name;
}

std::string config_error(const std::string& json) {
  const auto shape = parse_transformer_config(json, "c.json");
  return shape ? "no error" : shape.error().text();
}

// What the configurations of the models say that decides their geometry.
TEST(TransformerConfig, GivesTheNetworksThatAreBuiltIn) {
  expect_same(R"({"model_type": "bert", "hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12,
                  "intermediate_size": 3072, "vocab_size": 30522, "hidden_act": "gelu"})",
              "bert_base");
  expect_same(R"({"model_type": "roberta", "hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16,
                  "intermediate_size": 4096, "vocab_size": 50265, "max_position_embeddings": 514})",
              "roberta_large");
  expect_same(R"({"model_type": "gpt2", "n_embd": 1600, "n_layer": 48, "n_head": 25, "n_inner": null,
                  "n_positions": 1024, "vocab_size": 50257, "activation_function": "gelu_new"})",
              "gpt2_xl");
  expect_same(R"({"model_type": "gptj", "n_embd": 4096, "n_layer": 28, "n_head": 16, "vocab_size": 50400,
                  "tie_word_embeddings": false})",
              "gpt_j_6b");
  expect_same(R"({"model_type": "gpt_neox", "hidden_size": 6144, "num_hidden_layers": 44, "num_attention_heads": 64,
                  "intermediate_size": 24576, "vocab_size": 50432, "hidden_act": "gelu_fast"})",
              "gpt_neox_20b");
  expect_same(R"({"model_type": "opt", "hidden_size": 2048, "num_hidden_layers": 24, "num_attention_heads": 32,
                  "ffn_dim": 8192, "vocab_size": 50272, "word_embed_proj_dim": 2048})",
              "opt_13");
  expect_same(R"({"model_type": "bloom", "n_embed": 14336, "n_layer": 70, "num_attention_heads": 112,
                  "vocab_size": 250880, "seq_length": 2048})",
              "bloom_176b");
  expect_same(R"({"model_type": "falcon", "hidden_size": 4544, "num_hidden_layers": 32, "num_attention_heads": 71,
                  "vocab_size": 65024, "multi_query": true, "new_decoder_architecture": false})",
              "falcon_7b");
  expect_same(R"({"model_type": "falcon", "hidden_size": 14848, "num_hidden_layers": 80, "num_attention_heads": 232,
                  "num_kv_heads": 8, "vocab_size": 65024, "new_decoder_architecture": true})",
              "falcon_180b");
  expect_same(R"({"model_type": "llama", "hidden_size": 8192, "num_hidden_layers": 80, "num_attention_heads": 64,
                  "num_key_value_heads": 8, "intermediate_size": 28672, "vocab_size": 128256})",
              "llama3_70b");
  expect_same(R"({"model_type": "mistral", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32,
                  "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 32000,
                  "sliding_window": 4096})",
              "mistral_7b");
  expect_same(R"({"model_type": "mixtral", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32,
                  "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 32000, "sliding_window": null,
                  "num_local_experts": 8, "num_experts_per_tok": 2})",
              "mixtral_8x7b");
  expect_same(R"({"model_type": "qwen2", "hidden_size": 3584, "num_hidden_layers": 28, "num_attention_heads": 28,
                  "num_key_value_heads": 4, "intermediate_size": 18944, "vocab_size": 152064,
                  "sliding_window": 131072, "use_sliding_window": false})",
              "qwen2_7b");
  expect_same(R"({"model_type": "t5", "d_model": 1024, "d_kv": 128, "d_ff": 65536, "num_layers": 24, "num_heads": 128,
                  "vocab_size": 32128, "n_positions": 512})",
              "t5_11b");
  expect_same(R"({"model_type": "deepseek_v3", "hidden_size": 7168, "num_hidden_layers": 61, "num_attention_heads": 128,
                  "num_key_value_heads": 128, "intermediate_size": 18432, "moe_intermediate_size": 2048,
                  "n_routed_experts": 256, "n_shared_experts": 1, "num_experts_per_tok": 8, "first_k_dense_replace": 3,
                  "q_lora_rank": 1536, "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64,
                  "v_head_dim": 128, "vocab_size": 129280})",
              "deepseek_v3");
  expect_same(R"({"model_type": "qwen3", "hidden_size": 1024, "num_hidden_layers": 28, "num_attention_heads": 16,
                  "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 3072, "vocab_size": 151936,
                  "tie_word_embeddings": true, "use_sliding_window": false, "sliding_window": null})",
              "qwen3_0.6b");
  expect_same(R"({"model_type": "qwen3_moe", "hidden_size": 2048, "num_hidden_layers": 48, "num_attention_heads": 32,
                  "num_key_value_heads": 4, "head_dim": 128, "intermediate_size": 6144, "moe_intermediate_size": 768,
                  "num_experts": 128, "num_experts_per_tok": 8, "decoder_sparse_step": 1, "vocab_size": 151936,
                  "tie_word_embeddings": false})",
              "qwen3_30b_a3b");
  expect_same(R"({"model_type": "phi3", "hidden_size": 3072, "num_hidden_layers": 32, "num_attention_heads": 32,
                  "num_key_value_heads": 32, "intermediate_size": 8192, "vocab_size": 32064, "sliding_window": 2047})",
              "phi3_mini");
  expect_same(R"({"model_type": "gemma2", "hidden_size": 2304, "num_hidden_layers": 26, "num_attention_heads": 8,
                  "num_key_value_heads": 4, "head_dim": 256, "intermediate_size": 9216, "vocab_size": 256000,
                  "hidden_activation": "gelu_pytorch_tanh", "sliding_window": 4096})",
              "gemma2_2b");
  expect_same(R"({"model_type": "gemma3_text", "hidden_size": 1152, "num_hidden_layers": 26, "num_attention_heads": 4,
                  "num_key_value_heads": 1, "head_dim": 256, "intermediate_size": 6912, "vocab_size": 262144,
                  "sliding_window": 512, "sliding_window_pattern": 6})",
              "gemma3_1b");
  expect_same(R"({"model_type": "gpt_oss", "hidden_size": 2880, "num_hidden_layers": 24, "num_attention_heads": 64,
                  "num_key_value_heads": 8, "head_dim": 64, "intermediate_size": 2880, "num_local_experts": 32,
                  "num_experts_per_tok": 4, "vocab_size": 201088, "sliding_window": 128, "attention_bias": true})",
              "gpt_oss_20b");
}

TEST(TransformerConfig, OfTypesWithoutANetworkThatIsBuiltIn) {
  const auto shape_of = [](const std::string& json) { return parse_transformer_config(json, "config.json").value(); };
  const Transformer distilled = shape_of(
      R"({"model_type": "distilbert", "dim": 768, "n_layers": 6, "n_heads": 12, "hidden_dim": 3072,
          "vocab_size": 30522, "activation": "gelu"})");
  EXPECT_EQ(distilled.ffn, 3072);
  EXPECT_EQ(distilled.head, TransformerHead::none);
  const Transformer coder = shape_of(
      R"({"model_type": "starcoder2", "hidden_size": 3072, "num_hidden_layers": 30, "num_attention_heads": 24,
          "num_key_value_heads": 2, "intermediate_size": 12288, "vocab_size": 49152, "use_bias": true})");
  EXPECT_FALSE(coder.rms_norm || coder.gated);
  EXPECT_EQ(coder.kv_heads, 2);
  const Transformer mixture = shape_of(
      R"({"model_type": "qwen2_moe", "hidden_size": 2048, "num_hidden_layers": 24, "num_attention_heads": 16,
          "num_key_value_heads": 16, "intermediate_size": 5632, "moe_intermediate_size": 1408, "num_experts": 60,
          "num_experts_per_tok": 4, "shared_expert_intermediate_size": 5632, "vocab_size": 151936})");
  EXPECT_EQ(mixture.experts, 60);
  EXPECT_EQ(mixture.shared_ffn, 5632);
}

TEST(TransformerConfig, OfImages) {
  const auto vit = parse_transformer_config(
      R"({"model_type": "vit", "hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12,
          "intermediate_size": 3072, "image_size": 384, "patch_size": 16, "_name_or_path": "google/vit"})",
      "config.json");
  ASSERT_TRUE(vit) << vit.error().text();
  EXPECT_EQ(vit->name, "google/vit");
  EXPECT_EQ(vit->image_size, 384);
  EXPECT_EQ(vit->classes, 1000);
  EXPECT_TRUE(validate(build(*vit, {.image_size = 384})));
}

TEST(TransformerConfig, ALongContextIsNoPrompt) {
  const auto llama = parse_transformer_config(
      R"({"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
          "max_position_embeddings": 131072, "vocab_size": 100})",
      "config.json");
  ASSERT_TRUE(llama) << llama.error().text();
  EXPECT_EQ(llama->seq_len, 4096);
}

TEST(TransformerConfig, SaysWhatIsWrongAndWhere) {
  EXPECT_THAT(config_error(R"({"model_type": "lama"})"),
              StartsWith("c.json: model_type: 'lama' is not one of bert, bloom"));
  EXPECT_THAT(config_error(R"({"model_type": "lama"})"), HasSubstr("did you mean 'llama'?"));
  EXPECT_THAT(config_error(R"({"model_type": 3})"), HasSubstr("model_type: must be a string"));
  EXPECT_EQ(config_error(R"({"model_type": "gpt2"})"), "c.json: 'num_hidden_layers' is missing");
  const auto llama = [](const std::string& more) {
    return config_error(R"({"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2, "vocab_size": 100, )" +
                        more + "}");
  };
  EXPECT_THAT(llama(R"("num_attention_heads": -4)"), HasSubstr("num_attention_heads: -4 is not between 1 and"));
  EXPECT_THAT(llama(R"("num_attention_heads": 4.5)"), HasSubstr("a whole number is needed"));
  EXPECT_THAT(llama(R"("num_attention_heads": "four")"), HasSubstr("a whole number is needed, not a string"));
  EXPECT_THAT(llama(R"("num_attention_heads": NaN)"), StartsWith("c.json:1:"));
  EXPECT_THAT(llama(R"("num_attention_heads": 1e999)"), StartsWith("c.json:1:"));
  EXPECT_THAT(llama(R"("num_attention_heads": 99999999999999999999)"), HasSubstr("num_attention_heads"));
  EXPECT_THAT(llama(R"("num_attention_heads": 5)"), HasSubstr("hidden 64 cannot be shared by 5 heads"));
  EXPECT_THAT(llama(R"("num_attention_heads": 4, "hidden_act": "gelo")"), HasSubstr("did you mean 'gelu'?"));
  EXPECT_THAT(llama(R"("num_attention_heads": {"a": [1]})"), HasSubstr("a whole number is needed, not an object"));
  EXPECT_THAT(config_error("[]"), HasSubstr("an object is needed"));
  EXPECT_THAT(config_error(std::string(100, '[')), StartsWith("c.json"));
  EXPECT_THAT(
      config_error(R"({"model_type": "opt", "hidden_size": 1024, "num_hidden_layers": 2, "num_attention_heads": 4,
                           "vocab_size": 100, "word_embed_proj_dim": 512})"),
      HasSubstr("word_embed_proj_dim: words of another width"));
}

TEST(TransformerConfig, IsToldFromAWorkload) {
  EXPECT_TRUE(is_transformer_config(R"({"model_type": "gpt2"})"));
  EXPECT_FALSE(is_transformer_config(R"({"schema": "rooftile/workload/1", "name": "\"model_type\""})"));
}

}  // namespace
}  // namespace rooftile
