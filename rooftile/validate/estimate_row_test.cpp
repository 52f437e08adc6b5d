#include "rooftile/validate/estimate_row.hpp"

#include <gtest/gtest.h>

namespace rooftile {
namespace {

TEST(GpuCache, FindsWhatWasAddedWithALimitOfItsClockToo) {
  constexpr Hertz kLimit(1e9);
  GpuCache gpus;
  Gpu gpu = *gpus.find("t4").value();
  ASSERT_EQ(gpus.find("t4", kLimit).value()->clock, kLimit);
  gpu.sm_count *= 2;
  gpus.add(gpu);
  EXPECT_EQ(gpus.find("t4").value()->sm_count, gpu.sm_count);
  EXPECT_EQ(gpus.find("t4", kLimit).value()->sm_count, gpu.sm_count);
}

}  // namespace
}  // namespace rooftile
