#include "rooftile/execution/strides.hpp"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "rooftile/ops/builder.hpp"

namespace rooftile {
namespace {

class Net {
 public:
  Net() : builder_("net") {}
  TensorId input(const Shape& shape) { return last_ = builder_.input({.name = "x", .shape = shape}).value(); }
  TensorId add(const std::string& name, const OpKind& kind, std::optional<Shape> shape = {}) {
    return last_ =
               builder_.add({.name = name, .kind = kind, .inputs = {last_}, .shape = std::move(shape)}).value().front();
  }
  Workload finish() { return builder_.finish().value(); }

 private:
  WorkloadBuilder builder_;
  TensorId last_ = 0;
};

std::size_t copies(const Workload& workload) {
  return static_cast<std::size_t>(std::count_if(workload.ops.begin(), workload.ops.end(),
                                                [](const Op& op) { return std::holds_alternative<Move>(op.kind); }));
}

const Move kTranspose{.function = "transpose"};
const Normalize kLayer{.function = "layer"};

// A layer norm over the channels of maps, as ConvNeXt has it.
Workload norm_of_maps() {
  Net net;
  net.input({2, 8, 14, 14});
  Conv conv{.batch = 2, .in_channels = 8, .out_channels = 8};
  conv.axes[1] = conv.axes[2] = {.in = 14, .filter = 3, .pad_begin = 1, .pad_end = 1};
  net.add("conv", conv);
  net.add("last", kTranspose, Shape{2, 14, 14, 8});
  net.add("norm", kLayer);
  net.add("back", kTranspose, Shape{2, 8, 14, 14});
  net.add("relu", Elementwise{.function = "relu"});
  return net.finish();
}

TEST(Strides, ANormCopiesMapsOnlyIfTheirChannelsLieApart) {
  EXPECT_EQ(copies(norm_of_maps()), 2);
  EXPECT_EQ(copies(move_where_needed(norm_of_maps(), {.nhwc = false})), 1);
  EXPECT_EQ(copies(move_where_needed(norm_of_maps(), {.nhwc = true})), 0);
}

// PyTorch's group norm returns planes, whatever it reads.
TEST(Strides, AConvolutionWithChannelsLastCopiesPlanes) {
  Net net;
  net.input({2, 8, 14, 14});
  Conv conv{.batch = 2, .in_channels = 8, .out_channels = 8};
  conv.axes[1] = conv.axes[2] = {.in = 14, .filter = 3, .pad_begin = 1, .pad_end = 1};
  net.add("first", conv);
  net.add("norm", Normalize{.function = "group"});
  net.add("second", conv);
  const Workload workload = net.finish();
  EXPECT_EQ(copies(move_where_needed(workload, {.nhwc = true})), 2) << "to planes and back";
  EXPECT_EQ(copies(move_where_needed(workload, {.nhwc = false})), 0);
}

// DenseNet's blocks begin with one.
TEST(Strides, AConcatenationOfOneTensorCopiesNothing) {
  Net net;
  net.input({2, 8, 14, 14});
  Conv conv{.batch = 2, .in_channels = 8, .out_channels = 8};
  conv.axes[1] = conv.axes[2] = {.in = 14, .filter = 3, .pad_begin = 1, .pad_end = 1};
  net.add("first", conv);
  net.add("concat", View{"concat"}, Shape{2, 8, 14, 14});
  net.add("second", conv);
  EXPECT_EQ(copies(move_where_needed(net.finish(), {.nhwc = true})), 0);
}

TEST(Strides, ThereAndBackIsFree) {
  Net net;
  net.input({2, 3, 5, 7});
  net.add("last", kTranspose, Shape{2, 5, 7, 3});
  net.add("relu", Elementwise{.function = "relu"});
  net.add("first", kTranspose, Shape{2, 3, 5, 7});
  net.add("flat", View{"flatten"}, Shape{2, 105});
  EXPECT_EQ(copies(move_where_needed(net.finish(), {})), 0);
}

TEST(Strides, AReshapeOfHeadsMovesThem) {
  Net net;
  net.input({2, 16, 4, 8});
  net.add("heads", kTranspose, Shape{2, 4, 16, 8});
  net.add("joined", View{"reshape"}, Shape{8, 16, 8});
  const Workload run = move_where_needed(net.finish(), {});
  EXPECT_EQ(copies(run), 1);
  EXPECT_EQ(run.ops[1].name, "heads.contiguous");
}

// torch.bmm, as nn.MultiheadAttention calls it: positions, then heads of samples.
TEST(Strides, ABatchedProductReadsMatricesAFixedStrideApart) {
  const auto run = [](const Shape& from, const Shape& to) {
    WorkloadBuilder builder("net");
    const TensorId x = builder.input({.name = "x", .shape = from}).value();
    const TensorId heads =
        builder.add({.name = "heads", .kind = kTranspose, .inputs = {x}, .shape = to}).value().front();
    const Gemm scores{.batch = 6, .m = 16, .n = 16, .k = 8, .trans_b = true};
    builder.add({.name = "scores", .kind = scores, .inputs = {heads, heads}}).value();
    return copies(move_where_needed(builder.finish().value(), {}));
  };
  EXPECT_EQ(run({16, 6, 8}, {6, 16, 8}), 0);
  EXPECT_EQ(run({2, 16, 3, 8}, {2, 3, 16, 8}), 2) << "matmul() makes one of two batch dimensions";
}

TEST(Strides, ASliceIsReadWhereItLies) {
  Net net;
  net.input({2, 16, 96});
  net.add("part", Move{.function = "slice", .partial = true}, Shape{2, 16, 32});
  net.add("relu", Elementwise{.function = "relu"});
  net.add("flat", View{"flatten"}, Shape{2, 512});
  const Workload workload = net.finish();
  EXPECT_EQ(copies(move_where_needed(workload, {})), 0);
  EXPECT_EQ(copies(move_where_needed(workload, {.training = true})), 1);
}

TEST(Strides, TheFirstOfSeveralIsInOnePiece) {
  Net net;
  net.input({3, 16, 32});
  net.add("first", Move{.function = "gather", .partial = true}, Shape{16, 32});
  net.add("flat", View{"flatten"}, Shape{512});
  EXPECT_EQ(copies(move_where_needed(net.finish(), {})), 0);
  Net other;
  other.input({16, 3, 32});
  other.add("first", Move{.function = "gather", .partial = true}, Shape{16, 32});
  other.add("flat", View{"flatten"}, Shape{512});
  EXPECT_EQ(copies(move_where_needed(other.finish(), {})), 1);
}

}  // namespace
}  // namespace rooftile
