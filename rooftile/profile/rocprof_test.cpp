#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/profile/fixture_test.hpp"

namespace rooftile::profile {
namespace {

using Extent = std::array<std::int64_t, 3>;

TEST(Rocprof, ReadsResults) {
  const Profile profile = read_fixture("rocprof_results.csv");
  EXPECT_EQ(profile.format, "rocprof CSV, results");
  ASSERT_EQ(profile.kernels.size(), 2);
  const KernelProfile& kernel = profile.kernels[0];
  EXPECT_EQ(kernel.name, "bodyForce(Body*, float, int) [clone .kd]");
  EXPECT_EQ(kernel.grid, (Extent{256, 1, 1}));
  EXPECT_EQ(kernel.block, (Extent{256, 1, 1}));
  EXPECT_NEAR(kernel.time->value(), 26316649e-9, 1e-9);
  EXPECT_EQ(kernel.metric("FETCH_SIZE"), 1024.5);
  EXPECT_EQ(kernel.metric("arch_vgpr"), std::nullopt);
  EXPECT_EQ(profile.kernels[1].metric("FETCH_SIZE"), std::nullopt);
  EXPECT_EQ(profile.kernels[1].metric("WRITE_SIZE"), 512);
  ASSERT_EQ(profile.dropped_count, 2);
  EXPECT_THAT(profile.dropped[0].reason, testing::HasSubstr("FETCH_SIZE of kernel 'bodyForce"));
  EXPECT_EQ(profile.dropped[1].reason, "kernel 'backwards' took no time");
}

TEST(Rocprof, ReadsTheKernelTraceOfVersion3) {
  const Profile profile = read_fixture("rocprofv3_kernel_trace.csv");
  EXPECT_EQ(profile.format, "rocprofv3 CSV, kernel trace");
  ASSERT_EQ(profile.kernels.size(), 1);
  EXPECT_EQ(profile.kernels[0].grid, (Extent{16, 1024, 1}));
  EXPECT_NEAR(profile.kernels[0].time->value(), 10520e-9, 1e-9);
  EXPECT_EQ(profile.dropped_count, 1);
}

TEST(Rocprof, GathersTheCountersOfADispatch) {
  const Profile profile = read_fixture("rocprofv3_counters.csv");
  EXPECT_EQ(profile.format, "rocprofv3 CSV, counter collection");
  ASSERT_EQ(profile.kernels.size(), 2);
  EXPECT_EQ(profile.kernels[0].grid, (Extent{1024, 1, 1}));
  EXPECT_EQ(profile.kernels[0].metric("FETCH_SIZE"), 13.5);
  EXPECT_EQ(profile.kernels[0].metric("WRITE_SIZE"), 4.34259040e-02);
  EXPECT_EQ(profile.kernels[1].metric("FETCH_SIZE"), 2);
  ASSERT_EQ(profile.dropped_count, 1);
  EXPECT_THAT(profile.dropped[0].reason, testing::HasSubstr("appears twice"));
}

}  // namespace
}  // namespace rooftile::profile
