#include "rooftile/ingest/onnx_patterns.hpp"

#include <string>

#include <gtest/gtest.h>

#include "rooftile/ingest/onnx.hpp"
#include "rooftile/ingest/onnx_test_model.hpp"

namespace rooftile {
namespace {

using Ints = TestModel::Ints;

Workload import(const TestModel& model) {
  auto workload = parse_onnx(model.bytes(), "m", "m.onnx");
  EXPECT_TRUE(workload) << workload.error().text();
  return workload ? *workload : Workload{};
}

TestModel gelu_start() {
  return TestModel()
      .input("x", {2, 8})
      .number("root", 1.41421356)
      .number("one", 1)
      .number("half", 0.5)
      .node("Div", {"x", "root"}, {"scaled"})
      .node("Erf", {"scaled"}, {"erf"})
      .node("Add", {"erf", "one"}, {"sum"});
}

TEST(OnnxPatterns, GeluInAnyOrderOfItsFactors) {
  const TestModel orders[] = {
      gelu_start().node("Mul", {"x", "sum"}, {"p"}).node("Mul", {"p", "half"}, {"y"}),
      gelu_start().node("Mul", {"sum", "x"}, {"p"}).node("Mul", {"half", "p"}, {"y"}),
      gelu_start().node("Mul", {"x", "half"}, {"p"}).node("Mul", {"p", "sum"}, {"y"}),
      gelu_start().node("Mul", {"half", "sum"}, {"p"}).node("Mul", {"x", "p"}, {"y"}),
  };
  for (TestModel model : orders) {
    const Workload workload = import(model.name_node("/mlp/Mul_1").output("y"));
    ASSERT_EQ(workload.ops.size(), 1u);
    EXPECT_EQ(workload.ops[0].kind, OpKind(Elementwise{"gelu", 5}));
    EXPECT_EQ(workload.ops[0].name, "/mlp/Gelu");
  }
}

TEST(OnnxPatterns, AlmostGeluIsNot) {
  const Workload other_factor = import(gelu_start()
                                           .number("third", 0.3)
                                           .node("Mul", {"x", "sum"}, {"p"})
                                           .node("Mul", {"p", "third"}, {"y"})
                                           .output("y"));
  EXPECT_EQ(other_factor.ops.size(), 5u);
  const Workload other_input = import(
      gelu_start().input("z", {2, 8}).node("Mul", {"z", "sum"}, {"p"}).node("Mul", {"p", "half"}, {"y"}).output("y"));
  EXPECT_EQ(other_input.ops.size(), 5u);
}

TEST(OnnxPatterns, WhatElseIsReadStays) {
  const Workload workload =
      import(gelu_start().node("Mul", {"x", "sum"}, {"p"}).node("Mul", {"p", "half"}, {"y"}).output("y").output("erf"));
  EXPECT_EQ(workload.ops.size(), 3u);  // Div and Erf, besides the GELU
}

TEST(OnnxPatterns, Silu) {
  const Workload workload =
      import(TestModel().input("x", {2, 8}).node("Sigmoid", {"x"}, {"s"}).node("Mul", {"x", "s"}, {"y"}).output("y"));
  ASSERT_EQ(workload.ops.size(), 1u);
  EXPECT_EQ(workload.ops[0].kind, OpKind(Elementwise{"silu", 5}));
  const Workload gate = import(TestModel()
                                   .input("x", {2, 8})
                                   .input("z", {2, 8})
                                   .node("Sigmoid", {"z"}, {"s"})
                                   .node("Mul", {"x", "s"}, {"y"})
                                   .output("y"));
  EXPECT_EQ(gate.ops.size(), 2u);
}

TestModel layer_norm(const Ints& axes) {
  return TestModel()
      .input("x", {2, 5, 8})
      .number("two", 2)
      .number("epsilon", 1e-5)
      .weight("gamma", {8})
      .weight("beta", {8})
      .node("ReduceMean", {"x"}, {"mean"}, {{"axes", axes}})
      .node("Sub", {"x", "mean"}, {"centred"})
      .node("Pow", {"centred", "two"}, {"square"})
      .node("ReduceMean", {"square"}, {"variance"}, {{"axes", axes}})
      .node("Add", {"variance", "epsilon"}, {"shifted"})
      .node("Sqrt", {"shifted"}, {"deviation"})
      .node("Div", {"centred", "deviation"}, {"normal"});
}

TEST(OnnxPatterns, LayerNormWithAndWithoutScaleAndShift) {
  const Workload bare = import(layer_norm({-1}).output("normal"));
  ASSERT_EQ(bare.ops.size(), 1u);
  EXPECT_EQ(bare.ops[0].kind, OpKind(Normalize{"layer"}));
  EXPECT_EQ(bare.ops[0].inputs.size(), 1u);
  const Workload whole = import(layer_norm({1, 2})
                                    .node("Mul", {"normal", "gamma"}, {"scaled"})
                                    .node("Add", {"scaled", "beta"}, {"y"})
                                    .output("y"));
  ASSERT_EQ(whole.ops.size(), 1u);
  EXPECT_EQ(whole.ops[0].inputs.size(), 3u);
  EXPECT_EQ(whole.tensors[whole.ops[0].outputs[0]].name, "y");
}

TEST(OnnxPatterns, ScaleThatOthersReadStaysApart) {
  const Workload workload =
      import(layer_norm({-1}).node("Mul", {"normal", "gamma"}, {"y"}).output("y").output("normal"));
  EXPECT_EQ(workload.ops.size(), 2u);
}

TEST(OnnxPatterns, MeansOverOtherAxesAreNoLayerNorm) {
  EXPECT_EQ(import(layer_norm({1}).output("normal")).ops.size(), 7u);
}

}  // namespace
}  // namespace rooftile
