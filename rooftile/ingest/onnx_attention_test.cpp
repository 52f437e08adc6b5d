#include "rooftile/ingest/onnx_attention.hpp"

#include <string>

#include <gtest/gtest.h>

#include "rooftile/ingest/onnx.hpp"
#include "rooftile/ingest/onnx_test_model.hpp"

namespace rooftile {
namespace {

using Ints = TestModel::Ints;

const Shape kHeads = {2, 3, 5, 7};  // batch, heads, positions, features

TestModel operands(const Shape& shape = kHeads) {
  const std::int64_t swapped = static_cast<std::int64_t>(shape.size()) - 1;
  Ints order;
  for (std::int64_t axis = 0; axis + 2 < static_cast<std::int64_t>(shape.size()); ++axis) order.push_back(axis);
  order.push_back(swapped);
  order.push_back(swapped - 1);
  return TestModel()
      .input("q", shape)
      .input("k", shape)
      .input("v", shape)
      .number("scale", 0.378)
      .node("Transpose", {"k"}, {"kt"}, {{"perm", order}});
}

TestModel& finish(TestModel& model, const std::string& scores) {
  return model.node("Softmax", {scores}, {"p"}, {{"axis", -1}}).node("MatMul", {"p", "v"}, {"y"}).output("y");
}

Workload with_attention(const TestModel& model, bool fuse = true) {
  const auto workload = parse_onnx(model.bytes(), "m", "m.onnx", {.fuse_attention = fuse});
  EXPECT_TRUE(workload) << workload.error().text();
  return workload ? *workload : Workload{};
}

constexpr Attention kAttention = {.batch = 2, .q_len = 5, .kv_len = 5, .heads = 3, .kv_heads = 3, .head_dim = 7};

void expect_fused(const Workload& workload, const Attention& attention) {
  ASSERT_EQ(workload.ops.size(), 1u);
  EXPECT_EQ(workload.ops[0].kind, OpKind(attention));
  ASSERT_EQ(workload.ops[0].inputs.size(), 3u);
  EXPECT_EQ(workload.tensors[workload.ops[0].inputs[0]].name, "q");
  EXPECT_EQ(workload.tensors[workload.ops[0].inputs[1]].name, "k");
  EXPECT_EQ(workload.tensors[workload.ops[0].inputs[2]].name, "v");
}

TEST(OnnxAttention, WhereverItIsScaled) {
  TestModel after = operands();
  after.node("MatMul", {"q", "kt"}, {"s"}).node("Mul", {"s", "scale"}, {"t"});
  expect_fused(with_attention(finish(after, "t")), kAttention);
  TestModel before = operands();
  before.node("Div", {"q", "scale"}, {"qs"}).node("Mul", {"scale", "kt"}, {"ks"}).node("MatMul", {"qs", "ks"}, {"s"});
  expect_fused(with_attention(finish(before, "s")), kAttention);
  TestModel never = operands();
  never.node("MatMul", {"q", "kt"}, {"s"});
  expect_fused(with_attention(finish(never, "s")), kAttention);
}

TEST(OnnxAttention, OnlyWhereItIsAskedFor) {
  TestModel model = operands();
  model.node("MatMul", {"q", "kt"}, {"s"});
  EXPECT_EQ(with_attention(finish(model, "s"), false).ops.size(), 4u);
}

TEST(OnnxAttention, BatchAndHeadsInOneDimension) {
  TestModel model = operands({6, 5, 7});
  model.node("MatMul", {"q", "kt"}, {"s"});
  Attention expected = kAttention;
  expected.batch = 6;
  expected.heads = expected.kv_heads = 1;
  expect_fused(with_attention(finish(model, "s")), expected);
}

TEST(OnnxAttention, AMaskKnownBeforehandIsCausal) {
  TestModel model = operands();
  model.weight("mask", {1, 1, 5, 5}).node("MatMul", {"q", "kt"}, {"s"}).node("Add", {"s", "mask"}, {"t"});
  Attention expected = kAttention;
  expected.causal = true;
  expect_fused(with_attention(finish(model, "t")), expected);
}

TEST(OnnxAttention, AMaskOfTheInputIsNot) {
  TestModel model = operands();
  model.input("mask", {2, 1, 1, 5}).node("MatMul", {"q", "kt"}, {"s"}).node("Add", {"s", "mask"}, {"t"});
  expect_fused(with_attention(finish(model, "t")), kAttention);
}

TEST(OnnxAttention, ABiasOfEachHeadStaysApart) {
  TestModel model = operands();
  model.weight("bias", {1, 3, 5, 5}).node("MatMul", {"q", "kt"}, {"s"}).node("Add", {"s", "bias"}, {"t"});
  EXPECT_EQ(with_attention(finish(model, "t")).ops.size(), 5u);
}

TEST(OnnxAttention, WeightsReadElsewhereStayApart) {
  TestModel model = operands();
  model.node("MatMul", {"q", "kt"}, {"s"});
  EXPECT_EQ(with_attention(finish(model, "s").output("p")).ops.size(), 4u);
}

TEST(OnnxAttention, ASoftmaxOverAnotherAxisIsNone) {
  TestModel model = operands({2, 5, 5, 5});
  model.node("MatMul", {"q", "kt"}, {"s"}).node("Softmax", {"s"}, {"p"}, {{"axis", 1}});
  EXPECT_EQ(with_attention(model.node("MatMul", {"p", "v"}, {"y"}).output("y")).ops.size(), 4u);
}

}  // namespace
}  // namespace rooftile
