#include "rooftile/timing/roofline.hpp"

#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"

namespace rooftile {
namespace {

TEST(Roofline, IsTheLongerOfArithmeticAndBytes) {
  Gpu gpu = find_gpu("titan-xp-delta").value();
  const BytesPerSecond bandwidth = gpu.level("DRAM").bandwidth;
  const FlopsPerSecond peak(1e12);
  const OperandBytes bytes = {bandwidth * Seconds(2), bandwidth * Seconds(1)};

  const RooflineTiming by_bytes = roofline_time(bytes, Flops(1e12), peak, gpu);
  EXPECT_DOUBLE_EQ(by_bytes.time.value(), 3);
  EXPECT_EQ(by_bytes.bottleneck, Bottleneck::dram);
  EXPECT_DOUBLE_EQ(by_bytes.cases[Bottleneck::compute].value(), 1);

  const RooflineTiming by_arithmetic = roofline_time(bytes, Flops(5e12), peak, gpu);
  EXPECT_DOUBLE_EQ(by_arithmetic.time.value(), 5);
  EXPECT_EQ(by_arithmetic.bottleneck, Bottleneck::compute);
}

TEST(PeakOf, TakesTensorCoresWhereTheGpuHasThem) {
  const Gpu a100 = find_gpu("a100-sxm4-80gb").value();
  EXPECT_EQ(peak_of(DType::fp32, a100), a100.peak(Peak::fp32));
  EXPECT_EQ(peak_of(DType::tf32, a100), a100.peak(Peak::tensor_tf32));
  EXPECT_EQ(peak_of(DType::fp16, a100), a100.peak(Peak::tensor_fp16));
  EXPECT_EQ(peak_of(DType::fp8, a100), std::nullopt);

  const Gpu p100 = find_gpu("p100-pcie-16gb").value();
  EXPECT_EQ(peak_of(DType::fp16, p100), p100.peak(Peak::fp32)) << "its packed FP16 sums in FP16";
  EXPECT_EQ(peak_of(DType::fp8, p100), std::nullopt);
}

TEST(PeakOf, ComputesInFp32WhatTheGpuOnlyStores) {
  const Gpu p100 = find_gpu("p100-pcie-16gb").value(), gtx = find_gpu("gtx-1080-ti").value();
  EXPECT_EQ(matrix_unit(DType::bf16, p100), Peak::fp32);
  EXPECT_EQ(computed_in(DType::bf16, p100), DType::fp32);
  EXPECT_EQ(computed_in(DType::fp16, p100), DType::fp32);
  EXPECT_EQ(computed_in(DType::fp16, find_gpu("mi50").value()), DType::fp16) << "dot products that sum in FP32";
  EXPECT_EQ(matrix_unit(DType::fp16, gtx), Peak::fp32) << "its FP16 runs at 1/64 of FP32";
  EXPECT_EQ(matrix_unit(DType::tf32, find_gpu("t4").value()), Peak::fp32);
  EXPECT_EQ(matrix_unit(DType::tf32, find_gpu("rtx-3090").value()), Peak::tensor_tf32) << "even where FP32 is as fast";
  EXPECT_EQ(matrix_unit(DType::fp32, find_gpu("mi100").value()), Peak::tensor_fp32);
  EXPECT_EQ(computed_in(DType::int8, p100), DType::int8);
  EXPECT_EQ(matrix_unit(DType::int4, find_gpu("t4").value()), Peak::tensor_int4);
  EXPECT_EQ(computed_in(DType::int4, find_gpu("h100-sxm5-80gb").value()), DType::int8) << "Hopper has no INT4";
  EXPECT_FALSE(matrix_unit(DType::int4, p100));
}

TEST(AskedFor, IsAnotherTypeOnlyWhereThatIsAsWide) {
  const Gpu p100 = find_gpu("p100-pcie-16gb").value(), a100 = find_gpu("a100-sxm4-80gb").value();
  EXPECT_EQ(asked_for(DType::tf32, p100), DType::fp32);
  EXPECT_EQ(asked_for(DType::tf32, a100), DType::tf32);
  EXPECT_EQ(asked_for(DType::bf16, p100), DType::bf16) << "stored in half the bytes";
  EXPECT_EQ(asked_for(DType::int4, find_gpu("h100-sxm5-80gb").value()), DType::int4);
}

}  // namespace
}  // namespace rooftile
