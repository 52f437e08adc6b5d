#include "rooftile/ops/work.hpp"

#include <gtest/gtest.h>

#include "rooftile/workload/conv_geometry.hpp"

namespace rooftile {
namespace {

// One op over tensors of the given shapes, inputs first, one output.
struct OneOp {
  OneOp(OpKind kind, std::vector<Shape> inputs, Shape output) {
    Op op{"op", std::move(kind), {}, {}};
    for (Shape& shape : inputs) {
      op.inputs.push_back(workload.tensors.size());
      workload.tensors.push_back({"in", std::move(shape)});
    }
    op.outputs = {workload.tensors.size()};
    workload.tensors.push_back({"out", std::move(output)});
    workload.ops = {std::move(op)};
  }

  Flops count() const { return flops(workload, workload.ops[0]); }
  OperandBytes bytes() const { return operand_bytes(workload, workload.ops[0]); }

  Workload workload;
};

TEST(Work, ElementwiseReadsEachTensorOnce) {
  const OneOp add(Elementwise{"add", 1}, {{2, 8}, {8}}, {2, 8});
  EXPECT_EQ(add.bytes(), (OperandBytes{Bytes(4 * (16 + 8)), Bytes(4 * 16)}));
  EXPECT_EQ(add.count(), Flops(16));
  OneOp square(Elementwise{"mul", 1}, {{2, 8}}, {2, 8});
  square.workload.ops[0].inputs = {0, 0};
  EXPECT_EQ(square.bytes().read, Bytes(64));
}

TEST(Work, ViewMovesNothing) {
  const OneOp view(View{"reshape"}, {{2, 8}}, {16});
  EXPECT_EQ(view.bytes(), (OperandBytes{}));
  EXPECT_EQ(view.count(), Flops(0));
}

TEST(Work, PartialMoveReadsWhatItWrites) {
  EXPECT_EQ(OneOp(Move{"slice", true}, {{100}}, {10}).bytes(), (OperandBytes{Bytes(40), Bytes(40)}));
  EXPECT_EQ(OneOp(Move{"concat", false}, {{100}, {20}}, {120}).bytes(), (OperandBytes{Bytes(480), Bytes(480)}));
}

TEST(Work, NominalFlops) {
  EXPECT_EQ(OneOp(Pool{"max", 9}, {{1, 1, 6, 6}}, {1, 1, 2, 2}).count(), Flops(36));
  EXPECT_EQ(OneOp(Normalize{"batch"}, {{2, 8}}, {2, 8}).count(), Flops(32));
  EXPECT_EQ(OneOp(Normalize{"lrn", 5}, {{2, 8}}, {2, 8}).count(), Flops(16 * 13));
  EXPECT_EQ(OneOp(Normalize{"layer"}, {{2, 8}}, {2, 8}).count(), Flops(16 * 7));
  EXPECT_EQ(OneOp(Softmax{}, {{2, 8}}, {2, 8}).count(), Flops(80));
  EXPECT_EQ(OneOp(Reduce{"mean"}, {{2, 8}}, {2, 1}).count(), Flops(16));
  EXPECT_EQ(OneOp(Gemm{.batch = 2, .m = 3, .n = 5, .k = 7}, {{2, 3, 7}, {2, 7, 5}}, {2, 3, 5}).count(), Flops(420));
}

TEST(Work, DepthwiseConvolution) {
  Conv conv;
  conv.batch = 2;
  conv.in_channels = conv.out_channels = conv.groups = 32;
  conv.axes[1] = conv.axes[2] = {.in = 14, .filter = 3, .pad_begin = 1, .pad_end = 1};
  const OperandBytes bytes = conv_operand_bytes(conv, Bytes(4));
  EXPECT_EQ(bytes.read, Bytes(4.0 * (2 * 32 * 14 * 14 + 32 * 9)));
  EXPECT_EQ(bytes.write, Bytes(4.0 * 2 * 32 * 14 * 14));
  EXPECT_TRUE(is_depthwise(conv));
}

// A 1x1 filter with stride 2 needs every second row and column only.
TEST(Work, StridedPointwiseSkipsInputs) {
  Conv conv;
  conv.in_channels = 8;
  conv.out_channels = 4;
  conv.axes[1] = conv.axes[2] = {.in = 14, .filter = 1, .stride = 2};
  EXPECT_EQ(conv_operand_bytes(conv, Bytes(4)).read, Bytes(4.0 * (8 * 7 * 7 + 8 * 4)));
}

TEST(Work, TransposedConvolutionReadsItsInput) {
  Conv conv;
  conv.transposed = true;
  conv.in_channels = 8;
  conv.out_channels = 4;
  conv.axes[1] = conv.axes[2] = {.in = 5, .filter = 2, .stride = 2};
  EXPECT_EQ(conv_operand_bytes(conv, Bytes(4)).read, Bytes(4.0 * (8 * 25 + 8 * 4 * 4)));
  EXPECT_EQ(conv_operand_bytes(conv, Bytes(4)).write, Bytes(4.0 * 4 * 100));
}

}  // namespace
}  // namespace rooftile
