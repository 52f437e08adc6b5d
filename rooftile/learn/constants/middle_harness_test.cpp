#include "rooftile/learn/constants/middle_harness.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <gtest/gtest.h>

namespace rooftile {
namespace {

Harness harness(std::string_view framework, std::string_view gpu, double overhead, double floor) {
  Harness one;
  one.framework = framework;
  one.gpu = gpu;
  one.overhead = Seconds(overhead * 1e-6);
  one.floor = Seconds(floor * 1e-6);
  return one;
}

const std::vector<Harness> kMeasured = {harness("cuBLAS/gemm", "m40", 87, 11), harness("cuBLAS/gemm", "titan-xp", 0, 0),
                                        harness("cuBLAS/gemm", "v100-sxm2-16gb", 1, 2),
                                        harness("cuBLAS/bmm", "t4", 5, 5)};

TEST(MiddleHarness, LeansToTheManyAndKnowsHowFarTheyLieApart) {
  const std::vector<Harness> middles = middle_harnesses(kMeasured);
  ASSERT_EQ(middles.size(), 3U);  // of either call, and of the framework
  const auto gemm =
      std::find_if(middles.begin(), middles.end(), [](const auto& h) { return h.framework == "cuBLAS/gemm"; });
  ASSERT_NE(gemm, middles.end());
  EXPECT_EQ(gemm->gpu, "");
  EXPECT_NEAR(gemm->overhead.value(), (std::cbrt(88.0 * 1 * 2) - 1) * 1e-6, 1e-12);
  EXPECT_NEAR(gemm->floor.value(), (std::cbrt(12.0 * 1 * 3) - 1) * 1e-6, 1e-12);
  ASSERT_TRUE(gemm->range);
  EXPECT_DOUBLE_EQ(gemm->range->overhead_high.value(), 87e-6);
  EXPECT_DOUBLE_EQ(gemm->range->floor_low.value(), 0);
}

TEST(MiddleHarness, OfTheOthersLeavesTheGpuOut) {
  EXPECT_DOUBLE_EQ(foreign_harness(kMeasured[0], kMeasured).range->overhead_high.value(), 1e-6);
  EXPECT_NEAR(foreign_harness(kMeasured[3], kMeasured).overhead.value(), 5e-6, 1e-12);  // nobody else
}

}  // namespace
}  // namespace rooftile
