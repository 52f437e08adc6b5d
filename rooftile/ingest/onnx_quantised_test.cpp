// Operators on integers, and those between which integers are stored.
#include "rooftile/ingest/onnx_quantised.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/ingest/onnx.hpp"
#include "rooftile/ingest/onnx_test_model.hpp"

namespace rooftile {
namespace {

using testing::ElementsAre;
using Ints = TestModel::Ints;

constexpr auto kInt8 = TestModel::kInt8;
constexpr auto kUint8 = TestModel::kUint8;

std::vector<std::string> functions_of(const Workload& workload) {
  std::vector<std::string> names;
  for (const Op& op : workload.ops) {
    const auto* map = std::get_if<Elementwise>(&op.kind);
    names.push_back(map ? map->function : std::string(name_of(op.kind)));
  }
  return names;
}

const Tensor& result_of(const Workload& workload, std::size_t op = 0) {
  return workload.tensors[workload.ops.at(op).outputs[0]];
}

TestModel quantities(TestModel model) {
  model.number("s", 0.1).weight("z", {}, kInt8);
  return model;
}

TEST(OnnxQuantised, ConvolutionsReadAndWriteIntegers) {
  const auto linear = loaded(
      quantities(TestModel().input("x", {2, 3, 8, 8}, kInt8).weight("w", {16, 3, 3, 3}, kInt8))
          .weight("b", {16}, TestModel::kInt32)
          .node("QLinearConv", {"x", "s", "z", "w", "s", "z", "s", "z", "b"}, {"y"}, {{"pads", Ints{1, 1, 1, 1}}})
          .output("y"));
  ASSERT_EQ(linear.ops.size(), 1u);
  EXPECT_TRUE(std::get<Conv>(linear.ops[0].kind).bias);
  EXPECT_EQ(result_of(linear).shape, (Shape{2, 16, 8, 8}));
  EXPECT_EQ(result_of(linear).dtype, DType::int8);
  EXPECT_EQ(linear.tensors[linear.ops[0].inputs[0]].dtype, DType::int8);
  EXPECT_EQ(linear.ops[0].inputs.size(), 3u);  // no scales: what is read besides is nothing
  const auto integer = loaded(TestModel()
                                  .input("x", {2, 3, 8, 8}, kUint8)
                                  .weight("w", {16, 3, 3, 3}, kUint8)
                                  .node("ConvInteger", {"x", "w"}, {"y"})
                                  .output("y"));
  EXPECT_EQ(result_of(integer).dtype, DType::int32);
  EXPECT_EQ(result_of(integer).shape, (Shape{2, 16, 6, 6}));
}

TEST(OnnxQuantised, ChannelsLastMoveNothing) {
  const auto last =
      loaded(quantities(TestModel().input("x", {2, 8, 8, 3}, kInt8).weight("w", {16, 3, 3, 3}, kInt8))
                 .node("QLinearConv", {"x", "s", "z", "w", "s", "z", "s", "z"}, {"y"}, {{"channels_last", 1}})
                 .domain_node("com.microsoft")
                 .output("y"));
  EXPECT_THAT(functions_of(last), ElementsAre("view", "conv", "view"));
  EXPECT_EQ(result_of(last, 2).shape, (Shape{2, 6, 6, 16}));
}

TEST(OnnxQuantised, Products) {
  const auto integer = loaded(TestModel()
                                  .input("a", {4, 8, 32}, kInt8)
                                  .weight("b", {32, 16}, kInt8)
                                  .node("MatMulInteger", {"a", "b"}, {"y"})
                                  .output("y"));
  EXPECT_EQ(integer.ops[0].kind, OpKind(Gemm{.m = 32, .n = 16, .k = 32}));
  EXPECT_EQ(result_of(integer).dtype, DType::int32);
  const auto linear = loaded(quantities(TestModel().input("a", {8, 32}, kInt8).weight("b", {32, 16}, kInt8))
                                 .node("QLinearMatMul", {"a", "s", "z", "b", "s", "z", "s", "z"}, {"y"})
                                 .output("y"));
  EXPECT_EQ(result_of(linear).dtype, DType::int8);
  const auto gemm = loaded(quantities(TestModel().input("a", {8, 32}, kInt8).weight("b", {16, 32}, kInt8))
                               .node("QGemm", {"a", "s", "z", "b", "s", "z"}, {"y"}, {{"transB", 1}})
                               .domain_node("com.microsoft")
                               .output("y"));
  EXPECT_EQ(gemm.ops[0].kind, OpKind(Gemm{.m = 8, .n = 16, .k = 32, .trans_b = true}));
  EXPECT_EQ(result_of(gemm).dtype, DType::fp32);
  const auto dynamic = loaded(TestModel()
                                  .input("a", {8, 32})
                                  .weight("b", {32, 16}, kInt8)
                                  .number("s", 0.1)
                                  .node("DynamicQuantizeMatMul", {"a", "b", "s"}, {"y"})
                                  .domain_node("com.microsoft")
                                  .output("y"));
  EXPECT_THAT(functions_of(dynamic), ElementsAre("reduce", "quantize", "gemm"));
}

TEST(OnnxQuantised, DynamicQuantisationHasThreeResults) {
  const auto workload = loaded(TestModel()
                                   .input("x", {8, 32})
                                   .weight("w", {32, 16}, kInt8)
                                   .node("DynamicQuantizeLinear", {"x"}, {"q", "scale", "zero"})
                                   .node("MatMulInteger", {"q", "w", "zero"}, {"p"})
                                   .node("Cast", {"p"}, {"f"}, {{"to", 1}})
                                   .node("Mul", {"f", "scale"}, {"y"})
                                   .output("y"));
  EXPECT_THAT(functions_of(workload), ElementsAre("reduce", "quantize", "gemm", "cast", "mul"));
  EXPECT_EQ(result_of(workload, 1).dtype, DType::int8);
}

// DequantizeLinear -> Conv -> Relu -> QuantizeLinear, as quantisation tools write it.
TEST(OnnxQuantised, WhatStandsBetweenIntegersComputesOnThem) {
  const auto workload = loaded(quantities(TestModel().input("x", {2, 3, 8, 8}).weight("w", {16, 3, 3, 3}, kInt8))
                                   .node("QuantizeLinear", {"x", "s", "z"}, {"xq"})
                                   .node("DequantizeLinear", {"xq", "s", "z"}, {"xd"})
                                   .node("DequantizeLinear", {"w", "s", "z"}, {"wd"})
                                   .node("Conv", {"xd", "wd"}, {"c"})
                                   .node("Relu", {"c"}, {"r"})
                                   .node("QuantizeLinear", {"r", "s", "z"}, {"rq"})
                                   .node("DequantizeLinear", {"rq", "s", "z"}, {"y"})
                                   .output("y"));
  EXPECT_THAT(functions_of(workload), ElementsAre("quantize", "conv", "relu", "dequantize"));
  const Op& conv = workload.ops[1];
  EXPECT_EQ(workload.tensors[conv.inputs[0]].dtype, DType::int8);
  EXPECT_EQ(workload.tensors[conv.inputs[1]].dtype, DType::int8);
  EXPECT_EQ(result_of(workload, 1).dtype, DType::int8);
  EXPECT_EQ(result_of(workload, 2).dtype, DType::int8);
}

TEST(OnnxQuantised, AWeightAloneInIntegersChangesNoArithmetic) {
  const auto workload = loaded(quantities(TestModel().input("x", {2, 32}).weight("w", {32, 16}, kInt8))
                                   .node("DequantizeLinear", {"w", "s", "z"}, {"wd"})
                                   .node("MatMul", {"x", "wd"}, {"y"})
                                   .output("y"));
  EXPECT_THAT(functions_of(workload), ElementsAre("gemm"));
  EXPECT_EQ(workload.tensors[workload.ops[0].inputs[1]].dtype, DType::fp32);
}

TEST(OnnxQuantised, MissingOperandsAreNamed) {
  const auto workload = parse_onnx(TestModel()
                                       .input("x", {2, 3, 8, 8}, kInt8)
                                       .node("QLinearConv", {"x"}, {"y"})
                                       .name_node("first")
                                       .output("y")
                                       .bytes(),
                                   "m", "m.onnx");
  ASSERT_FALSE(workload);
  EXPECT_EQ(workload.error().text(), "m.onnx: node 'first' (QLinearConv): input 3 is missing");
}

}  // namespace
}  // namespace rooftile
