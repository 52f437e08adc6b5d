#include "rooftile/plan/gemm_shape.hpp"

#include <set>

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace rooftile {
namespace {

Conv conv_of(std::int64_t size, std::int64_t filter, std::int64_t stride, std::int64_t pad) {
  Conv conv{.batch = 2, .in_channels = 3, .out_channels = 5};
  conv.axes[1] = conv.axes[2] = {.in = size, .filter = filter, .stride = stride, .pad_begin = pad, .pad_end = pad};
  return conv;
}

GemmShape gemm_shape_of(const Conv& conv, Pass pass) {
  OpShape op;
  op.gemm = im2col(conv);
  op.pass = pass;
  return gemm_shape(op);
}

// Coordinates that `positions` windows touch, counted one by one.
double counted(int positions, int taps, int stride, int dilation) {
  std::set<int> touched;
  for (int position = 0; position < positions; ++position) {
    for (int tap = 0; tap < taps; ++tap) touched.insert(position * stride + tap * dilation);
  }
  return static_cast<double>(touched.size());
}

TEST(GemmShape, CountsDistinctCoordinates) {
  EXPECT_TRUE(rc::check([] {
    const int positions = *rc::gen::inRange(1, 40), taps = *rc::gen::inRange(1, 8);
    const int stride = *rc::gen::inRange(1, 5), dilation = *rc::gen::inRange(1, 4);
    const GemmShape::Axis axis{static_cast<double>(positions), static_cast<double>(taps), static_cast<double>(stride),
                               static_cast<double>(dilation)};
    RC_ASSERT(touched_coordinates(positions, axis) == counted(positions, taps, stride, dilation));
  }));
}

TEST(GemmShape, ATileOfWholeRowsSharesItsWindows) {
  // 3x3 over 8x8 outputs: one row of 8 touches 3 x 10 of 8 x 9 elements; two rows 4 x 10 of 16 x 9.
  const GemmShape shape = gemm_shape_of(conv_of(8, 3, 1, 1), Pass::fwd);
  EXPECT_DOUBLE_EQ(unique_share(shape, 8), 30.0 / 72);
  EXPECT_DOUBLE_EQ(unique_share(shape, 16), 40.0 / 144);
}

TEST(GemmShape, WindowsThatDoNotOverlapShareNothing) {
  EXPECT_DOUBLE_EQ(unique_share(gemm_shape_of(conv_of(8, 1, 1, 0), Pass::fwd), 128), 1);
  EXPECT_DOUBLE_EQ(unique_share(gemm_shape_of(conv_of(8, 2, 2, 0), Pass::fwd), 128), 1);
}

TEST(GemmShape, PassesArePermutationsOfTheSameWork) {
  const Conv conv = conv_of(8, 3, 1, 1);
  const GemmShape forward = gemm_shape_of(conv, Pass::fwd), weight = gemm_shape_of(conv, Pass::bwd_weight);
  const GemmShape data = gemm_shape_of(conv, Pass::bwd_data);
  EXPECT_EQ(forward.m, 2 * 64);
  EXPECT_EQ(forward.n, 5);
  EXPECT_EQ(forward.k, 27);
  EXPECT_EQ(data.m, 2 * 64);
  EXPECT_EQ(data.n, 3);
  EXPECT_EQ(data.k, 45);
  EXPECT_EQ(weight.m, 27);
  EXPECT_EQ(weight.n, 5);
  EXPECT_EQ(weight.k, 2 * 64);
  // Bytes: inputs 2 x 3 x 64, filters 135, outputs 2 x 5 x 64.
  EXPECT_EQ(forward.load, Bytes(4.0 * (384 + 135)));
  EXPECT_EQ(forward.store, Bytes(4.0 * 640));
  EXPECT_EQ(data.load, Bytes(4.0 * (640 + 135)));
  EXPECT_EQ(data.classes, 1);
  EXPECT_EQ(data.store, Bytes(4.0 * 384));
  EXPECT_EQ(weight.load, Bytes(4.0 * (384 + 640)));
  EXPECT_EQ(weight.store, Bytes(4.0 * 135));
}

TEST(GemmShape, AGradientSkipsTapsAlongTheAxisOfTheLargestStride) {
  Conv tall = conv_of(8, 3, 1, 1), wide = tall;
  tall.axes[1].stride = 2;
  wide.axes[2].stride = 2;
  EXPECT_EQ(gemm_shape_of(tall, Pass::bwd_data).k, 45.0 / 2);
  EXPECT_EQ(gemm_shape_of(tall, Pass::bwd_data).classes, 2);
  EXPECT_EQ(gemm_shape_of(wide, Pass::bwd_data).k, 45.0 / 2);
}

TEST(GemmShape, StoresAreAlignedWhereMapsFillSectors) {
  EXPECT_TRUE(gemm_shape_of(conv_of(8, 3, 1, 1), Pass::fwd).aligned_store);   // 64 floats: 8 sectors
  EXPECT_FALSE(gemm_shape_of(conv_of(7, 3, 1, 1), Pass::fwd).aligned_store);  // 49 floats
}

}  // namespace
}  // namespace rooftile
