#include "rooftile/plan/resident_sums.hpp"

#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"

namespace rooftile {
namespace {

TEST(ResidentSums, TakeHalfOfTheRegisters) {
  const SmLimits sm = find_gpu("a100-sxm4-80gb").value().sm;
  EXPECT_DOUBLE_EQ(resident_by_sums(128 * 128, sm), 2);  // 65536 / 2 / 16384
  EXPECT_DOUBLE_EQ(resident_by_sums(256 * 256, sm), 1);
  EXPECT_DOUBLE_EQ(resident_by_sums(16, sm), 4);
}

// 512 KiB of registers, of which matrix instructions alone reach 256.
TEST(ResidentSums, LeaveOutRegistersForAccumulation) {
  for (const char* id : {"mi100", "mi210", "mi300x", "mi355x"}) {
    EXPECT_DOUBLE_EQ(resident_by_sums(128 * 128, find_gpu(id).value().sm), 2) << id;
  }
}

// 128 lanes x 512 columns.
TEST(ResidentSums, TakeTensorMemoryWhereAKernelUsesIt) {
  for (const char* id : {"b200-sxm-180gb", "b300-sxm-288gb"}) {
    const SmLimits sm = find_gpu(id).value().sm;
    EXPECT_DOUBLE_EQ(resident_by_sums(256 * 128, sm, true), 2) << id;
    EXPECT_DOUBLE_EQ(resident_by_sums(256 * 128, sm), 1) << id;
  }
}

}  // namespace
}  // namespace rooftile
