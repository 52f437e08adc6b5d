#include "rooftile/ops/cross_entropy.hpp"

#include <gtest/gtest.h>

namespace rooftile {
namespace {

// 8 x 32,768 scores in BF16, a loss in FP32 for each of the 8 rows.
Workload losses(const char* function) {
  Workload workload;
  workload.tensors = {{"scores", {8, 32768}, DType::bf16}, {"losses", {8}}};
  workload.ops = {{"loss", Reduce{function}, {0}, {1}}};
  workload.inputs = {0};
  workload.outputs = {1};
  return workload;
}

constexpr Bytes kScores{8 * 32768 * 2};

TEST(CrossEntropy, ReadsScoresTwiceAndWritesTwoNumbersOfARow) {
  const Workload workload = losses(kCrossEntropy);
  const StreamKernel kernel = cross_entropy_kernel(workload, workload.ops.front());
  EXPECT_EQ(kernel.ctas, 8);
  EXPECT_EQ(kernel.read, kScores);
  EXPECT_EQ(kernel.reread, kScores);
  EXPECT_EQ(kernel.write, Bytes(8 * (4 + 4)));
}

TEST(CrossEntropy, HasAGradientAsNarrowAsItsScores) {
  const Workload workload = losses(kCrossEntropy);
  const auto kernels = cross_entropy_gradient(workload, workload.ops.front());
  ASSERT_EQ(kernels.size(), 1);
  EXPECT_EQ(kernels[0].read, kScores);
  EXPECT_EQ(kernels[0].write, kScores);
  EXPECT_EQ(kernels[0].reread, Bytes(0));
}

TEST(CrossEntropy, ScattersTargetsInTheTypeOfTheLosses) {
  const Workload workload = losses(kScatteredCrossEntropy);
  const auto kernels = cross_entropy_gradient(workload, workload.ops.front());
  ASSERT_EQ(kernels.size(), 2);
  EXPECT_EQ(kernels[0].write, kScores * 2);
  EXPECT_EQ(kernels[1].read, kScores * 3);
  EXPECT_EQ(kernels[1].reread, kScores * 2) << "once for the sum of a row, once for the result";
  EXPECT_EQ(kernels[1].write, kScores);
}

TEST(CrossEntropy, IsNoOtherReduction) {
  EXPECT_TRUE(is_cross_entropy(Reduce{kScatteredCrossEntropy}));
  EXPECT_FALSE(is_cross_entropy(Reduce{"mean"}));
}

}  // namespace
}  // namespace rooftile
