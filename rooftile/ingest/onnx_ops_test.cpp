// Single operators: what kind of op they become, with which geometry, and the shape of their result.
#include "rooftile/ingest/onnx_ops.hpp"

#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/ingest/onnx.hpp"
#include "rooftile/ingest/onnx_test_model.hpp"

namespace rooftile {
namespace {

using Ints = TestModel::Ints;
using Attributes = std::vector<TestModel::Attribute>;

struct Imported {
  OpKind kind;
  Shape output;
  std::size_t inputs = 0;
  std::string error;
};

Imported last_op(const TestModel& model) {
  const auto workload = parse_onnx(model.bytes(), "m", "m.onnx");
  if (!workload) return {{}, {}, 0, workload.error().text()};
  const Op& op = workload->ops.back();
  return {op.kind, workload->tensors[op.outputs[0]].shape, op.inputs.size(), ""};
}

// One operator on x of that shape and weights of those.
Imported import_op(const std::string& type, const Shape& shape, const Attributes& attributes = {},
                   const std::vector<Shape>& weights = {}) {
  TestModel model;
  model.input("x", shape);
  std::vector<std::string> inputs = {"x"};
  for (const Shape& weight : weights) {
    inputs.push_back("w" + std::to_string(inputs.size()));
    model.weight(inputs.back(), weight);
  }
  return last_op(model.node(type, inputs, {"y"}, attributes).output("y"));
}

Imported convolve(const Shape& shape, const Shape& filter, const Attributes& attributes) {
  return import_op("Conv", shape, attributes, {filter});
}

Imported transpose_convolve(const Attributes& attributes) {
  return import_op("ConvTranspose", {2, 6, 10, 10}, attributes, {{6, 4, 3, 3}});
}

// Width axis of the convolution that was imported.
ConvAxis width(const Imported& imported) {
  const Conv* conv = std::get_if<Conv>(&imported.kind);
  EXPECT_NE(conv, nullptr) << imported.error;
  return conv ? conv->axes[2] : ConvAxis{};
}

TEST(OnnxConv, PlainWithBias) {
  const auto imported =
      import_op("Conv", {2, 3, 8, 10}, {{"pads", Ints{1, 2, 1, 2}}, {"strides", Ints{1, 2}}}, {{16, 3, 3, 5}, {16}});
  Conv expected;
  expected.batch = 2;
  expected.in_channels = 3;
  expected.out_channels = 16;
  expected.bias = true;
  expected.axes[1] = {.in = 8, .filter = 3, .pad_begin = 1, .pad_end = 1};
  expected.axes[2] = {.in = 10, .filter = 5, .stride = 2, .pad_begin = 2, .pad_end = 2};
  EXPECT_EQ(imported.kind, OpKind(expected)) << imported.error;
  EXPECT_EQ(imported.output, (Shape{2, 16, 8, 5}));  // (10 + 4 - 5) / 2 + 1
  EXPECT_EQ(imported.inputs, 3u);
}

TEST(OnnxConv, OneDimension) {
  const auto imported = convolve({4, 8, 100}, {16, 8, 7}, {{"strides", Ints{3}}, {"pads", Ints{2, 0}}});
  EXPECT_EQ(imported.output, (Shape{4, 16, 32}));  // (100 + 2 - 7) / 3 + 1
  EXPECT_EQ(width(imported), (ConvAxis{.in = 100, .filter = 7, .stride = 3, .pad_begin = 2}));
  EXPECT_EQ(std::get<Conv>(imported.kind).axes[1], ConvAxis{});
}

TEST(OnnxConv, ThreeDimensions) {
  const auto imported = convolve({1, 3, 8, 20, 30}, {5, 3, 3, 4, 5}, {{"strides", Ints{1, 2, 3}}});
  EXPECT_EQ(imported.output, (Shape{1, 5, 6, 9, 9}));
  EXPECT_EQ(std::get<Conv>(imported.kind).axes[0], (ConvAxis{.in = 8, .filter = 3}));
}

TEST(OnnxConv, AsymmetricPadding) {
  const auto imported = convolve({1, 1, 5, 5}, {1, 1, 2, 2}, {{"pads", Ints{0, 1, 2, 3}}});
  EXPECT_EQ(imported.output, (Shape{1, 1, 6, 8}));  // 5 + 0 + 2 - 1, 5 + 1 + 3 - 1
}

TEST(OnnxConv, Dilated) {
  const auto imported = convolve({1, 1, 20, 20}, {1, 1, 3, 3}, {{"dilations", Ints{2, 4}}});
  EXPECT_EQ(imported.output, (Shape{1, 1, 16, 12}));  // the filter spans 5 and 9
}

TEST(OnnxConv, GroupedAndDepthwise) {
  const auto grouped = convolve({1, 8, 5, 5}, {6, 4, 1, 1}, {{"group", 2}});
  EXPECT_EQ(std::get<Conv>(grouped.kind).groups, 2) << grouped.error;
  EXPECT_EQ(std::get<Conv>(grouped.kind).out_channels, 6);
  const auto depthwise = convolve({1, 8, 5, 5}, {16, 1, 3, 3}, {{"group", 8}});
  EXPECT_EQ(depthwise.output, (Shape{1, 16, 3, 3})) << depthwise.error;
  EXPECT_EQ(std::get<Conv>(depthwise.kind).groups, 8);
}

TEST(OnnxConv, AutoPad) {
  const Shape shape = {1, 1, 10, 10}, filter = {1, 1, 4, 4};
  const Ints strides = {3, 3};  // 4 outputs; (4 - 1) 3 + 4 - 10 = 3 positions of padding
  const auto upper = convolve(shape, filter, {{"strides", strides}, {"auto_pad", "SAME_UPPER"}});
  EXPECT_EQ(upper.output, (Shape{1, 1, 4, 4}));
  EXPECT_EQ(width(upper), (ConvAxis{.in = 10, .filter = 4, .stride = 3, .pad_begin = 1, .pad_end = 2}));
  const auto lower = convolve(shape, filter, {{"strides", strides}, {"auto_pad", "SAME_LOWER"}});
  EXPECT_EQ(width(lower), (ConvAxis{.in = 10, .filter = 4, .stride = 3, .pad_begin = 2, .pad_end = 1}));
  const auto valid = convolve(shape, filter, {{"strides", strides}, {"auto_pad", "VALID"}});
  EXPECT_EQ(valid.output, (Shape{1, 1, 3, 3}));
}

TEST(OnnxConvTranspose, Plain) {
  const auto imported = transpose_convolve({{"strides", Ints{2, 2}}, {"pads", Ints{1, 1, 1, 1}}});
  EXPECT_EQ(imported.output, (Shape{2, 4, 19, 19}));  // 9 x 2 - 2 + 3
  EXPECT_TRUE(std::get<Conv>(imported.kind).transposed);
  EXPECT_EQ(std::get<Conv>(imported.kind).out_channels, 4);
}

TEST(OnnxConvTranspose, OutputPadding) {
  const auto imported =
      transpose_convolve({{"strides", Ints{2, 2}}, {"pads", Ints{1, 1, 1, 1}}, {"output_padding", Ints{1, 1}}});
  EXPECT_EQ(imported.output, (Shape{2, 4, 20, 20}));
}

TEST(OnnxConvTranspose, OutputShape) {
  const auto imported = transpose_convolve({{"strides", Ints{2, 2}}, {"output_shape", Ints{20, 18}}});
  EXPECT_EQ(imported.output, (Shape{2, 4, 20, 18}));
  // 9 x 2 + 3 = 21 positions: one too many in the height, three in the width; the odd one goes first.
  EXPECT_EQ(width(imported), (ConvAxis{.in = 10, .filter = 3, .stride = 2, .pad_begin = 2, .pad_end = 1}));
}

TEST(OnnxConvTranspose, AutoPadMultipliesByTheStride) {
  const auto imported = transpose_convolve({{"strides", Ints{2, 2}}, {"auto_pad", "SAME_UPPER"}});
  EXPECT_EQ(imported.output, (Shape{2, 4, 20, 20}));
}

TEST(OnnxConvTranspose, Groups) {
  const auto imported = import_op("ConvTranspose", {1, 6, 4, 4}, {{"group", 3}}, {{6, 5, 2, 2}});
  EXPECT_EQ(imported.output, (Shape{1, 15, 5, 5})) << imported.error;
  EXPECT_EQ(std::get<Conv>(imported.kind).out_channels, 15);
}

TEST(OnnxGemm, TransposedOperands) {
  const auto plain = import_op("Gemm", {4, 5}, {{"transB", 1}}, {{7, 5}, {7}});
  EXPECT_EQ(plain.kind, OpKind(Gemm{.m = 4, .n = 7, .k = 5, .trans_b = true, .bias = true})) << plain.error;
  const auto transposed = import_op("Gemm", {5, 4}, {{"transA", 1}}, {{5, 7}});
  EXPECT_EQ(transposed.kind, OpKind(Gemm{.m = 4, .n = 7, .k = 5, .trans_a = true})) << transposed.error;
  EXPECT_EQ(transposed.output, (Shape{4, 7}));
}

TEST(OnnxMatMul, FoldsRowsAndBatchesMatrices) {
  const auto weights = import_op("MatMul", {2, 3, 4, 5}, {}, {{5, 6}});
  EXPECT_EQ(weights.kind, OpKind(Gemm{.m = 24, .n = 6, .k = 5})) << weights.error;
  const auto batched = import_op("MatMul", {2, 3, 4, 5}, {}, {{3, 5, 6}});
  EXPECT_EQ(batched.kind, OpKind(Gemm{.batch = 6, .m = 4, .n = 6, .k = 5})) << batched.error;
  EXPECT_EQ(batched.output, (Shape{2, 3, 4, 6}));
}

Imported recur(const std::string& type, const Shape& input, const std::vector<Shape>& weights,
               const Attributes& attributes) {
  Attributes all = attributes;
  all.emplace_back("hidden_size", std::int64_t{30});
  return import_op(type, input, all, weights);
}

TEST(OnnxRecurrent, CellsBecomeOneLayer) {
  Recurrent expected;
  expected.steps = 10;
  expected.batch = 8;
  expected.input = 20;
  expected.hidden = 30;
  const auto lstm = recur("LSTM", {10, 8, 20}, {{1, 120, 20}, {1, 120, 30}, {1, 240}}, {});
  EXPECT_EQ(lstm.kind, OpKind(expected)) << lstm.error;
  EXPECT_EQ(lstm.output, (Shape{10, 1, 8, 30}));
  EXPECT_EQ(lstm.inputs, 4u);
  expected.cell = "gru";
  EXPECT_EQ(recur("GRU", {10, 8, 20}, {{1, 90, 20}, {1, 90, 30}}, {}).kind, OpKind(expected));
  expected.cell = "vanilla";
  EXPECT_EQ(recur("RNN", {10, 8, 20}, {{1, 30, 20}, {1, 30, 30}}, {}).kind, OpKind(expected));
}

TEST(OnnxRecurrent, TwoDirectionsAndBatchFirst) {
  const auto both = recur("LSTM", {10, 8, 20}, {{2, 120, 20}, {2, 120, 30}}, {{"direction", "bidirectional"}});
  ASSERT_TRUE(std::holds_alternative<Recurrent>(both.kind)) << both.error;
  EXPECT_EQ(std::get<Recurrent>(both.kind).directions, 2);
  const auto first = recur("GRU", {8, 10, 20}, {{1, 90, 20}, {1, 90, 30}}, {{"layout", std::int64_t{1}}});
  ASSERT_TRUE(std::holds_alternative<Recurrent>(first.kind)) << first.error;
  EXPECT_EQ(std::get<Recurrent>(first.kind).steps, 10);
  EXPECT_EQ(std::get<Recurrent>(first.kind).batch, 8);
}

TEST(OnnxRecurrent, TheLastStateAlone) {
  TestModel model;
  model.input("x", {10, 8, 20}).weight("w", {1, 120, 20}).weight("r", {1, 120, 30});
  model.node("LSTM", {"x", "w", "r"}, {"", "h"}, {{"hidden_size", std::int64_t{30}}}).output("h");
  const auto last = last_op(model);
  EXPECT_TRUE(std::holds_alternative<Recurrent>(last.kind)) << last.error;
  EXPECT_EQ(last.output, (Shape{1, 8, 30}));
}

TEST(OnnxRecurrent, WeightsThatDoNotFitAreRefused) {
  EXPECT_THAT(recur("LSTM", {10, 8, 20}, {{1, 90, 20}, {1, 90, 30}}, {}).error, testing::HasSubstr("do not fit input"));
  EXPECT_THAT(recur("LSTM", {10, 8, 20}, {{2, 120, 20}, {2, 120, 30}}, {}).error, testing::HasSubstr("directions"));
}

TEST(OnnxPool, Windows) {
  const auto max = import_op("MaxPool", {1, 2, 7, 7}, {{"kernel_shape", Ints{3, 3}}, {"strides", Ints{2, 2}}});
  EXPECT_EQ(max.kind, OpKind(Pool{"max", 9})) << max.error;
  EXPECT_EQ(max.output, (Shape{1, 2, 3, 3}));
  const auto ceil =
      import_op("MaxPool", {1, 2, 8, 8}, {{"kernel_shape", Ints{3, 3}}, {"strides", Ints{2, 2}}, {"ceil_mode", 1}});
  EXPECT_EQ(ceil.output, (Shape{1, 2, 4, 4})) << ceil.error;
  const auto average = import_op("AveragePool", {1, 2, 9}, {{"kernel_shape", Ints{4}}});
  EXPECT_EQ(average.kind, OpKind(Pool{"average", 4})) << average.error;
  const auto global = import_op("GlobalAveragePool", {1, 2, 7, 9});
  EXPECT_EQ(global.kind, OpKind(Pool{"average", 63})) << global.error;
  EXPECT_EQ(global.output, (Shape{1, 2, 1, 1}));
}

TEST(OnnxNormalize, Kinds) {
  const Shape x = {2, 8, 4, 4};
  EXPECT_EQ(import_op("BatchNormalization", x, {}, {{8}, {8}, {8}, {8}}).kind, OpKind(Normalize{"batch"}));
  EXPECT_EQ(import_op("InstanceNormalization", x, {}, {{8}, {8}}).kind, OpKind(Normalize{"instance"}));
  EXPECT_EQ(import_op("LayerNormalization", x, {}, {{4}, {4}}).kind, OpKind(Normalize{"layer"}));
  EXPECT_EQ(import_op("LRN", x, {{"size", 5}}).kind, OpKind(Normalize{"lrn", 5}));
  EXPECT_EQ(import_op("Softmax", x).kind, OpKind(Softmax{}));
}

TEST(OnnxElementwise, CountsOperations) {
  const Shape x = {2, 8};
  EXPECT_EQ(import_op("Relu", x).kind, OpKind(Elementwise{"relu", 1}));
  EXPECT_EQ(import_op("HardSwish", x).kind, OpKind(Elementwise{"hard_swish", 5}));
  EXPECT_EQ(import_op("Sum", x, {}, {{2, 8}, {8}, {1}}).kind, OpKind(Elementwise{"add", 3}));
  EXPECT_EQ(import_op("Mul", x, {}, {{3, 1, 1}}).output, (Shape{3, 2, 8}));
}

TEST(OnnxElementwise, TakesActivationsBeforeConstants) {
  const auto workload =
      parse_onnx(TestModel().input("x", {2, 3}).weight("b", {3}).node("Add", {"b", "x"}, {"y"}).output("y").bytes(),
                 "m", "m.onnx");
  ASSERT_TRUE(workload);
  EXPECT_FALSE(workload->tensors[workload->ops[0].inputs[0]].constant);
  EXPECT_TRUE(workload->tensors[workload->ops[0].inputs[1]].constant);
}

TEST(OnnxMove, TranspositionOfSingleDimensionsIsAView) {
  EXPECT_EQ(import_op("Transpose", {2, 3, 1, 4}, {{"perm", Ints{0, 2, 1, 3}}}).kind, OpKind(View{"transpose"}));
  EXPECT_EQ(import_op("Transpose", {2, 3, 1, 4}, {{"perm", Ints{0, 3, 1, 2}}}).kind, OpKind(Move{"transpose"}));
  EXPECT_EQ(import_op("Transpose", {2, 3}).output, (Shape{3, 2}));
}

TEST(OnnxMove, WhatChangesNothingIsAView) {
  const auto pad = [](const Ints& pads) {
    return last_op(TestModel().input("x", {2, 3}).ints("p", pads).node("Pad", {"x", "p"}, {"y"}).output("y"));
  };
  EXPECT_EQ(pad({0, 0, 0, 0}).kind, OpKind(View{"pad"}));
  EXPECT_EQ(pad({0, 1, 0, 1}).kind, OpKind(Move{"pad"}));
  EXPECT_EQ(import_op("Concat", {2, 3}, {{"axis", 0}}).kind, OpKind(View{"concat"}));
  EXPECT_EQ(import_op("Concat", {2, 3}, {{"axis", 0}}, {{4, 3}}).output, (Shape{6, 3}));
  EXPECT_EQ(import_op("Dropout", {2, 3}).kind, OpKind(View{"dropout"}));
  EXPECT_EQ(import_op("Cast", {2, 3}, {{"to", 1}}).kind, OpKind(View{"cast"}));
  EXPECT_EQ(import_op("Cast", {2, 3}, {{"to", 10}}).kind, OpKind(Elementwise{"cast", 1}));
}

TEST(OnnxMove, ResizingDownByNearestNeighbourReadsInPart) {
  const auto resize = [](const std::string& mode, double scale) {
    return last_op(TestModel()
                       .input("x", {1, 2, 8, 8})
                       .floats("none", {})
                       .floats("s", {1, 1, scale, scale})
                       .node("Resize", {"x", "none", "s"}, {"y"}, {{"mode", mode}})
                       .output("y"));
  };
  EXPECT_EQ(resize("nearest", 0.5).kind, OpKind(Move{"resize", true}));
  EXPECT_EQ(resize("nearest", 2).kind, OpKind(Move{"resize", false}));
  EXPECT_EQ(resize("linear", 0.5).kind, OpKind(Move{"resize", false}));
  EXPECT_EQ(resize("linear", 0.5).output, (Shape{1, 2, 4, 4}));
}

TEST(OnnxOps, SeveralOutputsAreKept) {
  const auto workload = parse_onnx(TestModel()
                                       .input("x", {2, 6})
                                       .node("Split", {"x"}, {"a", "b"}, {{"axis", 1}})
                                       .node("Add", {"a", "b"}, {"y"})
                                       .output("y")
                                       .bytes(),
                                   "m", "m.onnx");
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_EQ(workload->ops[0].outputs.size(), 2u);
  EXPECT_EQ(workload->tensors[workload->ops[0].outputs[1]].shape, (Shape{2, 3}));
}

TEST(OnnxOps, NamesAreUniqueAndTaken) {
  const auto workload = parse_onnx(TestModel()
                                       .input("x", {2})
                                       .node("Relu", {"x"}, {"a"})
                                       .name_node("same")
                                       .node("Abs", {"a"}, {"b"})
                                       .name_node("same")
                                       .node("Neg", {"b"}, {"c"})
                                       .output("c")
                                       .bytes(),
                                   "m", "m.onnx");
  ASSERT_TRUE(workload);
  EXPECT_EQ(workload->ops[0].name, "same");
  EXPECT_EQ(workload->ops[1].name, "same_2");
  EXPECT_EQ(workload->ops[2].name, "c");  // without a name: its output's
}

TEST(OnnxOps, TableNamesEachOperatorOnce) {
  const auto names = onnx_op_names();
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
  EXPECT_TRUE(onnx_op_known("Conv"));
  EXPECT_FALSE(onnx_op_known("conv"));
}

}  // namespace
}  // namespace rooftile
