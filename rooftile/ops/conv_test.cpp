#include "rooftile/ops/conv.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace rooftile {
namespace {

TEST(Im2col, AlexNetConv1) {
  Conv conv;
  conv.batch = 256;
  conv.in_channels = 3;
  conv.out_channels = 96;
  conv.axes[1] = conv.axes[2] = {.in = 224, .filter = 11, .stride = 4, .pad_begin = 2, .pad_end = 1};
  const Im2col gemm = im2col(conv);
  EXPECT_EQ(gemm.m, 256.0 * 55 * 55);
  EXPECT_EQ(gemm.n, 96);
  EXPECT_EQ(gemm.k, 3.0 * 11 * 11);
  EXPECT_EQ(gemm.padded[2], 227);
  EXPECT_EQ(gemm.groups, 1);
}

TEST(Im2col, GroupsAreIndependentGemms) {
  Conv conv;
  conv.batch = 4;
  conv.in_channels = 64;
  conv.out_channels = 128;
  conv.groups = 32;
  conv.axes[1] = conv.axes[2] = {.in = 14, .filter = 3, .pad_begin = 1, .pad_end = 1};
  const Im2col gemm = im2col(conv);
  EXPECT_EQ(gemm.groups, 32);
  EXPECT_EQ(gemm.n, 4);
  EXPECT_EQ(gemm.k, 2 * 9);
  EXPECT_EQ(gemm.m * gemm.n * gemm.k * gemm.groups, macs(conv));
}

TEST(Im2col, GemmIsAOneByOneConvolution) {
  const Im2col gemm = im2col(Gemm{.batch = 8, .m = 100, .n = 200, .k = 300});
  EXPECT_EQ(gemm.groups, 8);
  EXPECT_EQ(gemm.m, 100);
  EXPECT_EQ(gemm.n, 200);
  EXPECT_EQ(gemm.k, 300);
  EXPECT_EQ(gemm.filter_volume, 1);
  EXPECT_EQ(compulsory_elements(gemm), 8.0 * (100 * 300 + 200 * 300));
}

ConvAxis random_axis() {
  return {.in = *rc::gen::inRange(1, 20),
          .filter = *rc::gen::inRange(1, 6),
          .stride = *rc::gen::inRange(1, 6),
          .dilation = *rc::gen::inRange(1, 5)};
}

// Without padding every touched position lies inside the input, so the closed form must equal the count.
TEST(Im2col, TouchedPositionsMatchEnumeration) {
  EXPECT_TRUE(rc::check([] {
    Conv conv;
    conv.axes[2] = random_axis();
    const ConvAxis& axis = conv.axes[2];
    RC_PRE(out_positions(axis, false) >= 1);
    std::set<std::int64_t> touched;
    for (std::int64_t o = 0; o < out_positions(axis, false); ++o) {
      for (std::int64_t r = 0; r < axis.filter; ++r) touched.insert(o * axis.stride + r * axis.dilation);
    }
    RC_ASSERT(im2col(conv).touched[2] == static_cast<double>(touched.size()));
  }));
}

TEST(DirectParts, OfADirectConvolutionIsItself) {
  Conv conv;
  conv.axes[2] = {.in = 9, .filter = 3, .stride = 2};
  const auto parts = direct_parts(conv);
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts[0].conv, conv);
  EXPECT_EQ(parts[0].count, 1);
}

TEST(DirectParts, StrideTwoSplitsIntoFour) {
  Conv conv;
  conv.transposed = true;
  conv.in_channels = 8;
  conv.out_channels = 16;
  conv.axes[1] = conv.axes[2] = {.in = 16, .filter = 4, .stride = 2, .pad_begin = 1, .pad_end = 1};
  const auto parts = direct_parts(conv);
  ASSERT_EQ(parts.size(), 1U);  // all four are alike: 2x2 filters, 16x16 outputs each
  EXPECT_EQ(parts[0].count, 4);
  EXPECT_EQ(parts[0].conv.axes[1].filter, 2);
  EXPECT_EQ(out_positions(parts[0].conv.axes[1], false), 16);
}

// Counts (output, tap) pairs of one axis by walking every output and tap.
TEST(DirectParts, CoverEveryOutputAndTap) {
  EXPECT_TRUE(rc::check([] {
    Conv conv;
    conv.transposed = true;
    conv.axes[2] = random_axis();
    ConvAxis& axis = conv.axes[2];
    axis.pad_begin = *rc::gen::inRange(0, 3);
    axis.pad_end = *rc::gen::inRange(0, 3);
    RC_PRE(out_positions(axis, true) >= 1);
    std::int64_t pairs = 0, reached = 0;
    for (std::int64_t o = 0; o < out_positions(axis, true); ++o) {
      std::int64_t taps = 0;
      for (std::int64_t r = 0; r < axis.filter; ++r) {
        const std::int64_t distance = o + axis.pad_begin - r * axis.dilation;
        taps += distance % axis.stride == 0 ? 1 : 0;
      }
      pairs += taps;
      reached += taps > 0 ? 1 : 0;
    }
    double part_pairs = 0, part_outputs = 0;
    for (const ConvPart& part : direct_parts(conv)) {
      RC_ASSERT(!part.conv.transposed);
      const double outputs = static_cast<double>(out_positions(part.conv.axes[2], false));
      part_outputs += part.count * outputs;
      part_pairs += part.count * outputs * static_cast<double>(part.conv.axes[2].filter);
    }
    RC_ASSERT(part_outputs == static_cast<double>(reached));
    RC_ASSERT(part_pairs == static_cast<double>(pairs));
  }));
}

}  // namespace
}  // namespace rooftile
