#include "rooftile/ops/pass_bytes.hpp"

#include <gtest/gtest.h>

namespace rooftile {
namespace {

constexpr Bytes kFloat(4);

TEST(PassBytes, OfAGemmByHand) {
  const Gemm gemm = {.batch = 2, .m = 3, .n = 5, .k = 7};  // A 21, B 35, C 15 elements
  EXPECT_EQ(pass_bytes(gemm, kFloat, Pass::fwd), (OperandBytes{Bytes(8.0 * (21 + 35)), Bytes(8.0 * 15)}));
  EXPECT_EQ(pass_bytes(gemm, kFloat, Pass::bwd_data), (OperandBytes{Bytes(8.0 * (15 + 35)), Bytes(8.0 * 21)}));
  EXPECT_EQ(pass_bytes(gemm, kFloat, Pass::bwd_weight), (OperandBytes{Bytes(8.0 * (21 + 15)), Bytes(8.0 * 35)}));
}

TEST(PassBytes, OfAConvolutionByHand) {
  Conv conv;  // X 2x4x6x6 = 288, W 8x2x3x3 = 144 in two groups, Y 2x8x4x4 = 256
  conv.batch = 2;
  conv.in_channels = 4;
  conv.out_channels = 8;
  conv.groups = 2;
  conv.axes[1] = conv.axes[2] = {.in = 6, .filter = 3};
  EXPECT_EQ(pass_bytes(conv, Bytes(2), Pass::fwd), (OperandBytes{Bytes(2.0 * (288 + 144)), Bytes(2.0 * 256)}));
  EXPECT_EQ(pass_bytes(conv, Bytes(2), Pass::bwd_data), (OperandBytes{Bytes(2.0 * (256 + 144)), Bytes(2.0 * 288)}));
  EXPECT_EQ(pass_bytes(conv, Bytes(2), Pass::bwd_weight), (OperandBytes{Bytes(2.0 * (288 + 256)), Bytes(2.0 * 144)}));
}

TEST(PassBytes, TheDataGradientIsWrittenWholeWhereAStrideSkipsInputs) {
  Conv conv;  // 1x1 with stride 2 on 4x4: 4 of 16 positions are read
  conv.axes[1] = conv.axes[2] = {.in = 4, .filter = 1, .stride = 2};
  EXPECT_EQ(pass_bytes(conv, Bytes(1), Pass::fwd), (OperandBytes{Bytes(4 + 1), Bytes(4)}));
  EXPECT_EQ(pass_bytes(conv, Bytes(1), Pass::bwd_data), (OperandBytes{Bytes(4 + 1), Bytes(16)}));
  EXPECT_EQ(pass_bytes(conv, Bytes(1), Pass::bwd_weight), (OperandBytes{Bytes(4 + 4), Bytes(1)}));
}

}  // namespace
}  // namespace rooftile
