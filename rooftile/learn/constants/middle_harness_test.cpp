#include "rooftile/learn/constants/middle_harness.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <gtest/gtest.h>

namespace rooftile {
namespace {

MeasuredHarness harness(KernelFamily family, std::string_view framework, std::string_view gpu, double overhead,
                        double floor, double step_launches = 0) {
  Harness one;
  one.family = family;
  one.framework = framework;
  one.gpu = gpu;
  one.overhead = Seconds(overhead * 1e-6);
  one.floor = Seconds(floor * 1e-6);
  one.step_launches = step_launches;
  return {one, "nvidia", ""};
}

constexpr KernelFamily kGemm = KernelFamily::gemm_simt, kRecurrent = KernelFamily::recurrent;

const std::vector<MeasuredHarness> kProducts = {
    harness(kGemm, "cuBLAS/gemm", "m40", 87, 11), harness(kGemm, "cuBLAS/gemm", "titan-xp", 0, 0),
    harness(kGemm, "cuBLAS/gemm", "v100-sxm2-16gb", 1, 2), harness(kGemm, "cuBLAS/bmm", "t4", 5, 5)};
const std::vector<MeasuredHarness> kSequences = {harness(kRecurrent, "TensorFlow 1.15", "t4", 58, 0, 16),
                                                 harness(kRecurrent, "TensorFlow 2.2", "t4", 96, 0, 12)};

Harness middle(const std::vector<MeasuredHarness>& measured, std::string_view framework,
               std::string_view vendor = "nvidia") {
  const std::vector<Harness> middles = middle_harnesses(vendor, measured);
  const auto found =
      std::find_if(middles.begin(), middles.end(), [&](const auto& h) { return h.framework == framework; });
  return found == middles.end() ? Harness{} : *found;
}

TEST(MiddleHarness, LeansToTheManyAndKnowsHowFarTheyLieApart) {
  const Harness gemm = middle(kProducts, "cuBLAS/gemm");
  EXPECT_EQ(gemm.gpu, "");
  EXPECT_NEAR(gemm.overhead.value(), (std::cbrt(88.0 * 1 * 2) - 1) * 1e-6, 1e-12);
  EXPECT_NEAR(gemm.floor.value(), (std::cbrt(12.0 * 1 * 3) - 1) * 1e-6, 1e-12);
  ASSERT_TRUE(gemm.range);
  EXPECT_DOUBLE_EQ(gemm.range->overhead_high.value(), 87e-6);
  EXPECT_DOUBLE_EQ(gemm.range->floor_low.value(), 0);
}

TEST(MiddleHarness, OfAFrameworkIsThatOfAllItsCalls) {
  EXPECT_NEAR(middle(kProducts, "cuBLAS").overhead.value(), (std::pow(88.0 * 1 * 2 * 6, 0.25) - 1) * 1e-6, 1e-12);
}

TEST(MiddleHarness, OfRecurrentLayersIsThatOfAllVersions) {
  EXPECT_NEAR(middle(kSequences, "TensorFlow").overhead.value(), (std::sqrt(59.0 * 97) - 1) * 1e-6, 1e-12);
  EXPECT_FALSE(middle(kProducts, "TensorFlow").range);
  const auto range = middle(kSequences, "TensorFlow").range;
  ASSERT_TRUE(range);
  EXPECT_EQ(range->launches_low, 12);
  EXPECT_EQ(range->launches_high, 16);
}

TEST(MiddleHarness, OfAnotherVendorIsNotKnown) { EXPECT_FALSE(middle(kProducts, "cuBLAS", "amd").range); }

}  // namespace
}  // namespace rooftile
