#include <gtest/gtest.h>

#include "rooftile/plan/attention_plan.hpp"
#include "rooftile/plan/test_attention.hpp"

namespace rooftile {
namespace {

// prepare_varlen_num_blocks: 16 tiles of 64 blocks on 132 SMs: 9 blocks each with the margin, so 8 splits.
TEST(AttentionSplits, SplitsOfUnknownLengthsGiveEverySmItsShareOfTheBlocks) {
  EXPECT_EQ(flash3_split(16, 132, 64, 32), 8);
  EXPECT_EQ(flash3_split(16, 132, 64, 4), 4);
  EXPECT_EQ(flash3_split(1, 132, 2, 32), 2) << "few blocks are split, too";
  EXPECT_EQ(flash3_split(1000, 132, 64, 32), 1);
  // vLLM's graphs are split where other callers' four blocks are not.
  EXPECT_EQ(plan_of(query(512, 32, 8), "", "vllm", "h100-sxm5-80gb").split, 4);
  EXPECT_EQ(plan_of(query(512, 32, 8), "", "sglang", "h100-sxm5-80gb").split, 1);
  Attention window = query(65536, 32, 8);
  window.window = 128;
  EXPECT_EQ(plan_of(window, "", "vllm", "h100-sxm5-80gb").split, 2) << "no more than blocks that the window touches";
}

// multi_block_mode was off by default until then; without it few CTAs gain nothing by XQA (mayHavePerfGain).
TEST(AttentionSplits, TensorRtLlmSplitsCachesFromRelease013On) {
  const Attention few = query(4096, 32, 8);
  const AttentionPlan before = plan_of(few, "", "TensorRT-LLM 0.11", "h100-sxm5-80gb");
  EXPECT_EQ(before.split, 1);
  EXPECT_EQ(before.kernel, AttentionKernel::vector) << "masked multi-head attention";
  const AttentionPlan after = plan_of(few, "", "TensorRT-LLM 0.13", "h100-sxm5-80gb");
  EXPECT_GT(after.split, 1);
  EXPECT_EQ(after.kernel, AttentionKernel::group) << "XQA";
  Attention many = few;
  many.batch = 64;
  EXPECT_EQ(plan_of(many, "", "TensorRT-LLM 0.11", "h100-sxm5-80gb").kernel, AttentionKernel::group);
}

TEST(AttentionSplits, SplitsKeysUntilTheSmsAreBusy) {
  EXPECT_EQ(attention_split(4, 100, 64), 22);      // 88 of 100 SMs; 25 would be the best
  EXPECT_EQ(attention_split(80, 100, 64), 1);      // busy enough
  EXPECT_EQ(attention_split(4, 100, 4), 1);        // too few keys
  EXPECT_EQ(attention_split(1, 1000, 1000), 109);  // 85 % of the most, 128
  const AttentionPlan plan = plan_of(query(65536, 8, 1), "flash_attention", "sglang", "h100-sxm5-80gb");
  EXPECT_EQ(plan.ctas, 2);
  EXPECT_EQ(plan.split, 57);  // 114 of 132 SMs
  EXPECT_EQ(plan.steps, 9);   // of 512
  EXPECT_EQ(plan.partial.value(), 8.0 * 2 * 8 * 128 * 57);
}

TEST(AttentionSplits, FlashAttention2SplitsForTwoCtasAnSm) {
  EXPECT_EQ(flash2_split(4, 100, 64), 32);   // 128 of 200 places; more than 32 leave CTAs two of 64 blocks until 64
  EXPECT_EQ(flash2_split(159, 100, 64), 5);  // four leave a fifth of the places empty
  EXPECT_EQ(flash2_split(160, 100, 64), 1);  // busy enough
  EXPECT_EQ(flash2_split(4, 100, 2), 2);     // however few
  EXPECT_EQ(flash2_split(1, 142, 128), 128);
}

TEST(AttentionSplits, FlashAttention2SplitsOnlyWhereItSwapsHeadsAndQueries) {
  EXPECT_GT(plan_of(query(65536, 8, 1), "", "", "a100-sxm4-80gb").split, 1);
  EXPECT_EQ(plan_of(query(65536, 8, 8), "", "", "a100-sxm4-80gb").split, 1);
  Attention windowed = query(65536, 8, 1);
  windowed.window = 8192;
  const AttentionPlan plan = plan_of(windowed, "", "", "a100-sxm4-80gb");
  EXPECT_EQ(plan.split, 1);
  EXPECT_EQ(plan.key_loads, 8);
  EXPECT_EQ(plan.reuse.value(), 2.0 * 2 * 8192 * 128 * 2);
}

TEST(AttentionSplits, XqaSplitsByTheLengthOfTheCacheWhateverTheWindow) {
  Attention attention = query(8192, 8, 1);
  attention.batch = 64;
  EXPECT_EQ(plan_of(attention, "torch_flow", "trtllm", "h100-sxm5-80gb").split, 16);  // 8 waves of 132
  attention.batch = 16;
  EXPECT_EQ(plan_of(attention, "torch_flow", "trtllm", "h100-sxm5-80gb").split, 23);  // the root of 8 x 64
  attention.window = 128;
  EXPECT_EQ(plan_of(attention, "torch_flow", "trtllm", "h100-sxm5-80gb").split, 23);
}

}  // namespace
}  // namespace rooftile
