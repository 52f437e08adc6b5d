#include "rooftile/gpu/clock_limit.hpp"

#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"

namespace rooftile {
namespace {

TEST(ClockLimit, SlowsWhatTheCoreClockDrives) {
  const Gpu v100 = find_gpu("v100-sxm2-16gb").value();  // 1530 MHz
  const Gpu limited = with_clock_limit(v100, Hertz(1377e6));
  EXPECT_EQ(limited.clock, Hertz(1377e6));
  EXPECT_NEAR(limited.peak(Peak::fp32) / v100.peak(Peak::fp32), 0.9, 1e-12);
  EXPECT_NEAR(limited.peak(Peak::tensor_fp16) / v100.peak(Peak::tensor_fp16), 0.9, 1e-12);
  EXPECT_NEAR(limited.level("L2").bandwidth / v100.level("L2").bandwidth, 0.9, 1e-12);
  EXPECT_EQ(limited.level("DRAM").bandwidth, v100.level("DRAM").bandwidth);
  EXPECT_EQ(limited.id, v100.id) << "its constants are those of the board";
}

TEST(ClockLimit, AboveTheBoostChangesNothing) {
  const Gpu t4 = find_gpu("t4").value();
  const Gpu limited = with_clock_limit(t4, Hertz(1590e6));
  EXPECT_EQ(limited.clock, t4.clock);
  EXPECT_EQ(limited.peaks == t4.peaks, true);
  EXPECT_EQ(limited.base_clock, t4.base_clock);
}

}  // namespace
}  // namespace rooftile
