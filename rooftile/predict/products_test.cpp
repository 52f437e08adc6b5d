// Products on tensor cores by precision.
#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/predict/predict.hpp"

namespace rooftile {
namespace {

double product_seconds(const char* gpu, DType precision, bool in_network = false) {
  const Gemm gemm{.m = 8192, .n = 8192, .k = 8192};
  return estimate(gemm, find_gpu(gpu).value(), {.precision = precision, .in_network = in_network}).time.value();
}

// Multipliers of 8 bits in place of 11: of torch.mm's 10,240 an H100 PCIe does 450 TFLOP/s in FP16 and 472 in BF16.
TEST(Products, TakeLessPowerInBf16) {
  const auto fp16_to_bf16 = [](const char* gpu) {
    return product_seconds(gpu, DType::fp16, true) / product_seconds(gpu, DType::bf16, true);
  };
  for (const char* capped : {"l4", "h100-pcie-80gb"}) EXPECT_NEAR(fp16_to_bf16(capped), 1.078, 0.02) << capped;
  EXPECT_GT(fp16_to_bf16("a100-pcie-40gb"), 1.03) << "whose tensor cores limit BF16 as well";
  EXPECT_DOUBLE_EQ(product_seconds("rtx-3090", DType::fp16, true), product_seconds("rtx-3090", DType::bf16, true));
}

// A B200's tensor cores keep enough bits of FP8's sums; an H100's sums are added up on the FP32 lanes.
TEST(Products, AddUpSumsOfFp8WhereTensorCoresDoNot) {
  EXPECT_NEAR(product_seconds("b200-sxm-180gb", DType::bf16) / product_seconds("b200-sxm-180gb", DType::fp8), 2, 0.1);
  EXPECT_LT(product_seconds("h100-sxm5-80gb", DType::bf16) / product_seconds("h100-sxm5-80gb", DType::fp8), 1.85);
  // FP32 sums halve the rate of GeForce's tensor cores, beside which the lanes add.
  EXPECT_NEAR(product_seconds("rtx-4090", DType::bf16) / product_seconds("rtx-4090", DType::fp8), 2, 0.1);
  EXPECT_GT(product_seconds("rtx-5090", DType::bf16) / product_seconds("rtx-5090", DType::fp8), 2.5);
}

}  // namespace
}  // namespace rooftile
