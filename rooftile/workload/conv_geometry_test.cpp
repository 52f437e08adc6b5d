#include "rooftile/workload/conv_geometry.hpp"

#include <cstdint>
#include <limits>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "rooftile/workload/workload.hpp"

namespace rooftile {
namespace {

ConvAxis axis(std::int64_t in, std::int64_t filter, std::int64_t stride, std::int64_t pad_begin, std::int64_t pad_end,
              std::int64_t dilation = 1) {
  return {
      .in = in, .filter = filter, .stride = stride, .dilation = dilation, .pad_begin = pad_begin, .pad_end = pad_end};
}

Conv conv2d(const ConvAxis& height, const ConvAxis& width) {
  Conv conv;
  conv.batch = 2;
  conv.in_channels = 4;
  conv.out_channels = 6;
  conv.axes = {ConvAxis{}, height, width};
  return conv;
}

TEST(ConvGeometry, DirectOutputs) {
  EXPECT_EQ(out_positions(axis(224, 7, 2, 3, 3), false), 112);  // ResNet's first
  EXPECT_EQ(out_positions(axis(224, 3, 1, 1, 1), false), 224);
  EXPECT_EQ(out_positions(axis(224, 3, 2, 0, 1), false), 112);   // SAME padding of an even size
  EXPECT_EQ(out_positions(axis(33, 3, 1, 2, 2, 2), false), 33);  // dilated
  EXPECT_EQ(out_positions(axis(5, 7, 1, 0, 0), false), 0);
}

TEST(ConvGeometry, TransposedOutputs) {
  ConvAxis up = axis(16, 4, 2, 1, 1);
  EXPECT_EQ(out_positions(up, true), 32);
  up.output_padding = 1;
  EXPECT_EQ(out_positions(up, true), 33);
}

// A transposed convolution undoes the shape of the direct one with the same numbers (its mirror).
TEST(ConvGeometry, TransposedMirrorsDirect) {
  EXPECT_TRUE(rc::check([] {
    ConvAxis direct = axis(*rc::gen::inRange(1, 40), *rc::gen::inRange(1, 8), *rc::gen::inRange(1, 5),
                           *rc::gen::inRange(0, 4), *rc::gen::inRange(0, 4), *rc::gen::inRange(1, 4));
    const std::int64_t out = out_positions(direct, false);
    RC_PRE(out >= 1);
    ConvAxis mirrored = direct;
    mirrored.in = out;
    mirrored.output_padding = (padded(direct) - filter_extent(direct)) % direct.stride;
    RC_ASSERT(out_positions(mirrored, true) == direct.in);
  }));
}

TEST(ConvGeometry, MacsOfATextbookLayer) {
  // VGG-16 conv1_1 at batch 2: 2 x 64 x 3 x (224 x 3) x (224 x 3).
  Conv conv = conv2d(axis(224, 3, 1, 1, 1), axis(224, 3, 1, 1, 1));
  conv.in_channels = 3;
  conv.out_channels = 64;
  EXPECT_EQ(macs(conv), 2.0 * 64 * 3 * 224 * 224 * 9);
}

TEST(ConvGeometry, AcceptsWhatIsPossible) {
  Conv conv = conv2d(axis(8, 3, 1, 1, 1), axis(9, 5, 2, 2, 1));
  EXPECT_TRUE(check(conv));
  conv.groups = 2;
  EXPECT_TRUE(check(conv));
}

std::string geometry_error(const Conv& conv) {
  const auto result = check(conv);
  return result ? "no error" : result.error().message;
}

TEST(ConvGeometry, RejectsWhatIsNot) {
  const ConvAxis good = axis(8, 3, 1, 1, 1);
  EXPECT_EQ(geometry_error(conv2d(axis(2, 5, 1, 1, 1), good)),
            "convolution height: a filter that spans 5 does not fit into 4 padded positions");
  EXPECT_EQ(geometry_error(conv2d(good, axis(8, 3, 0, 1, 1))),
            "convolution width stride is 0, it must be 1 to 2147483648");
  EXPECT_EQ(geometry_error(conv2d(good, axis(8, 3, 1, -1, 1))),
            "convolution width padding is -1, it must be 0 to 2147483648");
  EXPECT_EQ(geometry_error(conv2d(axis(8, 3, 1, kMaxDimension, 1), good)),
            "convolution height: 2147483657 padded positions are more than 2147483648");
  EXPECT_EQ(geometry_error(conv2d(axis(1 << 21, (1 << 20) + 1, 1, 0, 0), good)),
            "convolution height filter size is 1048577, it must be 1 to 1048576");
  Conv conv = conv2d(good, good);
  conv.groups = 4;
  EXPECT_EQ(geometry_error(conv), "convolution with 4 groups cannot split 4 input and 6 output channels");
  conv = conv2d(good, good);
  conv.batch = 0;
  EXPECT_EQ(geometry_error(conv), "convolution batch is 0, it must be 1 to 2147483648");
  conv = conv2d(good, good);
  conv.axes[1].output_padding = 1;
  EXPECT_EQ(geometry_error(conv), "output padding needs a transposed convolution");
  conv.transposed = true;
  EXPECT_EQ(geometry_error(conv),
            "convolution height output padding 1 must be less than the stride 1 or the dilation 1");
}

// Whatever the numbers, check() answers without overflow, and what it accepts has outputs and finite work.
TEST(ConvGeometry, HostileNumbersNeverOverflow) {
  const auto any = [] {
    return *rc::gen::weightedElement<std::int64_t>({{5, 1},
                                                    {5, 3},
                                                    {1, 0},
                                                    {1, -1},
                                                    {2, 1 << 20},
                                                    {2, kMaxDimension},
                                                    {1, kMaxDimension + 1},
                                                    {1, std::numeric_limits<std::int64_t>::max()},
                                                    {1, std::numeric_limits<std::int64_t>::min()}});
  };
  EXPECT_TRUE(rc::check([&] {
    Conv conv = conv2d({any(), any(), any(), any(), any(), any(), any()}, {});
    conv.batch = any();
    conv.in_channels = any();
    conv.out_channels = any();
    conv.groups = any();
    conv.transposed = *rc::gen::arbitrary<bool>();
    if (!check(conv)) return;
    RC_ASSERT(out_positions(conv.axes[1], conv.transposed) >= 1);
    RC_ASSERT(macs(conv) >= 1 && macs(conv) <= kMaxMacs);
  }));
}

}  // namespace
}  // namespace rooftile
