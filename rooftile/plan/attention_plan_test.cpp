#include "rooftile/plan/attention_plan.hpp"

#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "rooftile/plan/test_attention.hpp"

namespace rooftile {
namespace {

TEST(AttentionPlan, CallsThatOnlyReadTheCacheWriteNothing) {
  for (const char* id : {"a100-sxm4-80gb", "b200-sxm-180gb"}) {
    const AttentionPlan writes = plan_of(query(4096, 32, 8), "vllm_flash_attn", "vllm", id);
    const AttentionPlan reads = plan_of(query(4096, 32, 8), "vllm_flash_attn_readonly", "vllm", id);
    EXPECT_GT(writes.around, Bytes(0)) << id;
    const Bytes copies = reads.copied ? 2 * (reads.queries + reads.results) : Bytes(0);
    EXPECT_EQ(reads.around, copies) << id;
    EXPECT_EQ(reads.token_ctas, 0) << id;
    EXPECT_EQ(reads.kernels, writes.kernels - 1) << id;
    EXPECT_TRUE(reads.warm) << id;
  }
}

// A group of heads that has all keys lies in memory as queries would: nothing is copied.
TEST(AttentionPlan, FlashAttention2CopiesQueriesOnlyOfSeveralGroups) {
  const AttentionPlan one = plan_of(query(4096, 32, 1), "vllm_flash_attn_fa2", "vllm", "l40s");
  const AttentionPlan several = plan_of(query(4096, 32, 8), "vllm_flash_attn_fa2", "vllm", "l40s");
  const AttentionPlan none = plan_of(query(4096, 32, 32), "vllm_flash_attn_fa2", "vllm", "l40s");
  EXPECT_GT(several.kernels, one.kernels + 1);
  EXPECT_LT(one.kernels, none.kernels + 1);
  EXPECT_EQ((several.around - one.around).value(),
            2.0 * 2 * 7 * 128 * (2 + 2) + 2 * (several.queries + several.results).value())
      << "seven groups more of new keys and values, and both copies";
  Attention text = query(4096, 32, 8);
  text.batch = 1;
  EXPECT_EQ(plan_of(text, "vllm_flash_attn_fa2", "vllm", "l40s").kernels, one.kernels)
      << "one text's heads lie so, too";
  const AttentionPlan first = plan_of(prompt(1, 32, 8), "vllm_flash_attn_fa2", "vllm", "l40s");
  EXPECT_EQ(first.kernels, several.kernels) << "a prompt of one token as well";
}

TEST(AttentionPlan, UnfusedProductsLeaveNothingOut) {
  const AttentionPlan plan = plan_of(prompt(1024, 4, 4), "PyTorch unfused", "", "a100-sxm4-80gb");
  EXPECT_DOUBLE_EQ(plan.steps, 8);
  EXPECT_EQ(plan.around.value(), 2.0 * (4 + 2) * 2 * 4 * 1024 * 1024);
}

TEST(AttentionPlan, ValuesMayHaveOtherDimensions) {
  Attention attention = prompt(256, 4, 4);
  attention.head_dim = 192;
  attention.head_dim_v = 128;
  const AttentionPlan plan = plan_of(attention, "", "", "h100-sxm5-80gb");
  EXPECT_EQ(plan.pair_macs, 192 + 128);
  EXPECT_EQ(plan.results.value() / plan.queries.value(), 128.0 / 192);
  EXPECT_EQ(plan.keys.value(), 2.0 * 2 * 256 * 4 * (192 + 128));
}

TEST(AttentionPlan, WithoutCausalityEveryQuerySeesEveryKey) {
  Attention attention = prompt(256, 4, 4);
  attention.causal = false;
  const AttentionPlan plan = plan_of(attention, "", "", "h100-sxm5-80gb");
  EXPECT_DOUBLE_EQ(plan.steps, 2);
  EXPECT_DOUBLE_EQ(plan.most_steps, 2);
}

TEST(AttentionPlan, AWindowSkipsKeysInWholeSteps) {
  Attention attention = prompt(512, 4, 4);
  attention.window = 128;
  // Queries 0 to 127 see keys 0 to 127; those from 128 on see from key 1 on, and so on: 1, 2, 2, 2 steps of 128.
  const AttentionPlan plan = plan_of(attention, "torch_flow", "trtllm", "h100-sxm5-80gb");
  EXPECT_DOUBLE_EQ(plan.steps, 7.0 / 4);
  EXPECT_EQ(plan.keys.value(), 2.0 * 2 * 4 * 512 * 128 * 2);  // all are seen by some query
}

// The last 128 of 256 keys are one block; other kernels load a key more, and with it a block.
TEST(AttentionPlan, FlashAttention2LoadsNoKeyBeyondAWindow) {
  Attention attention = query(256, 8, 8);
  attention.window = 128;
  const AttentionPlan plan = plan_of(attention, "vllm_flash_attn_fa2", "vllm", "l40s");
  EXPECT_EQ(plan.tile_kv, 128);
  EXPECT_EQ(plan.steps, 1);
  attention.kv_len = 257;
  EXPECT_EQ(plan_of(attention, "vllm_flash_attn_fa2", "vllm", "l40s").steps, 2);
}

TEST(AttentionPlan, AWindowBoundsWhatASingleQueryLoads) {
  Attention attention = query(4096, 8, 8);
  const double whole = plan_of(attention, "", "", "h100-sxm5-80gb").keys.value();
  EXPECT_EQ(whole, 2.0 * 2 * 8 * 4096 * 128 * 2);
  attention.window = 1024;
  EXPECT_EQ(plan_of(attention, "", "", "h100-sxm5-80gb").keys.value(), whole / 4);
}

// 512 queries in 4 tiles of 128, which see 128 to 512 keys: 1,280 keys and values of 128 numbers, of 2 x 8 heads.
TEST(AttentionPlan, EveryTileOfAPromptStreamsTheKeysItSees) {
  const AttentionPlan plan = plan_of(prompt(512, 8, 8), "", "", "a100-sxm4-80gb");
  EXPECT_EQ(plan.tile_q, 128);
  EXPECT_EQ(plan.streamed.value(), 2.0 * 8 * 1280 * 2 * 128 * 2);
  EXPECT_EQ(plan.streamed_again(), plan.streamed - plan.keys);
  EXPECT_EQ(plan_of(query(512, 8, 8), "", "", "a100-sxm4-80gb").streamed_again(), Bytes(0));
}

TEST(AttentionPlan, Fp8KeysAreHalfTheBytes) {
  Attention attention = query(4096, 8, 8);
  const double bf16 = plan_of(attention, "", "", "l40s").keys.value();
  attention.kv_precision = DType::fp8;
  EXPECT_EQ(plan_of(attention, "", "", "l40s").keys.value(), bf16 / 2);
}

TEST(AttentionPlan, ServingFrameworksWriteTheirCache) {
  const Attention attention = prompt(256, 4, 2);
  const double query_bytes = 2.0 * 256 * 4 * 128 * 2, key_bytes = 2.0 * 2 * 256 * 2 * 128 * 2;
  EXPECT_EQ(plan_of(attention, "", "", "h100-sxm5-80gb").around.value(), 0);
  EXPECT_EQ(plan_of(attention, "", "sglang", "h100-sxm5-80gb").around.value(), 2 * key_bytes);
  EXPECT_EQ(plan_of(attention, "", "trtllm", "h100-sxm5-80gb").around.value(), 2 * key_bytes + 2 * query_bytes);
  // 512 tokens, each 2 x 128 threads of what an SM holds.
  EXPECT_DOUBLE_EQ(plan_of(attention, "", "sglang", "h100-sxm5-80gb").token_ctas, 512 * 256.0 / 2048);
  EXPECT_DOUBLE_EQ(plan_of(attention, "", "sglang", "l40s").token_ctas, 512 * 256.0 / 1536);
}

TEST(AttentionPlan, LongPromptsAreCountedAsShortOnes) {
  // Beyond 4096 tiles some stand for all: half of the keys are seen, on average.
  const AttentionPlan plan = plan_of(prompt(1 << 22, 1, 1), "", "", "h100-sxm5-80gb");
  EXPECT_NEAR(plan.steps / plan.most_steps, 0.5, 0.001);
}

TEST(AttentionPlan, StepsCoverThePairs) {
  EXPECT_TRUE(rc::check([] {
    Attention attention;
    attention.batch = *rc::gen::inRange(1, 100);
    attention.kv_len = *rc::gen::inRange(1, 20000);
    attention.q_len = *rc::gen::element<std::int64_t>(1, 2, attention.kv_len);
    RC_PRE(attention.q_len <= attention.kv_len);
    attention.kv_heads = *rc::gen::inRange(1, 9);
    attention.heads = attention.kv_heads * *rc::gen::inRange(1, 20);
    attention.head_dim = *rc::gen::element(64, 128, 192, 256);
    attention.window = *rc::gen::element(0, 1, 128, 4096);
    attention.causal = true;
    const char* id = *rc::gen::element("a100-sxm4-80gb", "h100-sxm5-80gb", "l40s", "b200-sxm-180gb", "v100-sxm2-16gb");
    const char* kernel = *rc::gen::element("fa2", "fa3", "flashinfer", "triton", "");
    const char* framework = *rc::gen::element("vllm", "sglang", "trtllm", "");
    const AttentionPlan plan = plan_of(attention, kernel, framework, id);
    const double last =
        static_cast<double>(attention.window > 0 ? std::min(attention.window, attention.kv_len) : attention.kv_len);
    RC_ASSERT(plan.most_steps * plan.split * plan.tile_kv >= last * (1 - 1e-12));
    RC_ASSERT(plan.most_steps >= plan.steps);
    RC_ASSERT(plan.ctas >= 1);
    RC_ASSERT(plan.padded_dim >= plan.head_dim);
  }));
}

}  // namespace
}  // namespace rooftile
