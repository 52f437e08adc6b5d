#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/profile/fixture_test.hpp"

namespace rooftile::profile {
namespace {

TEST(Nvprof, ReadsMetrics) {
  const Profile profile = read_fixture("nvprof_metrics.csv");
  EXPECT_EQ(profile.format, "nvprof CSV, metrics");
  ASSERT_EQ(profile.kernels.size(), 1);
  const KernelProfile& kernel = profile.kernels[0];
  EXPECT_EQ(kernel.name, "void gemm<float, int=4>(float*, float const *, int)");
  EXPECT_EQ(kernel.launches, 3);
  EXPECT_EQ(kernel.metric("flop_count_sp"), 3611549214);
  EXPECT_EQ(kernel.metric("dram_read_transactions"), 200);
  EXPECT_EQ(kernel.metric("dram_read_throughput"), 2e9);
  EXPECT_EQ(kernel.metric("sm_efficiency"), 99);
  EXPECT_EQ(kernel.metric("dram_utilization"), 3);
  EXPECT_EQ(kernel.metric("l2_read_transactions"), std::nullopt);
  EXPECT_EQ(kernel.metric("l2_write_transactions"), std::nullopt);
  ASSERT_EQ(profile.dropped_count, 3);
  EXPECT_THAT(profile.dropped[0].reason, testing::HasSubstr("l2_write_transactions of kernel 'void gemm"));
  EXPECT_THAT(profile.dropped[1].reason, testing::HasSubstr("invocations from 1 up"));
  EXPECT_THAT(profile.dropped[2].reason, testing::HasSubstr("4 cells where the header has 8"));
  ASSERT_EQ(profile.notes.size(), 1);
  EXPECT_THAT(profile.notes[0], testing::HasSubstr("1 values overflowed"));
}

TEST(Nvprof, ReadsTheGpuTrace) {
  const Profile profile = read_fixture("nvprof_trace.csv");
  EXPECT_EQ(profile.format, "nvprof CSV, GPU trace");
  ASSERT_EQ(profile.kernels.size(), 1);
  EXPECT_EQ(profile.kernels[0].name, "void scale<float, 4>(float*, int)");
  EXPECT_DOUBLE_EQ(profile.kernels[0].time->value(), 12.5e-6);
  EXPECT_DOUBLE_EQ(profile.kernels[0].start->value(), 5e-3);
  EXPECT_EQ(profile.kernels[0].grid, (std::array<std::int64_t, 3>{40, 2, 1}));
  EXPECT_EQ(profile.kernels[0].block, (std::array<std::int64_t, 3>{256, 1, 1}));
  ASSERT_EQ(profile.dropped_count, 1);
  EXPECT_EQ(profile.dropped[0], (Dropped{9, "kernel 'no_time' took no time"}));
  EXPECT_THAT(profile.notes, testing::ElementsAre("2 copies and memsets left out"));
}

TEST(Nvprof, ReadsTheSummary) {
  const Profile profile = read_fixture("nvprof_summary.csv");
  ASSERT_EQ(profile.kernels.size(), 1);
  EXPECT_EQ(profile.kernels[0].launches, 4);
  EXPECT_DOUBLE_EQ(profile.kernels[0].time->value(), 10e-6);
}

}  // namespace
}  // namespace rooftile::profile
