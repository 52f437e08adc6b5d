#include "rooftile/calibration/gpu_factors.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "rooftile/calibration/unused_factors.hpp"

namespace rooftile {
namespace {

CallPlace place(double micros, double compute, double launch) {
  CallPlace place{.micros = micros};
  place.limits[0] = compute;
  place.limits[7] = launch;
  return place;
}

TEST(CallPlace, LikenessFallsWithTimeAndWithWhatLimits) {
  const CallPlace call = place(100, 1, 0);
  EXPECT_DOUBLE_EQ(likeness(call, call), 1);
  EXPECT_NEAR(likeness(call, place(100 * std::exp(4), 1, 0)), std::exp(-1), 1e-12);
  EXPECT_NEAR(likeness(call, place(100, 1 - 0.67, 0)), std::exp(-1), 1e-12);
  EXPECT_LT(likeness(call, place(100, 0, 1)), likeness(call, place(100, 0.5, 0.5)));
  EXPECT_DOUBLE_EQ(likeness(call, place(5, 0.2, 0.7)), likeness(place(5, 0.2, 0.7), call));
}

TEST(CallPlace, CallsChangeThoseOfTheirFamilyThatAreLike) {
  GpuFactors factors;
  factors.calls = {{KernelFamily::gemm_simt, place(100, 1, 0), std::log(1.2)}};
  EXPECT_NEAR(ratio_of_calls(factors, KernelFamily::gemm_simt, place(100, 1, 0)), 1.2, 1e-12);
  EXPECT_EQ(ratio_of_calls(factors, KernelFamily::tensor, place(100, 1, 0)), 1);
  const double other = ratio_of_calls(factors, KernelFamily::gemm_simt, place(3, 0, 1));
  EXPECT_GT(other, 1);
  EXPECT_LT(other, 1.03);
}

TEST(CallPlace, WeightsOfAnyFileStayWithinBounds) {
  GpuFactors factors;
  factors.calls = {{KernelFamily::tensor, place(1, 0, 1), 1e6}};
  EXPECT_EQ(ratio_of_calls(factors, KernelFamily::tensor, place(1, 0, 1)), kMostFactor);
}

TEST(UnusedFactors, AreThoseOfAnotherGpu) {
  Calibration calibration;
  EXPECT_EQ(unused_factors(calibration, {"t4"}), "");
  calibration.factors.push_back({.gpu = "k80"});
  EXPECT_EQ(unused_factors(calibration, {"t4"}), "note: the calibration's factors are for k80 and do not affect t4");
  EXPECT_EQ(unused_factors(calibration, {"t4", "k80"}), "");
}

}  // namespace
}  // namespace rooftile
