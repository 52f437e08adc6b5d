#include "rooftile/ops/conv_groups.hpp"

#include <gtest/gtest.h>

namespace rooftile {
namespace {

Conv grouped(std::int64_t groups, std::int64_t channels_each) {
  Conv conv{
      .batch = 2, .in_channels = groups * channels_each, .out_channels = groups * channels_each, .groups = groups};
  conv.axes[1] = conv.axes[2] = {.in = 14, .filter = 3, .pad_begin = 1, .pad_end = 1};
  return conv;
}

TEST(ConvGroups, ForwardKernelsTakeGroupsOfFewChannels) {
  EXPECT_FALSE(lacks_grouped_kernel(grouped(32, 4), Pass::fwd));
  EXPECT_FALSE(lacks_grouped_kernel(grouped(7, 32), Pass::fwd));
  EXPECT_TRUE(lacks_grouped_kernel(grouped(7, 24), Pass::fwd));
  EXPECT_TRUE(lacks_grouped_kernel(grouped(7, 64), Pass::fwd));
}

TEST(ConvGroups, GradientsNeedManyGroups) {
  EXPECT_FALSE(lacks_grouped_kernel(grouped(32, 4), Pass::bwd_data)) << "ResNeXt-50's";
  EXPECT_FALSE(lacks_grouped_kernel(grouped(40, 8), Pass::bwd_data)) << "DPN-98's";
  EXPECT_TRUE(lacks_grouped_kernel(grouped(16, 16), Pass::bwd_data)) << "RegNet Y 600MF's";
  EXPECT_TRUE(lacks_grouped_kernel(grouped(32, 64), Pass::bwd_data)) << "the last of ResNeXt-101 32x8d";
  EXPECT_TRUE(lacks_grouped_kernel(grouped(13, 8), Pass::bwd_weight));   // RegNet's
  EXPECT_TRUE(lacks_grouped_kernel(grouped(2, 128), Pass::bwd_weight));  // and its widest
}

TEST(ConvGroups, NeitherOneGroupNorOneChannelEachIsMeant) {
  EXPECT_FALSE(lacks_grouped_kernel(grouped(1, 24), Pass::bwd_data));
  EXPECT_FALSE(lacks_grouped_kernel(grouped(96, 1), Pass::bwd_data));
}

TEST(ConvGroups, WiderGroupsCostLessForEachMultiplication) {
  const auto of = [](std::int64_t channels, CudnnRelease release) {
    const Conv conv = grouped(4, channels);
    const double each = static_cast<double>(channels * channels);
    return grouped_gradient_kernel(conv, release, Bytes(1), Bytes(1)).work.operations / each;
  };
  EXPECT_GT(of(8, {}), 2 * of(48, {}));
  EXPECT_GT(of(8, {8, 2}), 2 * of(8, {8, 3}));
  EXPECT_DOUBLE_EQ(of(56, {8, 2}), of(56, {8, 3}));
}

TEST(ConvGroups, WideGroupsOverContiguousChannelsWaitedForLaterReleases) {
  const auto lacks = [](std::int64_t groups, std::int64_t channels, CudnnRelease release) {
    return lacks_contiguous_kernel(grouped(groups, channels), Pass::fwd, release);
  };
  EXPECT_FALSE(lacks(7, 24, {8, 2})) << "RegNet Y 3.2GF's";
  EXPECT_TRUE(lacks(4, 48, {8, 2}));
  EXPECT_FALSE(lacks(4, 48, {8, 3}));
  EXPECT_TRUE(lacks(8, 64, {8, 3})) << "RegNet Y 4GF's";
  EXPECT_TRUE(lacks(4, 128, {8, 3}));
  EXPECT_FALSE(lacks(4, 128, {8, 5}));
  EXPECT_TRUE(lacks(4, 112, {8, 9}));
  EXPECT_FALSE(lacks(4, 112, {9, 1}));
  EXPECT_FALSE(lacks(4, 112, {})) << "a release that is not named is the latest";
  EXPECT_FALSE(lacks(1, 48, {8, 2})) << "no groups";
}

TEST(ConvGroups, GradientsOfThirtyTwoGroupsOfThirtyTwoChannelsWaitedForCudnn83) {
  const auto lacks = [](std::int64_t groups, CudnnRelease release) {
    return lacks_contiguous_kernel(grouped(groups, 32), Pass::bwd_weight, release);
  };
  EXPECT_TRUE(lacks(32, {8, 2})) << "ResNeXt-101 32x8d's";
  EXPECT_FALSE(lacks(64, {8, 2})) << "64x4d's";
  EXPECT_FALSE(lacks(32, {8, 3}));
}

TEST(ConvGroups, NarrowGroupsLeaveTilesOfTheLanesEmpty) {
  const auto of = [](std::int64_t channels) {
    return grouped_forward_kernel(grouped(4, channels), Bytes(1), Bytes(1)).work.operations;
  };
  EXPECT_DOUBLE_EQ(of(128) / of(64), 2) << "twice the channels in the same tiles";
}

}  // namespace
}  // namespace rooftile
