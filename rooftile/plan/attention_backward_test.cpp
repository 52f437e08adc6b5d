#include "rooftile/plan/attention_backward.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "rooftile/plan/test_attention.hpp"

namespace rooftile {
namespace {

Attention training(std::int64_t tokens, std::int64_t heads, std::int64_t kv_heads) {
  Attention attention = prompt(tokens, heads, kv_heads);
  attention.causal = false;
  return attention;
}

AttentionPlan backward_of(const Attention& attention, const char* id, DType precision = DType::bf16) {
  const Gpu on = *find_gpu(id);
  return attention_backward_plan(attention, precision, attention_call("", "", precision, on), on);
}

TEST(AttentionBackward, CtasOwnKeysAndGoOverTheQueries) {
  const AttentionPlan plan = backward_of(training(1024, 4, 4), "b200-sxm-180gb");
  EXPECT_EQ(plan.ctas, 2 * 4 * 8);
  EXPECT_DOUBLE_EQ(plan.steps, 8);
  EXPECT_EQ(plan.pair_macs, 5 * 128);
  EXPECT_EQ(plan.kernels, 3);
}

TEST(AttentionBackward, ValuesMayHaveOtherDimensions) {
  Attention attention = training(1024, 4, 4);
  attention.head_dim = 192;
  attention.head_dim_v = 128;
  EXPECT_EQ(backward_of(attention, "b200-sxm-180gb").pair_macs, 3 * 192 + 2 * 128);
}

TEST(AttentionBackward, KeysAreSeenByLaterQueriesOnly) {
  Attention attention = training(1024, 4, 4);
  attention.causal = true;
  const AttentionPlan plan = backward_of(attention, "b200-sxm-180gb");
  EXPECT_DOUBLE_EQ(plan.steps, 4.5);  // 8, 7, … 1
  EXPECT_EQ(plan.most_steps, 8);
}

TEST(AttentionBackward, AWindowEndsTheQueriesThatSeeAKey) {
  Attention attention = training(1024, 4, 4);
  attention.causal = true;
  attention.window = 128;
  // Keys 0 to 127 are seen by queries 0 to 254: two tiles; the last ones by their own.
  EXPECT_DOUBLE_EQ(backward_of(attention, "b200-sxm-180gb").steps, 15.0 / 8);
  // But cuDNN's FP8 kernel goes over all later ones.
  EXPECT_DOUBLE_EQ(backward_of(attention, "b200-sxm-180gb", DType::fp8).steps, 4.5);
}

TEST(AttentionBackward, GroupsAddUpTheGradientsOfTheirKeys) {
  const AttentionPlan alone = backward_of(training(1024, 8, 8), "h100-sxm5-80gb");
  const AttentionPlan grouped = backward_of(training(1024, 8, 2), "h100-sxm5-80gb");
  EXPECT_EQ(grouped.kernels, alone.kernels + 1);
  EXPECT_EQ(grouped.results.value(), alone.results.value());  // one a head
  EXPECT_EQ((grouped.around - alone.around).value(), alone.results.value() * (1 + 2.0 / 8));
  EXPECT_EQ(grouped.keys.value(), alone.keys.value() / 4);
}

TEST(AttentionBackward, EveryStepAddsToTheGradientsOfItsQueries) {
  const AttentionPlan plan = backward_of(training(1024, 4, 4), "b200-sxm-180gb");
  EXPECT_EQ(plan.sums.value(), 4.0 * 2 * 4 * 1024 * 128);
  EXPECT_EQ(plan.added.value(), 8 * plan.sums.value());
}

TEST(AttentionBackward, SumsHaveAnOrderWhereTheyMust) {
  Attention attention = training(1024, 4, 4);
  EXPECT_FALSE(backward_of(attention, "b200-sxm-180gb").ordered);
  attention.deterministic = true;
  EXPECT_TRUE(backward_of(attention, "b200-sxm-180gb").ordered);
  EXPECT_FALSE(backward_of(attention, "b200-sxm-180gb", DType::fp8).ordered);
}

TEST(AttentionBackward, TilesAreThoseThatTheSharedMemoryHolds) {
  EXPECT_EQ(backward_of(training(1024, 4, 4), "a100-sxm4-80gb").tile_kv, 128);
  EXPECT_EQ(backward_of(training(1024, 4, 4), "l40s").tile_kv, 64);
  EXPECT_EQ(backward_of(training(1024, 4, 4), "h100-sxm5-80gb").tile_q, 80);
}

TEST(AttentionBackward, UnfusedKernelsMoveEveryPair) {
  Attention attention = training(1024, 4, 4);
  attention.causal = true;
  const Gpu a100 = *find_gpu("a100-sxm4-80gb");
  const AttentionCall call = attention_call("PyTorch unfused", "", DType::bf16, a100);
  const AttentionPlan plan = attention_backward_plan(attention, DType::bf16, call, a100);
  EXPECT_EQ(plan.around.value(), 2.0 * (7 + 2) * 2 * 4 * 1024 * 1024);
  EXPECT_DOUBLE_EQ(plan.steps, 1024 / plan.tile_q);  // masked pairs too
}

TEST(AttentionBackward, StepsCoverThePairs) {
  EXPECT_TRUE(rc::check([] {
    Attention attention;
    attention.batch = *rc::gen::inRange(1, 100);
    attention.kv_len = *rc::gen::inRange(1, 20000);
    attention.q_len = *rc::gen::inRange<std::int64_t>(1, attention.kv_len + 1);
    attention.heads = attention.kv_heads = *rc::gen::inRange(1, 9);
    attention.head_dim = *rc::gen::element(64, 128, 192, 256);
    attention.window = *rc::gen::element(0, 1, 128, 4096);
    attention.causal = *rc::gen::arbitrary<bool>();
    const char* id = *rc::gen::element("a100-sxm4-80gb", "h100-sxm5-80gb", "l40s", "b200-sxm-180gb", "v100-sxm2-16gb");
    const AttentionPlan plan = backward_of(attention, id);
    RC_ASSERT(plan.most_steps >= plan.steps * (1 - 1e-12));
    RC_ASSERT(plan.steps >= 1 - 1e-12);  // a mean
    RC_ASSERT(plan.most_steps <= std::ceil(static_cast<double>(attention.q_len) / plan.tile_q) + 1);
    RC_ASSERT(plan.reloads >= Bytes(0));
  }));
}

}  // namespace
}  // namespace rooftile
