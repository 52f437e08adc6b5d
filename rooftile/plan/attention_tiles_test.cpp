#include <gtest/gtest.h>

#include "rooftile/plan/attention_plan.hpp"
#include "rooftile/plan/attention_shape.hpp"
#include "rooftile/plan/test_attention.hpp"

namespace rooftile {
namespace {

// DeepSeek-V3's 128 heads share latent vectors of 576 numbers, of which the values are the first 512.
TEST(AttentionTiles, HeadsThatShareLatentVectorsAreRowsOfATile) {
  Attention latent = query(1536, 128, 1);
  latent.batch = 128, latent.head_dim = 576, latent.head_dim_v = 512;
  for (const char* framework : {"vLLM 0.20", "TensorRT-LLM 1.2", "sglang"}) {
    const AttentionPlan plan = plan_of(latent, "", framework, "h200-sxm-141gb");
    EXPECT_EQ(plan.tile_q, 64) << framework;
    EXPECT_EQ(plan.packed, 128);
    EXPECT_EQ(plan.ctas, 256) << "two tiles of heads for each text";
    EXPECT_EQ(plan.ctas * plan.split, 264) << "which 132 SMs share evenly";
    EXPECT_EQ(plan.keys, Bytes(128.0 * 1536 * 576 * 2)) << "values are not read again";
  }
  EXPECT_EQ(plan_of(latent, "", "TensorRT-LLM 1.2", "b200-sxm-180gb").tile_q, 128);
}

TEST(AttentionTiles, TensorRtTakesAHeadOfAShortTextAtOnce) {
  Attention attention = prompt(384, 12, 12);
  attention.head_dim = 64;
  attention.causal = false;
  const auto ctas = [&](const char* framework) { return plan_of(attention, "", framework, "a100-sxm4-80gb").ctas; };
  const double heads = 12. * 2;
  EXPECT_EQ(ctas("TensorRT 8.6"), heads);
  EXPECT_GT(ctas("TensorRT-LLM 0.9"), heads);
  EXPECT_GT(ctas("FasterTransformer"), heads);
  EXPECT_EQ(ctas("AITemplate CUDA 11.6"), heads);
  attention.q_len = attention.kv_len = 512;
  EXPECT_GT(ctas("TensorRT 8.6"), heads);
  EXPECT_GT(ctas("AITemplate CUDA 11.6"), heads);
  attention.batch = 3;
  EXPECT_EQ(ctas("AITemplate CUDA 11.6"), 12. * 3);
}

TEST(AttentionTiles, KernelsForBlackwellStackTheHeadsOfAGroupAndSplitTheirKeys) {
  const AttentionPlan few = plan_of(query(8192, 32, 8), "", "vllm", "b200-sxm-180gb");
  EXPECT_EQ(few.kernel, AttentionKernel::stacked);
  EXPECT_EQ(few.packed, 4);
  EXPECT_EQ(few.ctas, 16) << "of two sequences and 8 groups";
  EXPECT_GT(few.split, 4);
  EXPECT_TRUE(few.merged);
  EXPECT_FALSE(few.waits) << "keys of 16 bits stream in ahead";
  Attention narrow = query(8192, 32, 8);
  narrow.kv_precision = DType::fp8;
  EXPECT_TRUE(plan_of(narrow, "", "vllm", "b200-sxm-180gb").waits) << "FP8 values are transposed on the way";
  EXPECT_EQ(plan_of(prompt(1, 32, 8), "", "vllm", "b200-sxm-180gb").kernel, AttentionKernel::stacked);
  const AttentionPlan tokens = plan_of(prompt(2048, 32, 8), "", "vllm", "b200-sxm-180gb");
  EXPECT_EQ(tokens.tile_q, 256);
  EXPECT_EQ(tokens.ctas, 2 * 32 * 8) << "each head alone";
}

// Tiles of tile_size_fwd_sm90 with paged_kv_non_TMA.
TEST(AttentionTiles, FlashAttention3GathersPagedKeysOfSingleQueriesOnHopper) {
  const AttentionPlan plan = plan_of(query(4096, 32, 8), "vllm_flash_attn_fa3", "vllm", "h100-sxm5-80gb");
  EXPECT_EQ(plan.kernel, AttentionKernel::paged);
  EXPECT_EQ(plan.tile_q, 128);
  EXPECT_EQ(plan.tile_kv, 128);
  EXPECT_FALSE(plan.transposed);
  EXPECT_EQ(plan.scans, 1) << "both lengths at once";
  Attention narrow = query(4096, 32, 8);
  narrow.kv_precision = DType::fp8;
  narrow.batch = 32;
  const AttentionPlan fp8 = plan_of(narrow, "flash_attention", "sglang", "h100-sxm5-80gb");
  EXPECT_EQ(fp8.tile_kv, 160);
  EXPECT_TRUE(fp8.transposed);
  EXPECT_EQ(fp8.scans, 2) << "31 lengths, and the last";
  EXPECT_EQ(plan_of(query(4096, 32, 8), "", "", "h100-sxm5-80gb").kernel, AttentionKernel::tile) << "without pages";
  EXPECT_EQ(plan_of(query(4096, 32, 8), "", "sglang", "a100-sxm4-80gb").kernel, AttentionKernel::tile);
  EXPECT_EQ(plan_of(prompt(4096, 32, 8), "", "vllm", "h100-sxm5-80gb").kernel, AttentionKernel::tile);
}

// Its kernel for pages and split keys (run_mha_fwd_splitkv_dispatch).
TEST(AttentionTiles, FlashAttention2HasFewRowsAndManyKeysInATileOfPages) {
  const auto tile = [](std::int64_t dim) {
    Attention attention = query(4096, 32, 8);
    attention.head_dim = dim;
    const AttentionPlan plan = plan_of(attention, "vllm_flash_attn_fa2", "vllm", "l40s");
    EXPECT_TRUE(plan.split_tile);
    EXPECT_EQ(plan.tile_q, 64);
    return plan.tile_kv;
  };
  EXPECT_EQ(tile(64), 256);
  EXPECT_EQ(tile(128), 128);
  EXPECT_EQ(tile(192), 64);
  EXPECT_FALSE(plan_of(query(4096, 32, 8), "flash_attention", "sglang", "l40s").split_tile);
  const AttentionPlan few = plan_of(prompt(96, 4, 4), "vllm_flash_attn_fa2", "vllm", "l40s");
  EXPECT_EQ(few.steps, 1) << "a prompt skips whole tiles of keys alone";
}

// 164 KB hold two CTAs of 128 dimensions, 100 KB hold one.
TEST(AttentionTiles, FlashAttention2HasAnSmToItselfWhereItsMemoryHoldsNoOther) {
  const auto lone = [](const char* id, std::int64_t dim) {
    Attention attention = prompt(2048, 32, 8);
    attention.head_dim = dim;
    return plan_of(attention, "vllm_flash_attn_fa2", "vllm", id).lone;
  };
  EXPECT_FALSE(lone("a100-sxm4-80gb", 128));
  EXPECT_TRUE(lone("a100-sxm4-80gb", 256));
  EXPECT_TRUE(lone("l40s", 128));
}

TEST(AttentionTiles, KernelsAreMadeForAFewDimensions) {
  EXPECT_EQ(kernel_dim(AttentionLibrary::flash1, 40), 64);
  EXPECT_EQ(kernel_dim(AttentionLibrary::flash1, 80), 128);
  EXPECT_EQ(kernel_dim(AttentionLibrary::flash2, 80), 96);
  EXPECT_EQ(kernel_dim(AttentionLibrary::flash3, 32), 64);
  EXPECT_EQ(kernel_dim(AttentionLibrary::flash2, 512), 512) << "more than any";
  EXPECT_EQ(kernel_dim(AttentionLibrary::cudnn, 40), 40);
  for (const AttentionLibrary library :
       {AttentionLibrary::flash1, AttentionLibrary::flash2, AttentionLibrary::flash3}) {
    EXPECT_EQ(kernel_dim(library, 64), 64);
    EXPECT_EQ(kernel_dim(library, 128), 128);
  }
}

TEST(AttentionTiles, OnlyFlashAttention2CopiesHeadsAndHasTilesOfSplits) {
  const auto copied = [](const char* kernel, const char* id) {
    const AttentionPlan plan = plan_of(query(4096, 32, 8), kernel, "", id);
    EXPECT_EQ(plan.copied, plan.split_tile) << kernel;
    return plan.copied;
  };
  EXPECT_TRUE(copied("fa2", "a100-sxm4-80gb"));
  EXPECT_FALSE(copied("fa3", "h100-sxm5-80gb"));
  EXPECT_FALSE(copied("fa3", "a100-sxm4-80gb"));
}

// Eight queries are a tile like nine.
TEST(AttentionTiles, XformersHasNoKernelForFewQueries) {
  const auto plan = [](std::int64_t queries) {
    Attention attention = prompt(65536, 32, 8);
    attention.q_len = queries;
    return plan_of(attention, "xformers", "", "t4", DType::fp16);
  };
  EXPECT_FALSE(plan(8).decode);
  EXPECT_EQ(plan(8).steps, plan(9).steps);
  EXPECT_EQ(plan(8).ctas, plan(9).ctas);
}

// 64 keys a step, or 128; sums as wide as a step has keys.
TEST(AttentionTiles, XformersPadsHeadsToItsTiles) {
  Attention attention = prompt(4096, 16, 16);
  attention.head_dim = 40;
  const AttentionPlan narrow = plan_of(attention, "", "PyTorch 2.1", "v100-sxm2-16gb", DType::fp16);
  EXPECT_EQ(narrow.tile_q, 64);
  EXPECT_EQ(narrow.pair_macs, 64 + 64);
  EXPECT_TRUE(narrow.shares_scores);
  attention.head_dim = 80;
  const AttentionPlan wide = plan_of(attention, "", "PyTorch 2.1", "v100-sxm2-16gb", DType::fp16);
  EXPECT_EQ(wide.tile_kv, 128);
  EXPECT_EQ(wide.pair_macs, 96 + 128);
  EXPECT_EQ(wide.resident, 3);
  EXPECT_FALSE(plan_of(attention, "", "PyTorch 2.1", "v100-sxm2-16gb", DType::fp32).shares_scores) << "on the lanes";
  EXPECT_FALSE(plan_of(attention, "xformers", "", "a100-sxm4-80gb").shares_scores);
}

TEST(AttentionTiles, StacksTheHeadsOfAGroupAsRows) {
  // 4 heads of 256 queries are 8 tiles of 128 rows or 32 queries; those see 32, 64, … 256 keys, in steps of 128.
  const AttentionPlan plan = plan_of(prompt(256, 4, 1), "vllm_flash_attn_fa3", "vllm", "h100-sxm5-80gb");
  EXPECT_EQ(plan.packed, 4);
  EXPECT_EQ(plan.ctas, 2 * 8);
  EXPECT_DOUBLE_EQ(plan.steps, 4.5 * 32 / 128);
  EXPECT_DOUBLE_EQ(plan.most_steps, 2);
  EXPECT_EQ(plan.split, 1);
}

TEST(AttentionTiles, EachHeadAloneInFlashAttention2) {
  const AttentionPlan plan = plan_of(prompt(256, 4, 1), "vllm_flash_attn_fa2", "vllm", "l40s");
  EXPECT_EQ(plan.packed, 1);
  EXPECT_EQ(plan.ctas, 2 * 4 * 4);  // tiles of 64 queries
}

// fmhaRunner.cpp and setup.py of TensorRT-LLM's fmha_v2.
TEST(AttentionTiles, TensorRtLlmsKernelsPadHeadsOfPrompts) {
  Attention attention = prompt(4096, 8, 1);
  const auto padded = [&](std::int64_t dim, const char* id, DType precision = DType::bf16) {
    attention.head_dim = dim;
    return plan_of(attention, "torch_flow", "trtllm", id, precision).padded_dim;
  };
  EXPECT_EQ(padded(192, "h100-sxm5-80gb"), 192) << "whole rows of 128 bytes";
  EXPECT_EQ(padded(192, "h100-sxm5-80gb", DType::fp8), 256);
  EXPECT_EQ(padded(80, "h100-sxm5-80gb"), 128);
  EXPECT_EQ(padded(64, "h100-sxm5-80gb", DType::fp8), 64) << "no more than the next power of two";
  EXPECT_EQ(padded(192, "l40s"), 256);
  EXPECT_EQ(padded(80, "l40s"), 80);
}

TEST(AttentionTiles, TensorRtLlmGoesOverLongHeadsInPartsButNotOnAda) {
  Attention attention = prompt(4096, 8, 1);
  const auto keys = [&](std::int64_t dim, const char* id, DType precision = DType::bf16) {
    attention.head_dim = dim;
    const AttentionPlan plan = plan_of(attention, "torch_flow", "trtllm", id, precision);
    EXPECT_EQ(plan.lone, plan.tile_kv == 16) << id;
    return plan.tile_kv;
  };
  EXPECT_EQ(keys(192, "l40s"), 16);
  EXPECT_EQ(keys(192, "rtx-5090"), 16);
  EXPECT_EQ(keys(256, "l40s"), 32);
  EXPECT_EQ(keys(128, "l40s"), 32);
  EXPECT_EQ(keys(192, "l40s", DType::fp8), 32);
  EXPECT_EQ(keys(192, "a100-sxm4-80gb"), 32);
}

TEST(AttentionTiles, TensorRtLlmPacksOnlyWhatFillsAQuarterOfTheSms) {
  const Attention few = query(64, 32, 4);  // 2 x 4 CTAs
  EXPECT_EQ(plan_of(few, "torch_flow", "trtllm", "h100-sxm5-80gb").kernel, AttentionKernel::vector);
  EXPECT_EQ(plan_of(query(1024, 32, 4), "torch_flow", "trtllm", "h100-sxm5-80gb").kernel, AttentionKernel::group);
}

TEST(AttentionTiles, TensorRtLlmPacksUpTo32Heads) {
  const AttentionPlan packed = plan_of(query(4096, 32, 1), "torch_flow", "trtllm", "h100-sxm5-80gb");
  EXPECT_EQ(packed.kernel, AttentionKernel::group);
  EXPECT_EQ(packed.ctas, 2);
  EXPECT_EQ(packed.key_loads, 1);
  const AttentionPlan alone = plan_of(query(1024, 64, 1), "torch_flow", "trtllm", "h100-sxm5-80gb");
  EXPECT_EQ(alone.kernel, AttentionKernel::vector);
  EXPECT_EQ(alone.ctas, 2 * 64);
  EXPECT_EQ(alone.key_loads, 64);
}

}  // namespace
}  // namespace rooftile
