#include "rooftile/ops/shapes.hpp"

#include <gtest/gtest.h>

namespace rooftile {
namespace {

TEST(Shapes, ConvOutputByRank) {
  Conv conv;
  conv.batch = 8;
  conv.out_channels = 64;
  conv.axes[1] = conv.axes[2] = {.in = 224, .filter = 7, .stride = 2, .pad_begin = 3, .pad_end = 3};
  EXPECT_EQ(conv_output(conv, 2), (Shape{8, 64, 112, 112}));
  EXPECT_EQ(conv_output(conv, 3), (Shape{8, 64, 1, 112, 112}));
  EXPECT_EQ(conv_output(conv, 1), (Shape{8, 64, 112}));
}

TEST(Shapes, Broadcast) {
  EXPECT_EQ(broadcast({8, 64, 56, 56}, {64, 1, 1}).value(), (Shape{8, 64, 56, 56}));
  EXPECT_EQ(broadcast({1, 3}, {2, 1}).value(), (Shape{2, 3}));
  EXPECT_EQ(broadcast({}, {2, 1}).value(), (Shape{2, 1}));
  EXPECT_EQ(broadcast({2, 3}, {2, 4}).error().message, "shapes 2x3 and 2x4 do not broadcast");
}

TEST(Shapes, MatMulWithOneWeightFoldsRows) {
  const MatMul product = matmul({8, 197, 768}, {768, 3072}).value();
  EXPECT_EQ(product.output, (Shape{8, 197, 3072}));
  EXPECT_EQ(product.gemm, (Gemm{.batch = 1, .m = 8 * 197, .n = 3072, .k = 768}));
}

TEST(Shapes, MatMulBatches) {
  const MatMul product = matmul({8, 12, 197, 64}, {8, 12, 64, 197}).value();
  EXPECT_EQ(product.output, (Shape{8, 12, 197, 197}));
  EXPECT_EQ(product.gemm, (Gemm{.batch = 96, .m = 197, .n = 197, .k = 64}));
}

TEST(Shapes, MatMulOfVectors) {
  EXPECT_EQ(matmul({5}, {5}).value().output, (Shape{}));
  EXPECT_EQ(matmul({5}, {5, 7}).value().output, (Shape{7}));
  EXPECT_EQ(matmul({3, 5}, {5}).value().output, (Shape{3}));
}

TEST(Shapes, MatMulErrors) {
  EXPECT_EQ(matmul({3, 4}, {5, 6}).error().message, "matrices 3x4 and 5x6 do not multiply");
  EXPECT_EQ(matmul({}, {5, 6}).error().message, "matrices scalar and 5x6 do not multiply");
  EXPECT_FALSE(matmul({2, 3, 4}, {5, 4, 6}));
  EXPECT_FALSE(matmul({std::int64_t{1} << 31, std::int64_t{1} << 31, 4, 4}, {4, 4}));
}

TEST(Shapes, PoolFloorAndCeil) {
  const ConvAxis googlenet = {.in = 112, .filter = 3, .stride = 2};
  EXPECT_EQ(pool_positions(googlenet, false), 55);
  EXPECT_EQ(pool_positions(googlenet, true), 56);
  // The last window would start in the right padding: it is dropped.
  EXPECT_EQ(pool_positions({.in = 4, .filter = 2, .stride = 3, .pad_begin = 0, .pad_end = 1}, true), 2);
  EXPECT_EQ(pool_positions({.in = 1, .filter = 3}, true), 0);
}

}  // namespace
}  // namespace rooftile
