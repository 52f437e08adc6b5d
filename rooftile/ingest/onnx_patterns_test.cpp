#include "rooftile/ingest/onnx_patterns.hpp"

#include <string>

#include <gtest/gtest.h>

#include "rooftile/ingest/onnx.hpp"
#include "rooftile/ingest/onnx_test_model.hpp"

namespace rooftile {
namespace {

using Ints = TestModel::Ints;

Workload with_patterns(const TestModel& model) {
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
    const Workload workload = with_patterns(model.name_node("/mlp/Mul_1").output("y"));
    ASSERT_EQ(workload.ops.size(), 1u);
    EXPECT_EQ(workload.ops[0].kind, OpKind(Elementwise{"gelu", 5}));
    EXPECT_EQ(workload.ops[0].name, "/mlp/Gelu");
  }
}

TEST(OnnxPatterns, AlmostGeluIsNot) {
  const Workload other_factor = with_patterns(gelu_start()
                                                  .number("third", 0.3)
                                                  .node("Mul", {"x", "sum"}, {"p"})
                                                  .node("Mul", {"p", "third"}, {"y"})
                                                  .output("y"));
  EXPECT_EQ(other_factor.ops.size(), 5u);
  const Workload other_input = with_patterns(
      gelu_start().input("z", {2, 8}).node("Mul", {"z", "sum"}, {"p"}).node("Mul", {"p", "half"}, {"y"}).output("y"));
  EXPECT_EQ(other_input.ops.size(), 5u);
}

TEST(OnnxPatterns, WhatElseIsReadStays) {
  const Workload workload = with_patterns(
      gelu_start().node("Mul", {"x", "sum"}, {"p"}).node("Mul", {"p", "half"}, {"y"}).output("y").output("erf"));
  EXPECT_EQ(workload.ops.size(), 3u);  // Div and Erf, besides the GELU
}

TEST(OnnxPatterns, Silu) {
  const Workload workload = with_patterns(
      TestModel().input("x", {2, 8}).node("Sigmoid", {"x"}, {"s"}).node("Mul", {"x", "s"}, {"y"}).output("y"));
  ASSERT_EQ(workload.ops.size(), 1u);
  EXPECT_EQ(workload.ops[0].kind, OpKind(Elementwise{"silu", 5}));
  const Workload gate = with_patterns(TestModel()
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
  const Workload bare = with_patterns(layer_norm({-1}).output("normal"));
  ASSERT_EQ(bare.ops.size(), 1u);
  EXPECT_EQ(bare.ops[0].kind, OpKind(Normalize{"layer"}));
  EXPECT_EQ(bare.ops[0].inputs.size(), 1u);
  const Workload whole = with_patterns(layer_norm({1, 2})
                                           .node("Mul", {"normal", "gamma"}, {"scaled"})
                                           .node("Add", {"scaled", "beta"}, {"y"})
                                           .output("y"));
  ASSERT_EQ(whole.ops.size(), 1u);
  EXPECT_EQ(whole.ops[0].inputs.size(), 3u);
  EXPECT_EQ(whole.tensors[whole.ops[0].outputs[0]].name, "y");
}

TEST(OnnxPatterns, ScaleThatOthersReadStaysApart) {
  const Workload workload =
      with_patterns(layer_norm({-1}).node("Mul", {"normal", "gamma"}, {"y"}).output("y").output("normal"));
  EXPECT_EQ(workload.ops.size(), 2u);
}

TEST(OnnxPatterns, MeansOverOtherAxesAreNoLayerNorm) {
  EXPECT_EQ(with_patterns(layer_norm({1}).output("normal")).ops.size(), 7u);
}

TEST(OnnxPatterns, GeluByTanh) {
  const auto start = [] {
    return TestModel()
        .input("x", {2, 8})
        .number("kappa", 0.044715)
        .number("beta", 0.7978846)
        .number("one", 1)
        .number("half", 0.5)
        .number("three", 3);
  };
  const auto finish = [](TestModel model) {
    return model.node("Mul", {"kappa", "cube"}, {"k"})
        .node("Add", {"x", "k"}, {"inner"})
        .node("Mul", {"beta", "inner"}, {"b"})
        .node("Tanh", {"b"}, {"t"})
        .node("Add", {"one", "t"}, {"sum"})
        .node("Mul", {"x", "sum"}, {"p"})
        .node("Mul", {"half", "p"}, {"y"})
        .output("y");
  };
  const TestModel cubes[] = {
      finish(start().node("Pow", {"x", "three"}, {"cube"})),
      finish(start().node("Mul", {"x", "x"}, {"square"}).node("Mul", {"x", "square"}, {"cube"})),
  };
  for (const TestModel& model : cubes) {
    const Workload workload = with_patterns(model);
    ASSERT_EQ(workload.ops.size(), 1u);
    EXPECT_EQ(workload.ops[0].kind, OpKind(Elementwise{"gelu", 5}));
  }
  EXPECT_GT(with_patterns(finish(start().node("Pow", {"x", "half"}, {"cube"}))).ops.size(), 1u);
}

TEST(OnnxPatterns, RmsNorm) {
  const auto start = [] {
    return TestModel()
        .input("x", {2, 8})
        .weight("scale", {8})
        .number("two", 2)
        .number("epsilon", 1e-6)
        .number("one", 1)
        .node("Pow", {"x", "two"}, {"square"})
        .node("ReduceMean", {"square"}, {"mean"}, {{"axes", Ints{-1}}})
        .node("Add", {"mean", "epsilon"}, {"shifted"})
        .node("Sqrt", {"shifted"}, {"root"});
  };
  const TestModel forms[] = {
      start().node("Div", {"one", "root"}, {"r"}).node("Mul", {"x", "r"}, {"n"}),
      start().node("Reciprocal", {"root"}, {"r"}).node("Mul", {"r", "x"}, {"n"}),
      start().node("Div", {"x", "root"}, {"n"}),
  };
  for (TestModel model : forms) {
    const Workload workload = with_patterns(model.node("Mul", {"scale", "n"}, {"y"}).output("y"));
    ASSERT_EQ(workload.ops.size(), 1u);
    EXPECT_EQ(workload.ops[0].kind, OpKind(Normalize{"rms"}));
    EXPECT_EQ(workload.ops[0].inputs.size(), 2u);
  }
  const Workload other = with_patterns(start().input("z", {2, 8}).node("Div", {"z", "root"}, {"y"}).output("y"));
  EXPECT_EQ(other.ops.size(), 5u);
}

TEST(OnnxPatterns, RotaryPositions) {
  const auto model = [](const std::string& turned) {
    return TestModel()
        .input("x", {2, 4, 8})
        .input("z", {2, 4, 8})
        .weight("cos", {4, 8})
        .weight("sin", {4, 8})
        .ints("zero", {0})
        .ints("four", {4})
        .ints("eight", {8})
        .ints("axis", {2})
        .node("Slice", {"x", "zero", "four", "axis"}, {"first"})
        .node("Slice", {turned, "four", "eight", "axis"}, {"second"})
        .node("Neg", {"second"}, {"negative"})
        .node("Concat", {"negative", "first"}, {"half"}, {{"axis", -1}})
        .node("Mul", {"x", "cos"}, {"a"})
        .node("Mul", {"half", "sin"}, {"b"})
        .node("Add", {"a", "b"}, {"y"})
        .output("y");
  };
  const Workload workload = with_patterns(model("x"));
  ASSERT_EQ(workload.ops.size(), 1u);
  EXPECT_EQ(workload.ops[0].kind, OpKind(Elementwise{"rotary", 3}));
  EXPECT_EQ(workload.ops[0].inputs.size(), 3u);
  EXPECT_EQ(with_patterns(model("z")).ops.size(), 7u);
}

TEST(OnnxPatterns, BiasOfAProduct) {
  const auto model = [](const Shape& bias) {
    return TestModel()
        .input("x", {2, 4, 8})
        .weight("w", {8, 6})
        .weight("b", bias)
        .node("MatMul", {"x", "w"}, {"p"})
        .name_node("/fc/MatMul")
        .node("Add", {"b", "p"}, {"y"})
        .output("y");
  };
  const Workload workload = with_patterns(model({6}));
  ASSERT_EQ(workload.ops.size(), 1u);
  EXPECT_EQ(workload.ops[0].name, "/fc/MatMul");
  EXPECT_EQ(workload.ops[0].inputs.size(), 3u);
  EXPECT_TRUE(std::get<Gemm>(workload.ops[0].kind).bias);
  EXPECT_EQ(with_patterns(model({4, 6})).ops.size(), 2u);           // an addition of its own for each position
  EXPECT_EQ(with_patterns(model({6}).output("p")).ops.size(), 2u);  // the product itself is read, too
}

TEST(OnnxPatterns, Roll) {
  const auto model = [](const std::string& from) {
    return TestModel()
        .input("x", {2, 8})
        .input("z", {2, 8})
        .ints("zero", {0})
        .ints("three", {3})
        .ints("eight", {8})
        .ints("axis", {1})
        .node("Slice", {"x", "three", "eight", "axis"}, {"back"})
        .node("Slice", {from, "zero", "three", "axis"}, {"front"})
        .node("Concat", {"back", "front"}, {"y"}, {{"axis", 1}})
        .output("y");
  };
  const Workload workload = with_patterns(model("x"));
  ASSERT_EQ(workload.ops.size(), 1u);
  EXPECT_EQ(workload.ops[0].kind, OpKind(Move{"roll"}));
  EXPECT_EQ(with_patterns(model("z")).ops.size(), 3u);
}

// PyTorch exports an average pool with padding so.
TEST(OnnxPatterns, PaddingOfAPoolIsItsOwn) {
  const auto pooled = [](const Ints& pads, double value) {
    return with_patterns(
        TestModel()
            .input("x", {1, 4, 8, 8})
            .ints("pads", pads)
            .number("value", value)
            .node("Pad", {"x", "pads", "value"}, {"padded"}, {{"mode", "constant"}})
            .node("AveragePool", {"padded"}, {"y"}, {{"kernel_shape", Ints{3, 3}}, {"strides", Ints{1, 1}}})
            .output("y"));
  };
  const Workload workload = pooled({0, 0, 1, 1, 0, 0, 1, 1}, 0);
  ASSERT_EQ(workload.ops.size(), 1u);
  EXPECT_EQ(workload.tensors[workload.ops[0].inputs[0]].name, "x");
  EXPECT_EQ(workload.tensors[workload.outputs[0]].shape, (Shape{1, 4, 8, 8}));
  EXPECT_EQ(pooled({0, 0, 1, 1, 0, 0, 1, 1}, 1).ops.size(), 2u);
  EXPECT_EQ(pooled({0, 1, 1, 1, 0, 1, 1, 1}, 0).ops.size(), 2u);
}

// As nn.GroupNorm(4, 8) comes out of torch.onnx.export.
TEST(OnnxPatterns, GroupNorm) {
  const auto with = [](const TestModel::Ints& back) {
    return TestModel()
        .input("x", {2, 8, 4, 4})
        .ints("groups", {0, 4, -1})
        .node("Reshape", {"x", "groups"}, {"a"})
        .weight("ones", {4})
        .weight("zeros", {4})
        .node("InstanceNormalization", {"a", "ones", "zeros"}, {"b"})
        .ints("back", back)
        .node("Reshape", {"b", "back"}, {"c"})
        .weight("scale", {8, 1, 1})
        .node("Mul", {"c", "scale"}, {"d"})
        .weight("shift", {8, 1, 1})
        .node("Add", {"d", "shift"}, {"y"})
        .output("y");
  };
  const Workload workload = loaded(with({2, 8, 4, 4}));
  ASSERT_EQ(workload.ops.size(), 1U);
  EXPECT_EQ(workload.ops[0].kind, OpKind(Normalize{"group"}));
  EXPECT_EQ(workload.ops[0].inputs.size(), 3U);
  EXPECT_GT(loaded(with({4, 8, 8, 1})).ops.size(), 1U) << "another shape than before";
}

}  // namespace
}  // namespace rooftile
