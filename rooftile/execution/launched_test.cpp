#include "rooftile/execution/launched.hpp"

#include <gtest/gtest.h>

namespace rooftile {
namespace {

Workload product() {
  Workload workload;
  workload.tensors = {{"x", {4, 8}}, {"w", {8, 16}, DType::fp32, true}, {"y", {4, 16}}};
  workload.ops = {{"fc", Gemm{.m = 4, .n = 16, .k = 8}, {0, 1}, {2}}};
  workload.inputs = {0};
  workload.outputs = {2};
  return workload;
}

TEST(PrecisionOf, ProductsIsTf32WhereAllOfARunIs) {
  const Workload workload = product();
  EXPECT_EQ(precision_of(workload, workload.ops.front(), {.precision = DType::tf32}), DType::tf32);
}

// PyTorch's default is TF32 in convolutions alone; what has none runs in it only if it was told to.
TEST(PrecisionOf, ProductsBesideConvolutionsIsFp32UnderPyTorch) {
  const LaunchOptions pytorch{.precision = DType::tf32, .tf32_products = false, .tf32_for_convolutions = true};
  Workload workload = product();
  EXPECT_EQ(precision_of(workload, workload.ops.front(), pytorch), DType::tf32);
  workload.ops.push_back({"conv", Conv{}, {}, {}});
  EXPECT_EQ(precision_of(workload, workload.ops.front(), pytorch), DType::fp32);
  const LaunchOptions engine{.precision = DType::tf32, .tf32_products = false};
  EXPECT_EQ(precision_of(product(), product().ops.front(), engine), DType::fp32);
}

}  // namespace
}  // namespace rooftile
