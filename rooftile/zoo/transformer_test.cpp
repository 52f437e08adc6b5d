#include "rooftile/zoo/transformer.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/workload/sequence.hpp"
#include "rooftile/workload/test_workload.hpp"
#include "rooftile/zoo/test_network.hpp"
#include "rooftile/zoo/zoo.hpp"

namespace rooftile {
namespace {

using testing::HasSubstr;

const Transformer& shape_of(const std::string& name) {
  for (const ZooEntry& entry : zoo()) {
    if (entry.name == name) return *entry.transformer;
  }
  throw std::out_of_range("no transformer " + name);
}

double weights(const Workload& workload) {
  double count = 0;
  for (const Tensor& tensor : workload.tensors) {
    if (tensor.constant) count += elements(tensor.shape);
  }
  return count;
}

// Of products, and of attention.
struct Macs {
  double products = 0, attention = 0;
};
Macs macs_of(const Workload& workload) {
  Macs sum;
  for (const Op& op : workload.ops) {
    if (const auto* gemm = std::get_if<Gemm>(&op.kind)) {
      sum.products += static_cast<double>(gemm->batch) * static_cast<double>(gemm->m) * static_cast<double>(gemm->n) *
                      static_cast<double>(gemm->k);
    }
    if (const auto* attention = std::get_if<Attention>(&op.kind)) sum.attention += macs(*attention);
  }
  return sum;
}

Transformer small() {
  Transformer shape;
  shape.name = "small";
  shape.layers = 2, shape.hidden = 64, shape.heads = 4, shape.vocab = 1000, shape.seq_len = 16;
  return shape;
}

TEST(Transformer, EachHasASourceAndADescription) {
  std::size_t count = 0;
  for (const ZooEntry& entry : zoo()) {
    if (!entry.transformer) continue;
    ++count;
    EXPECT_FALSE(entry.transformer->source.empty()) << entry.name;
    EXPECT_FALSE(entry.description.empty()) << entry.name;
  }
  EXPECT_GE(count, 60u);
}

// Parameters in millions. Those of safetensors files on Hugging Face are exact to what is printed, and so are those of
// llm-foundry's benchmarks (scripts/train/benchmarking/README.md); others are rounded as papers round them.
TEST(Transformer, ShallowOnesHaveALayerOfEachKind) {
  for (const ZooEntry& entry : zoo()) {
    if (!entry.transformer) continue;
    const Transformer& shape = *entry.transformer;
    if (shape.window > 0) {
      EXPECT_LE(shape.window_period, kShallowLayers) << entry.name;
    }
    if (shape.experts > 0) {
      EXPECT_LE(shape.dense_layers + shape.expert_period, kShallowLayers) << entry.name;
    }
  }
}

TEST(Transformer, Parameters) {
  struct Published {
    const char* name;
    double millions, tolerance;
  };
  for (const Published& published : std::vector<Published>{
           {"roberta_base", 124.6, 0.1},
           {"roberta_large", 355.4, 0.1},
           {"gpt2_medium", 354.8, 0.1},
           {"gpt2_xl", 1557.6, 0.1},
           {"gpt3_175b", 174600, 100},  // Brown et al., table D.1
           {"megatron_turing_530b", 530000, 1000},
           {"opt_2.7b", 2651.6, 0.1},
           {"opt_6.7b", 6658.5, 0.1},
           {"opt_13b", 12853.5, 0.1},
           {"opt_30b", 29974.5, 0.5},
           {"opt_66b", 65718, 5},
           {"opt_175b", 175000, 500},
           {"bloom_176b", 176247.3, 0.1},
           {"gpt_j_6b", 6050.9, 0.1},
           {"gpt_neox_20b", 20554.6, 0.1},
           {"llama_7b", 6738.4, 0.1},
           {"llama_13b", 13015.9, 0.1},
           {"llama_30b", 32528.9, 0.1},
           {"llama_65b", 65285.7, 0.1},
           {"distilbert_base", 66.4, 0.1},
           {"tinyllama_1.1b", 1100.0, 0.1},
           {"gemma_2b", 2506.2, 0.1},
           {"gemma_7b", 8537.7, 0.1},
           {"phi2", 2779.7, 0.1},
           {"codellama_7b", 6738.5, 0.1},
           {"codellama_34b", 33744.0, 0.1},
           {"yi_6b", 6061.0, 0.1},
           {"yi_34b", 34388.9, 0.1},
           {"mistral_large_123b", 122610.1, 0.1},
           {"llama2_7b", 6738.4, 0.1},
           {"llama2_13b", 13015.9, 0.1},
           {"llama2_70b", 68976.6, 0.1},
           {"llama3_8b", 8030.3, 0.1},
           {"llama3_70b", 70553.7, 0.1},
           {"llama3.1_405b", 405853.4, 0.1},
           {"mistral_7b", 7241.7, 0.1},
           {"qwen2.5_0.5b", 494.0, 0.1},
           {"qwen2.5_1.5b", 1543.7, 0.1},
           {"qwen2.5_3b", 3085.9, 0.1},
           {"qwen2.5_7b", 7615.6, 0.1},
           {"qwen2.5_14b", 14770.0, 0.1},
           {"qwen2.5_32b", 32763.9, 0.1},
           {"qwen2.5_72b", 72706.2, 0.1},
           {"qwen3_0.6b", 596.0, 0.1},
           {"qwen3_1.7b", 1720.6, 0.1},
           {"qwen3_4b", 4022.5, 0.1},
           {"qwen3_8b", 8190.7, 0.1},
           {"qwen3_14b", 14768.3, 0.1},
           {"qwen3_32b", 32762.1, 0.1},
           {"qwen3_30b_a3b", 30532.1, 0.1},
           {"qwen3_235b_a22b", 235093.6, 0.1},
           {"llama3.2_1b", 1235.8, 0.1},
           {"llama3.2_3b", 3212.7, 0.1},
           {"mistral_nemo_12b", 12247.8, 0.1},
           {"mistral_small_24b", 23572.4, 0.1},
           {"phi3_mini", 3821.1, 0.1},
           {"phi3_medium", 13960.2, 0.1},
           {"phi4", 14659.5, 0.1},
           {"gemma2_2b", 2614.3, 0.1},
           {"gemma2_9b", 9241.7, 0.1},
           {"gemma2_27b", 27227.1, 0.1},
           {"gemma3_1b", 999.9, 0.1},
           {"gemma3_4b", 3884, 5},  // Gemma Team, arXiv:2503.19786, table 1
           {"gemma3_12b", 11771, 10},
           {"gemma3_27b", 27016, 10},
           {"gpt_oss_20b", 20910, 30},  // OpenAI, arXiv:2508.10925, table 1
           {"gpt_oss_120b", 116830, 150},
           {"mixtral_8x7b", 46702.8, 0.1},
           {"mixtral_8x22b", 140620.6, 10},
           {"qwen2_7b", 7615.6, 0.1},
           {"qwen2_72b", 72706.2, 0.1},
           {"falcon_7b", 7217.2 - 295.5, 0.1},  // whose file has the head that is tied to the words twice
           {"falcon_40b", 41303, 10},
           {"falcon_180b", 178600, 100},
           {"t5_small", 60.5, 0.1},
           {"t5_base", 222.9, 0.1},
           {"t5_large", 737.7, 0.1},
           {"t5_3b", 2851.6, 0.1},
           {"t5_11b", 11307.3, 0.1},
           {"transformer_base", 65, 2},
           {"transformer_big", 213, 2},  // Vaswani et al., table 3
           {"deepseek_v2_lite", 15706.5, 0.5},
           {"deepseek_v2", 235741.4, 1},
           {"deepseek_v3", 671026.4, 5},
           {"nemotron_340b", 341000, 500},  // arXiv:2406.11704, table 1
           {"mpt_125m", 125.311488, 1e-9},
           {"mpt_350m", 355.985408, 1e-9},
           {"mpt_760m", 760.470528, 1e-9},
           {"mpt_1b", 1315.950592, 1e-9},
           {"mpt_3b", 2651.837440, 1e-9},
           {"mpt_7b", 6658.859008, 1e-9},
           {"mpt_13b", 12853.954560, 1e-9},
           {"mpt_30b", 29975.214080, 1e-9},
           {"mpt_70b", 64862.437376, 1e-9},
       }) {
    const Transformer& shape = shape_of(published.name);
    EXPECT_NEAR(weights(build(shape, {.seq_len = shape.seq_len})) / 1e6, published.millions, published.tolerance)
        << published.name;
  }
}

// A position's products are with every active weight but the table of words, which is only looked up. Active weights:
// Mixtral 12.9 B (arXiv:2401.04088) and 39 B (mistral.ai/news/mixtral-8x22b), DeepSeek-V2 21 B (arXiv:2405.04434), Lite
// 2.4 B (its appendix B), V3 37 B (arXiv:2412.19437), gpt-oss 3.61 B and 5.13 B without the words (arXiv:2508.10925).
TEST(Transformer, ActiveWeightsOfMixtures) {
  struct Published {
    const char* name;
    double billions, tolerance;
  };
  for (const Published& published :
       {Published{"mixtral_8x7b", 12.9, 0.1}, Published{"mixtral_8x22b", 39, 0.3}, Published{"deepseek_v2", 21, 0.7},
        Published{"deepseek_v2_lite", 2.4, 0.3}, Published{"deepseek_v3", 37, 1}, Published{"qwen3_30b_a3b", 3.3, 0.1},
        Published{"qwen3_235b_a22b", 22, 0.3}, Published{"gpt_oss_20b", 3.61 + 0.58, 0.1},
        Published{"gpt_oss_120b", 5.13 + 0.58, 0.1}}) {
    const Transformer& shape = shape_of(published.name);
    constexpr std::int64_t kPositions = 1024;
    const double macs = macs_of(build(shape, {.seq_len = kPositions})).products / kPositions;
    const double words = static_cast<double>(shape.vocab) * static_cast<double>(shape.hidden);
    EXPECT_NEAR((macs + words) / 1e9, published.billions, published.tolerance) << published.name;
  }
}

// Brown et al., table D.1: training GPT-3 on 300 billion words takes 3.14e23 operations, 6 for each weight and word; a
// third of them are the forward pass, and half of those multiplications.
TEST(Transformer, ArithmeticOfGpt3) {
  const double words = 2048;
  const Macs macs = macs_of(build(shape_of("gpt3_175b"), {.seq_len = 2048}));
  EXPECT_NEAR(macs.products / words * 6 * 300e9 / 3.14e23, 1, 0.01);
  EXPECT_DOUBLE_EQ(macs.attention, 96 * 96 * 128 * 2 * words * (words + 1) / 2);
}

// Chowdhery et al., PaLM (arXiv:2204.02311), appendix B, without its causal half: 2 N + 4 L H Q T operations a token.
TEST(Transformer, ArithmeticOfLlama) {
  const Macs macs = macs_of(build(shape_of("llama2_7b"), {.batch_size = 2, .seq_len = 512}));
  const double tokens = 2 * 512, weights_of_products = 32.0 * (4 * 4096.0 * 4096 + 3 * 4096.0 * 11008) + 32000.0 * 4096;
  EXPECT_DOUBLE_EQ(macs.products, tokens * weights_of_products);
  EXPECT_DOUBLE_EQ(macs.attention, 2.0 * 32 * 32 * 128 * 2 * 512 * 513 / 2);
}

TEST(Transformer, NamesItsOperators) {
  const auto names = op_names(build(shape_of("mixtral_8x7b"), {.seq_len = 128}));
  for (const char* name : {"layer0/attention/norm", "layer0/attention/q/rotary", "layer0/attention/attention",
                           "layer0/mlp/router", "layer0/mlp/top_k", "layer0/mlp/dispatch", "layer0/mlp/gate",
                           "layer0/mlp/silu", "layer0/mlp/gated", "layer0/mlp/combine", "lm_head"}) {
    EXPECT_THAT(names, testing::Contains(name));
  }
  const Workload mixtral = build(shape_of("mixtral_8x7b"), {.seq_len = 128});
  EXPECT_EQ(std::get<Normalize>(op_named(mixtral, "layer0/mlp/norm").kind).function, "rms");
  const auto& attention = std::get<Attention>(op_named(mixtral, "layer31/attention/attention").kind);
  EXPECT_EQ(attention.heads, 32);
  EXPECT_EQ(attention.kv_heads, 8);
  EXPECT_TRUE(attention.causal);
}

// 128 positions take 256 of 8 experts, 32 each.
TEST(Transformer, ExpertsShareThePositions) {
  const auto up = std::get<Gemm>(op_named(build(shape_of("mixtral_8x7b"), {.seq_len = 128}), "layer0/mlp/up").kind);
  EXPECT_EQ(up, (Gemm{.batch = 8, .m = 32, .n = 14336, .k = 4096}));
  const Workload one = build(shape_of("mixtral_8x7b"), {.context = 127});
  EXPECT_EQ(std::get<Gemm>(op_named(one, "layer0/mlp/up").kind), (Gemm{.batch = 2, .m = 1, .n = 14336, .k = 4096}));
  EXPECT_EQ(weights(one), weights(build(shape_of("mixtral_8x7b"), {.seq_len = 128})));  // the others rest
}

// Each of n positions picks 2 of 8 experts at random: 8 (1 - (3/4)^n) are picked by some.
TEST(Transformer, FewPositionsPickFewExperts) {
  const auto picked = [](std::int64_t positions) {
    const Workload step = build(shape_of("mixtral_8x7b"), {.batch_size = positions, .context = 127});
    return std::get<Gemm>(op_named(step, "layer0/mlp/up").kind).batch;
  };
  EXPECT_EQ(picked(1), 2);
  EXPECT_EQ(picked(2), 4);  // 3.5
  EXPECT_EQ(picked(4), 5);  // 5.47
  EXPECT_EQ(picked(64), 8);
}

// One position for each sequence, whose keys and values join those in the cache.
TEST(Transformer, DecodesOnePosition) {
  const Workload step = build(shape_of("llama2_70b"), {.batch_size = 4, .context = 1000});
  ASSERT_TRUE(validate(step)) << validate(step).error().text();
  EXPECT_EQ(step.tensors[step.inputs.front()].shape, (Shape{4, 1}));
  EXPECT_EQ(step.inputs.size(), 1u + 2 * 80);
  EXPECT_EQ(step.outputs.size(), 1u + 2 * 80);
  EXPECT_EQ(step.tensors[step.inputs[1]].shape, (Shape{4, 1001, 8, 128}));
  EXPECT_EQ(step.tensors[step.outputs[0]].shape, (Shape{4, 1, 32000}));
  const auto& attention = std::get<Attention>(op_named(step, "layer0/attention/attention").kind);
  EXPECT_EQ(attention.q_len, 1);
  EXPECT_EQ(attention.kv_len, 1001);
  EXPECT_EQ(std::get<Gemm>(op_named(step, "layer0/attention/q").kind).m, 4);
}

TEST(Transformer, EachDecoderDecodes) {
  for (const ZooEntry& entry : zoo()) {
    if (!entry.transformer || entry.transformer->form == TransformerForm::encoder) continue;
    const Workload step = build(*entry.transformer, {.batch_size = 2, .context = 100});
    const auto valid = validate(step);
    EXPECT_TRUE(valid) << entry.name << ": " << valid.error().text();
    const double all = weights(build(*entry.transformer, {.batch_size = 2, .seq_len = 64}));
    // Beside the encoder's and cross-attention's keys and values, and the bias of a small norm.
    if (entry.transformer->form == TransformerForm::decoder) {
      EXPECT_NEAR(weights(step) / all, 1, 1e-3) << entry.name;
    }
  }
}

// No older entry of the cache is read than the window has, 4096 (arXiv:2310.06825, section 2).
TEST(Transformer, AWindowBoundsTheCache) {
  const Workload step = build(shape_of("mistral_7b"), {.context = 10000});
  EXPECT_EQ(std::get<Attention>(op_named(step, "layer0/attention/attention").kind).kv_len, 4096);
}

// Decoding attends to 512 + 64 features of one head (DeepSeek-V2, section 2.1.2).
// Gemma 2 (arXiv:2408.00118, section 2): every other layer sees 4096 positions, beginning with the first.
TEST(Transformer, SomeLayersSeeAWindowAndOthersAll) {
  const Transformer& gemma = shape_of("gemma2_2b");
  const Workload prompt = build(gemma, {.seq_len = 8192}), step = build(gemma, {.context = 8191});
  for (const auto& [layer, window, held] : {std::tuple{0, 4096, 4096}, std::tuple{1, 0, 8192}}) {
    const auto name = "layer" + std::to_string(layer) + "/attention/attention";
    EXPECT_EQ(std::get<Attention>(op_named(prompt, name).kind).window, window);
    EXPECT_EQ(std::get<Attention>(op_named(step, name).kind).kv_len, held);
  }
  for (const char* name : {"layer0/attention/output/norm", "layer0/mlp/output/norm"}) {
    EXPECT_TRUE(std::holds_alternative<Normalize>(op_named(prompt, name).kind)) << name;
  }
}

// Qwen3 (arXiv:2505.09388, section 2): of the features of each head, before the rotary positions.
TEST(Transformer, NormsOfQueriesAndKeysAreOfAHead) {
  const Workload prompt = build(shape_of("qwen3_8b"), {.seq_len = 16});
  const Op& norm = op_named(prompt, "layer0/attention/q/head_norm");
  EXPECT_EQ(prompt.tensors[norm.outputs.front()].shape, (Shape{1, 16, 32, 128}));
  EXPECT_EQ(op_named(prompt, "layer0/attention/q/rotary").inputs.front(), norm.outputs.front());
  EXPECT_EQ(prompt.tensors[op_named(prompt, "layer0/attention/k/head_norm").outputs.front()].shape,
            (Shape{1, 16, 8, 128}));
}

TEST(Transformer, LatentAttentionDecodesInItsLatentSpace) {
  const Workload step = build(shape_of("deepseek_v2"), {.context = 1000});
  const auto& attention = std::get<Attention>(op_named(step, "layer0/attention/attention").kind);
  EXPECT_EQ(attention.kv_heads, 1);
  EXPECT_EQ(attention.head_dim, 576);
  EXPECT_EQ(attention.head_dim_v, 512);
  EXPECT_EQ(step.inputs.size(), 1u + 60);
}

// Both texts pass through blocks of their own, and the decoder reads the encoder.
TEST(Transformer, AnEncoderAndADecoder) {
  const Workload t5 = build(shape_of("t5_base"), {.batch_size = 2, .seq_len = 64});
  ASSERT_TRUE(validate(t5)) << validate(t5).error().text();
  EXPECT_EQ(t5.inputs.size(), 2u);
  EXPECT_EQ(std::get<Gemm>(op_named(t5, "decoder/layer0/cross/k").kind).m, 2 * 64);
  EXPECT_EQ(t5.tensors[t5.outputs[0]].shape, (Shape{2, 64, 32128}));
  const double tokens = 2 * 64, layer = 4 * 768.0 * 768 + 2 * 768.0 * 3072, cross = 4 * 768.0 * 768;
  const double scores = 36 * 12 * 2 * 64.0 * 64 * 64 * 2;
  EXPECT_DOUBLE_EQ(macs_of(t5).products, tokens * (24 * layer + 12 * cross + 768.0 * 32128) + scores);
}

// ViT-B/16 of images of 224: 196 patches, 86.6 million weights (Dosovitskiy et al., table 1: 86 M), 17.6 G
// multiply-accumulates as torchvision counts them.
TEST(Transformer, OfImages) {
  Transformer vit;
  vit.name = "vit";
  vit.form = TransformerForm::encoder;
  vit.head = TransformerHead::classes;
  vit.layers = 12, vit.hidden = 768, vit.heads = 12, vit.patch = 16;
  vit = completed(vit);
  ASSERT_TRUE(check(vit)) << check(vit).error().text();
  const Workload workload = build(vit, {.image_size = 224});
  ASSERT_TRUE(validate(workload)) << validate(workload).error().text();
  EXPECT_NEAR(weights(workload) / 1e6, 86.6, 0.1);
  const Macs macs = macs_of(workload);
  EXPECT_NEAR((macs.products + macs.attention + 196.0 * 768 * 768) / 1e9, 17.56, 0.02);
  EXPECT_FALSE(check(vit, {.image_size = 225}));
}

// Millions of parameters: timm's tables for DeiT and DINOv2 (which count a token for masks), state dictionaries of
// openai/CLIP for CLIP, whose 151,277,313 and 427,616,513 are an encoder of images, one of texts and a temperature.
// ViT-G/14: Scaling Vision Transformers, table 2, which leaves out the head and counts 965.3 GFLOPs.
TEST(Transformer, OfPublishedEncoders) {
  struct Published {
    const char* name;
    double millions, tolerance;
  };
  for (const Published& published :
       {Published{"deit_tiny", 5.72, 0.005}, Published{"deit_small", 22.05, 0.005},
        Published{"deit_base", 86.57, 0.005}, Published{"dinov2_small", 22.06, 0.005},
        Published{"dinov2_base", 86.58, 0.005}, Published{"dinov2_large", 304.37, 0.005},
        Published{"dinov2_giant", 1136.48, 0.01}, Published{"vit_g_14", 1843 + 1.665, 1},
        Published{"clip_vit_b_32_image", 87.849216, 1e-9}, Published{"clip_vit_b_text", 151.277312 - 87.849216, 1e-9},
        Published{"clip_vit_l_14_image", 303.966208, 1e-9},
        Published{"clip_vit_l_text", 427.616512 - 303.966208, 1e-9}}) {
    const Transformer& shape = shape_of(published.name);
    const Workload workload = build(shape, {.seq_len = shape.seq_len, .image_size = shape.image_size});
    ASSERT_TRUE(validate(workload)) << published.name;
    EXPECT_NEAR(weights(workload) / 1e6, published.millions, published.tolerance) << published.name;
  }
  const Macs giant = macs_of(build(shape_of("vit_g_14"), {.image_size = 224}));
  EXPECT_NEAR(2 * (giant.products + giant.attention) / 1e9, 965.3, 3);
  const Workload image = build(shape_of("clip_vit_b_32_image"), {.batch_size = 3, .image_size = 224});
  EXPECT_EQ(image.tensors[image.outputs.front()].shape, (Shape{3, 512}));
}

// Of 512 queries after 4,096 others each sees the 128 keys up to its own.
TEST(Transformer, PartsOfAPromptSeeTheirWindow) {
  const Workload part = build(shape_of("gpt_oss_20b"), {.batch_size = 1, .seq_len = 512, .context = 4096});
  ASSERT_TRUE(validate(part)) << validate(part).error().text();
  const auto& windowed = std::get<Attention>(op_named(part, "layer0/attention/attention").kind);
  EXPECT_EQ(windowed.kv_len, 128 + 511);
  EXPECT_EQ(windowed.window, 128);
  const auto& whole = std::get<Attention>(op_named(part, "layer1/attention/attention").kind);
  EXPECT_EQ(whole.kv_len, 4096 + 512);
  EXPECT_EQ(whole.window, 0);
}

TEST(Transformer, SeparateAttentionCopiesKeysForHeadsThatShareThem) {
  Transformer shape = small();
  shape.kv_heads = 2;
  shape.fused_attention = false;
  const Workload workload = build(completed(shape), {.seq_len = 16});
  ASSERT_TRUE(validate(workload)) << validate(workload).error().text();
  EXPECT_EQ(workload.tensors[op_named(workload, "layer0/attention/k/expand").outputs[0]].shape, (Shape{1, 4, 16, 16}));
}

TEST(Transformer, EveryVariantIsAWorkload) {
  for (const TransformerBlock block : {TransformerBlock::sequential, TransformerBlock::parallel_own_norms}) {
    for (const bool fused : {false, true}) {
      for (const bool qkv : {false, true}) {
        for (const std::int64_t context : {0, 9}) {
          Transformer shape = small();
          shape.block = block;
          shape.fused_attention = fused;
          shape.fused_qkv = qkv;
          shape.positions = TransformerPositions::rotary;
          shape.kv_heads = 1;
          shape.experts = 4;
          shape = completed(shape);
          ASSERT_TRUE(check(shape)) << check(shape).error().text();
          const auto valid = validate(build(shape, {.batch_size = 3, .seq_len = 16, .context = context}));
          EXPECT_TRUE(valid) << valid.error().text();
        }
      }
    }
  }
}

TEST(Transformer, RefusesWhatDoesNotFit) {
  const auto error = [](auto change) {
    Transformer shape = small();
    change(shape);
    const auto good = check(completed(shape));
    return good ? std::string("no error") : good.error().text();
  };
  EXPECT_THAT(error([](Transformer& t) { t.heads = 5; }), HasSubstr("hidden 64 cannot be shared by 5 heads"));
  EXPECT_THAT(error([](Transformer& t) { t.kv_heads = 3; }), HasSubstr("4 heads cannot share 3 kv_heads alike"));
  EXPECT_THAT(error([](Transformer& t) { t.layers = 100000; }), HasSubstr("layers 100000 is not between 1 and"));
  EXPECT_THAT(error([](Transformer& t) { t.hidden = -4; }), HasSubstr("hidden -4 is not between"));
  EXPECT_THAT(error([](Transformer& t) { t.vocab = 0; }), HasSubstr("vocab 0 is not between 1 and"));
  EXPECT_THAT(error([](Transformer& t) { t.positions = TransformerPositions::relative; }), HasSubstr("separate"));
  EXPECT_THAT(error([](Transformer& t) { t.head = TransformerHead::classes; }), HasSubstr("for images"));
  EXPECT_THAT(
      error([](Transformer& t) { t.head = TransformerHead::projection, t.form = TransformerForm::encoder_decoder; }),
      HasSubstr("head 'projection' is not of an encoder_decoder"));
  EXPECT_THAT(error([](Transformer& t) { t.experts = 4, t.experts_per_token = 5; }), HasSubstr("experts_per_token 5"));
}

TEST(Transformer, RefusesRunsThatAreTooLarge) {
  const Transformer shape = completed(small());
  EXPECT_FALSE(check(shape, {.batch_size = kMaxDimension, .seq_len = kMaxDimension}));
  EXPECT_FALSE(validate(build(shape, {.batch_size = kMaxDimension, .seq_len = kMaxDimension})));
  EXPECT_FALSE(check(shape_of("bert_base"), {.context = 5}));
}

// BERT base without its pooler, a dense layer and a score as discriminator; of the generator an eighth as many.
TEST(Transformer, ElectraIsTwoEncodersWithOneTableOfWords) {
  const Workload electra = build(shape_of("electra_base"), {.batch_size = 2, .seq_len = 128});
  ASSERT_TRUE(validate(electra));
  const double discriminator = 109.5e6, generator = 12 * (12 * 192.0 * 192), positions = 512 * 768,
               through = 2 * 768 * 192;
  EXPECT_NEAR(weights(electra) / (discriminator + generator + positions + through), 1, 2e-3);
  const auto names = op_names(electra);
  for (const char* name :
       {"layer11/attention/q", "discriminator/score", "generator/layer11/mlp/up", "generator/lm_head"})
    EXPECT_THAT(names, ::testing::Contains(name));
  Transformer wrong = shape_of("electra_base");
  wrong.generator_hidden = 100;
  EXPECT_EQ(check(wrong).error().message, "generator_hidden 100 is no multiple of head_dim 64");
}

}  // namespace
}  // namespace rooftile
