// Operators as operator sets after 17 write them.
#include "rooftile/ingest/onnx_opset18.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/ingest/onnx.hpp"
#include "rooftile/ingest/onnx_test_model.hpp"

namespace rooftile {
namespace {

using testing::HasSubstr;
using Ints = TestModel::Ints;

// The first op's kind and its result's shape.
std::pair<OpKind, Shape> first_op(const TestModel& model) {
  const auto workload = parse_onnx(model.bytes(), "m", "m.onnx");
  if (!workload) {
    ADD_FAILURE() << workload.error().text();
    return {};
  }
  return {workload->ops[0].kind, workload->tensors[workload->ops[0].outputs[0]].shape};
}

TestModel with_x() { return TestModel(18).input("x", {2, 6, 4, 4}).output("y"); }

TEST(OnnxOpset18, ReductionsTakeTheirAxesAsAnInput) {
  const auto mean = first_op(with_x().ints("axes", {2, 3}).node("ReduceMean", {"x", "axes"}, {"y"}));
  EXPECT_EQ(mean.first, OpKind(Reduce{"mean"}));
  EXPECT_EQ(mean.second, (Shape{2, 6, 1, 1}));
  const auto all = first_op(with_x().node("ReduceMax", {"x"}, {"y"}, {{"keepdims", 0}}));
  EXPECT_EQ(all.second, Shape{});
  const auto none = first_op(with_x().node("ReduceMax", {"x"}, {"y"}, {{"noop_with_empty_axes", 1}}));
  EXPECT_EQ(none.first, OpKind(View{"identity"}));
}

TEST(OnnxOpset18, SplitCountsItsOutputs) {
  const TestModel::Attribute axis = {"axis", -3};
  const auto even = first_op(with_x().node("Split", {"x"}, {"y", "z", "w"}, {axis, {"num_outputs", 3}}));
  EXPECT_EQ(even.first, OpKind(Move{"split"}));
  EXPECT_EQ(even.second, (Shape{2, 2, 4, 4}));
  const auto uneven = parse_onnx(TestModel(18)
                                     .input("x", {2, 7})
                                     .node("Split", {"x"}, {"y", "z"}, {{"axis", 1}, {"num_outputs", 2}})
                                     .output("y")
                                     .bytes(),
                                 "m", "m.onnx");
  ASSERT_TRUE(uneven) << uneven.error().text();
  EXPECT_EQ(uneven->tensors[uneven->ops[0].outputs[0]].shape, (Shape{2, 4}));
  EXPECT_EQ(uneven->tensors[uneven->ops[0].outputs[1]].shape, (Shape{2, 3}));
}

TEST(OnnxOpset18, PadNamesItsAxes) {
  const auto pad = first_op(with_x()
                                .ints("pads", {1, 2, 3, 4})
                                .number("value", 0)
                                .ints("axes", {-1, 2})
                                .node("Pad", {"x", "pads", "value", "axes"}, {"y"}));
  EXPECT_EQ(pad.second, (Shape{2, 6, 10, 8}));  // height 4 + 2 + 4, width 4 + 1 + 3
}

TEST(OnnxOpset18, ResizeNamesItsAxes) {
  const auto scaled =
      first_op(with_x()
                   .floats("none", {})
                   .floats("scales", {2, 3})
                   .node("Resize", {"x", "none", "scales"}, {"y"}, {{"axes", Ints{2, 3}}, {"antialias", 1}}));
  EXPECT_EQ(scaled.second, (Shape{2, 6, 8, 12}));
  const auto sized =
      first_op(with_x().ints("sizes", {9, 7}).node("Resize", {"x", "", "", "sizes"}, {"y"}, {{"axes", Ints{3, 2}}}));
  EXPECT_EQ(sized.second, (Shape{2, 6, 7, 9}));
}

TEST(OnnxOpset18, NewOperators) {
  EXPECT_EQ(first_op(TestModel(20).input("x", {2, 3}).output("y").node("Gelu", {"x"}, {"y"})).first,
            OpKind(Elementwise{"gelu", 5}));
  EXPECT_EQ(
      first_op(with_x().weight("s", {2}).node("GroupNormalization", {"x", "s", "s"}, {"y"}, {{"num_groups", 2}})).first,
      OpKind(Normalize{"group"}));
  EXPECT_EQ(
      first_op(TestModel(19).input("x", {2}).output("y").node("Cast", {"x"}, {"y"}, {{"to", 10}, {"saturate", 1}}))
          .first,
      OpKind(Elementwise{"cast", 1}));
}

TEST(OnnxOpset18, DilatedAverages) {
  const auto pool =
      first_op(TestModel(19)
                   .input("x", {1, 1, 9, 9})
                   .output("y")
                   .node("AveragePool", {"x"}, {"y"},
                         {{"kernel_shape", Ints{3, 3}}, {"dilations", Ints{2, 2}}, {"strides", Ints{2, 1}}}));
  EXPECT_EQ(pool.first, OpKind(Pool{"average", 9}));
  EXPECT_EQ(pool.second, (Shape{1, 1, 3, 5}));  // the window spans 5
}

TEST(OnnxOpset18, NormsOverWindowsThatAreRoundedUp) {
  const auto pool = first_op(
      TestModel(18)
          .input("x", {1, 1, 8, 8})
          .output("y")
          .node("LpPool", {"x"}, {"y"}, {{"kernel_shape", Ints{3, 3}}, {"strides", Ints{2, 2}}, {"ceil_mode", 1}}));
  EXPECT_EQ(pool.second, (Shape{1, 1, 4, 4}));
}

// Weights in 4 bits, blocks of them with a scale each, as operator set 21 has them.
TEST(OnnxOpset18, WeightsInFourBits) {
  const auto workload = parse_onnx(TestModel(21)
                                       .input("x", {2, 64}, TestModel::kHalf)
                                       .weight("w", {64, 32}, TestModel::kInt4)
                                       .weight("s", {2, 32}, TestModel::kHalf)
                                       .node("DequantizeLinear", {"w", "s"}, {"d"}, {{"axis", 0}, {"block_size", 32}})
                                       .node("MatMul", {"x", "d"}, {"y"})
                                       .output("y")
                                       .bytes(),
                                   "m", "m.onnx");
  ASSERT_TRUE(workload) << workload.error().text();
  ASSERT_EQ(workload->ops.size(), 1u);
  EXPECT_EQ(workload->tensors[workload->ops[0].inputs[1]].dtype, DType::fp16);
}

TEST(OnnxOpset18, ResizeKeepsTheRatioOfSides) {
  const auto with = [](const std::string& policy) {
    return first_op(TestModel(18)
                        .input("x", {2, 6, 4, 8})
                        .output("y")
                        .ints("sizes", {8, 8})
                        .node("Resize", {"x", "", "", "sizes"}, {"y"},
                              {{"axes", Ints{2, 3}}, {"keep_aspect_ratio_policy", policy}}))
        .second;
  };
  EXPECT_EQ(with("not_larger"), (Shape{2, 6, 4, 8}));
  EXPECT_EQ(with("not_smaller"), (Shape{2, 6, 8, 16}));
}

TEST(OnnxOpset18, DeformedConvolutionsAreCountedAsPlainOnes) {
  const auto workload = parse_onnx(TestModel(19)
                                       .input("x", {1, 4, 8, 8})
                                       .input("offsets", {1, 18, 6, 6})
                                       .weight("w", {6, 4, 3, 3})
                                       .node("DeformConv", {"x", "w", "offsets"}, {"y"}, {{"offset_group", 1}})
                                       .output("y")
                                       .bytes(),
                                   "m", "m.onnx");
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_TRUE(std::holds_alternative<Conv>(workload->ops[0].kind));
  EXPECT_THAT(workload->notes, testing::ElementsAre("DeformConv: the positions that it samples are taken for fixed"));
}

TEST(OnnxOpset18, WhatIsWrongIsNamed) {
  const auto error = [](const TestModel& model) {
    const auto workload = parse_onnx(model.bytes(), "m", "m.onnx");
    return workload ? "no error" : workload.error().text();
  };
  EXPECT_THAT(error(with_x()
                        .ints("sizes", {8, 8})
                        .node("Resize", {"x", "", "", "sizes"}, {"y"},
                              {{"axes", Ints{2, 3}}, {"keep_aspect_ratio_policy", "none"}})),
              HasSubstr("keep_aspect_ratio_policy 'none' is not one of"));
  EXPECT_THAT(error(with_x().node("Split", {"x"}, {"y", "z"}, {{"axis", 1}, {"num_outputs", 3}})),
              HasSubstr("num_outputs is 3 with 2 outputs"));
}

}  // namespace
}  // namespace rooftile
