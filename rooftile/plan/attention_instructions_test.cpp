#include <gtest/gtest.h>

#include "rooftile/plan/attention_plan.hpp"
#include "rooftile/plan/test_attention.hpp"

namespace rooftile {
namespace {

TEST(AttentionInstructions, MasksOfAWindowSpillWhereRegistersAreShort) {
  const auto spills = [](std::int64_t dim, std::int64_t window, DType keys) {
    Attention attention = query(4096, 32, 8);
    attention.head_dim = dim;
    attention.window = window;
    attention.kv_precision = keys;
    return plan_of(attention, "", "vllm", "h100-sxm5-80gb").spills_masks;
  };
  EXPECT_FALSE(spills(128, 128, DType::bf16));
  EXPECT_TRUE(spills(64, 128, DType::bf16));
  EXPECT_TRUE(spills(128, 128, DType::fp8));
  EXPECT_FALSE(spills(64, 0, DType::bf16));
  EXPECT_FALSE(spills(64, 8192, DType::bf16)) << "longer than the cache";
}

TEST(AttentionInstructions, BlackwellMultipliesTwoTilesInTurn) {
  const AttentionPlan plan = plan_of(prompt(1024, 4, 4), "", "", "b200-sxm-180gb", DType::fp8);
  EXPECT_TRUE(plan.overlapped);
  EXPECT_EQ(plan.tile_q, 256);
  EXPECT_EQ(plan.rate, AttentionRate::full);
  EXPECT_EQ(plan.exponentials, 16);
  EXPECT_EQ(plan_of(prompt(1024, 4, 4), "", "", "b300-sxm-288gb").exponentials, 32);
}

TEST(AttentionInstructions, OlderInstructionsDoNotReachThePeakOfLaterGpus) {
  EXPECT_EQ(plan_of(prompt(1024, 4, 4), "FlashAttention 2", "", "a100-sxm4-80gb").issued, 1);
  EXPECT_EQ(plan_of(prompt(1024, 4, 4), "FlashAttention 2", "", "h100-sxm5-80gb").issued, 0.63);
  EXPECT_EQ(plan_of(prompt(1024, 4, 4), "FlashAttention 3", "", "h100-sxm5-80gb").issued, 1);
}

TEST(AttentionInstructions, WarpsLoadOperandsBeforeHopperAndInOlderKernels) {
  const auto loads = [](const char* kernel, const char* id) {
    return plan_of(prompt(1024, 4, 4), kernel, "", id).loads_operands;
  };
  EXPECT_TRUE(loads("FlashAttention 2", "a100-sxm4-80gb"));
  EXPECT_TRUE(loads("cudnn", "rtx-5090"));
  EXPECT_TRUE(loads("FlashAttention 2", "b200-sxm-180gb"));
  EXPECT_FALSE(loads("FlashAttention 3", "h100-sxm5-80gb"));
  EXPECT_TRUE(plan_of(prompt(1024, 4, 4), "FlashAttention 3", "", "h20").asynchronous);
  EXPECT_FALSE(plan_of(prompt(1024, 4, 4), "FlashAttention 2", "", "h20").asynchronous);
  EXPECT_FALSE(plan_of(prompt(1024, 4, 4), "FlashAttention 2", "", "b200-sxm-180gb").overlapped);
  EXPECT_TRUE(plan_of(prompt(1024, 4, 4), "", "", "b200-sxm-180gb").overlapped);
}

TEST(AttentionInstructions, FusedProductsOfFp32AreThreeOfTf32) {
  const AttentionPlan plan = plan_of(prompt(1024, 4, 4), "", "PyTorch 2.4", "a100-sxm4-80gb", DType::fp32);
  EXPECT_EQ(plan.library, AttentionLibrary::xformers);
  EXPECT_EQ(plan.precision, DType::tf32);
  EXPECT_DOUBLE_EQ(plan.issued, 1.0 / 3);
  EXPECT_EQ(plan_of(prompt(1024, 4, 4), "", "PyTorch 2.4", "p100-sxm2-16gb", DType::fp32).precision, DType::fp32);
  EXPECT_EQ(plan_of(prompt(1024, 4, 4), "unfused", "", "a100-sxm4-80gb", DType::fp32).precision, DType::fp32);
}

TEST(AttentionInstructions, ServersAndTheLanesKeepTheirKernelsInFp32) {
  EXPECT_EQ(plan_of(prompt(1024, 4, 4), "xformers", "vLLM 0.6", "a100-sxm4-80gb", DType::fp32).precision, DType::tf32)
      << "unless a row names xFormers'";
  EXPECT_GT(plan_of(query(65536, 32, 8), "", "vLLM 0.6", "rtx-4090", DType::fp32).split, 1) << "its own, which split";
  EXPECT_EQ(plan_of(prompt(1024, 4, 4), "triton", "", "a100-sxm4-80gb", DType::fp32).precision, DType::fp32);
  EXPECT_FALSE(plan_of(prompt(1024, 4, 4), "", "", "v100-sxm2-16gb", DType::fp32).loads_operands);
  EXPECT_FALSE(plan_of(prompt(1024, 4, 4), "", "", "p100-sxm2-16gb", DType::fp16).loads_operands);
  EXPECT_EQ(plan_of(prompt(1024, 4, 4), "triton", "", "v100-sxm2-16gb", DType::fp32).rate, AttentionRate::full);
  EXPECT_EQ(plan_of(prompt(1024, 4, 4), "", "", "titan-xp", DType::tf32).issued, 1) << "has no such units";
}

TEST(AttentionInstructions, TritonReachesAShareOfFlashAttention3OnHopper) {
  const AttentionPlan plan = plan_of(prompt(1024, 4, 4), "triton", "", "h100-sxm5-80gb");
  EXPECT_EQ(plan.rate, AttentionRate::full);
  EXPECT_EQ(plan.issued, 0.77);
  EXPECT_FALSE(plan.loads_operands);
  EXPECT_EQ(plan_of(prompt(1024, 4, 4), "triton", "", "l40s").rate, AttentionRate::older);
}

TEST(AttentionInstructions, TensorRtLlmsFp8KernelsForWindowsSpill) {
  Attention attention = prompt(4096, 8, 1);
  const auto spills = [&](DType precision) {
    return plan_of(attention, "torch_flow", "trtllm", "h100-sxm5-80gb", precision).spills_masks;
  };
  EXPECT_FALSE(spills(DType::fp8));
  attention.window = 128;
  EXPECT_TRUE(spills(DType::fp8));
  EXPECT_FALSE(spills(DType::bf16));
  attention.q_len = attention.kv_len = 128;
  EXPECT_FALSE(spills(DType::fp8)) << "the window leaves nothing out";
}

TEST(AttentionInstructions, Fp8KeysAreMultipliedAsSuchFromHopperOn) {
  Attention attention = prompt(256, 8, 8);
  attention.kv_precision = DType::fp8;
  EXPECT_EQ(attention_precision(attention, DType::bf16, AttentionLibrary::flash2, gpu("h100-sxm5-80gb")), DType::fp8);
  EXPECT_EQ(attention_precision(attention, DType::bf16, AttentionLibrary::flash2, gpu("l40s")), DType::bf16);
  EXPECT_EQ(attention_precision(attention, DType::fp8, AttentionLibrary::flash2, gpu("l40s")), DType::fp8);
  EXPECT_EQ(attention_precision(attention, DType::fp8, AttentionLibrary::flash2, gpu("a100-sxm4-80gb")), DType::bf16);
  EXPECT_EQ(plan_of(attention, "vllm_flash_attn_fa3", "vllm", "h100-sxm5-80gb").rate, AttentionRate::promoted);
  EXPECT_EQ(plan_of(attention, "flash_attention", "sglang", "h100-sxm5-80gb").rate, AttentionRate::fp8);
  EXPECT_EQ(plan_of(attention, "torch_flow", "trtllm", "l40s").rate, AttentionRate::older);
}

}  // namespace
}  // namespace rooftile
