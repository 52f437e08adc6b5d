#include "rooftile/zoo/transformer_toml.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/zoo/embedded.hpp"

namespace rooftile {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const std::string kSmall = "layers = 2\nhidden = 64\nheads = 4\nvocab = 1000\nseq_len = 16\n";

std::string toml_error(const std::string& toml) {
  const auto shape = parse_transformer(toml, "my.toml");
  return shape ? "no error" : shape.error().text();
}

TEST(TransformerToml, EveryEmbeddedFileIsRead) {
  for (const EmbeddedText& file : embedded_transformers()) {
    const auto shape = parse_transformer(file.text, file.path);
    ASSERT_TRUE(shape) << shape.error().text();
    EXPECT_EQ(shape->name + ".toml", file.path);
  }
}

TEST(TransformerToml, FillsInTheRest) {
  const auto shape = parse_transformer(kSmall, "nets/my.toml");
  ASSERT_TRUE(shape) << shape.error().text();
  EXPECT_EQ(shape->name, "my");
  EXPECT_EQ(shape->ffn, 256);
  EXPECT_EQ(shape->kv_heads, 4);
  EXPECT_EQ(shape->head_dim, 16);
  EXPECT_EQ(shape->max_positions, 16);
  EXPECT_TRUE(shape->fused_attention && shape->tied && shape->norm_first);
}

TEST(TransformerToml, ReadsEveryKey) {
  const auto shape = parse_transformer(
      "name = 'other'\nform = 'encoder_decoder'\npositions = 'relative'\nnorm = 'rms'\nbias = 'none'\n"
      "activation = 'silu'\ngated = true\nattention = 'separate'\nencoder_layers = 3\ntied = false\n"
      "aliases = ['one', 'another']\n" +
          kSmall,
      "my.toml");
  ASSERT_TRUE(shape) << shape.error().text();
  EXPECT_EQ(shape->name, "other");
  EXPECT_EQ(shape->form, TransformerForm::encoder_decoder);
  EXPECT_EQ(shape->bias, TransformerBias::none);
  EXPECT_TRUE(shape->rms_norm && shape->gated && !shape->tied && !shape->fused_attention);
  EXPECT_EQ(shape->encoder_layers, 3);
  EXPECT_THAT(shape->aliases, testing::ElementsAre("one", "another"));
}

TEST(TransformerToml, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(toml_error("hiden = 64\n"), "my.toml:1:1: unknown key 'hiden'; did you mean 'hidden'?");
  EXPECT_EQ(toml_error("hidden = 64\n"), "my.toml: has no layers: a transformer needs layers, hidden, heads");
  EXPECT_EQ(toml_error("layers = 2\nhidden = 64\nheads = 4\n"),
            "my.toml: has no vocab, which a network that reads a text needs");
  EXPECT_EQ(toml_error("layers = 2.5\n"), "my.toml:1:10: layers must be a whole number");
  EXPECT_EQ(toml_error("layers = nan\n"), "my.toml:1:10: layers must be a whole number");
  EXPECT_EQ(toml_error("layers = -1\n"), "my.toml:1:10: layers -1 is not a positive number");
  EXPECT_EQ(toml_error("layers = 9223372036854775807\nhidden = 64\nheads = 4\nvocab = 9\nseq_len = 2\n"),
            "my.toml: layers 9223372036854775807 is not between 1 and 1024");
  EXPECT_THAT(toml_error("hidden = 9223372036854775807\nlayers = 4\nheads = 4\nvocab = 9\nseq_len = 2\n"),
              HasSubstr("hidden 9223372036854775807 is not between"));
  EXPECT_THAT(toml_error("layers = 99999999999999999999\n"), StartsWith("my.toml:1:"));
  EXPECT_THAT(toml_error("activation = 'gelo'\n"),
              HasSubstr("unknown activation 'gelo'; known: gelu, gelu_new, quick_gelu, relu, silu"));
  EXPECT_THAT(toml_error("gated = 1\n"), HasSubstr("gated must be true or false"));
  EXPECT_THAT(toml_error("layers = {}\n"), HasSubstr("layers must be a whole number"));
  EXPECT_THAT(toml_error("latent = 3\n"), HasSubstr("'latent' must be a table"));
  EXPECT_THAT(toml_error("[latent]\nkv_rnk = 3\n"),
              HasSubstr("unknown key 'kv_rnk' in [latent]; did you mean 'kv_rank'?"));
  EXPECT_THAT(toml_error("[latent]\nq_rank = 3\n"), HasSubstr("[latent] has no kv_rank"));
  EXPECT_THAT(toml_error(kSmall + "[latent]\nkv_rank = 3\n"), HasSubstr("latent.nope_dim 0 is not between"));
  EXPECT_THAT(toml_error("aliases = 3\n"), HasSubstr("aliases must be a list of names"));
  EXPECT_THAT(toml_error("[|x]"), StartsWith("my.toml:1:"));
  EXPECT_THAT(toml_error(std::string(100000, '[')), HasSubstr("deep"));
}

}  // namespace
}  // namespace rooftile
