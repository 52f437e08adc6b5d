// Fused operators of ONNX Runtime, and ONNX's own attention.
#include "rooftile/ingest/onnx_lower.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/ingest/onnx.hpp"
#include "rooftile/ingest/onnx_test_model.hpp"

namespace rooftile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Ints = TestModel::Ints;
using Attributes = std::vector<TestModel::Attribute>;

std::vector<std::string> kinds_of(const Workload& workload) {
  std::vector<std::string> names;
  for (const Op& op : workload.ops) names.emplace_back(name_of(op.kind));
  return names;
}

TestModel microsoft(TestModel model, const std::string& type, const std::vector<std::string>& inputs,
                    const std::vector<std::string>& outputs, const Attributes& attributes = {}) {
  model.node(type, inputs, outputs, attributes).domain_node("com.microsoft");
  for (const std::string& output : outputs) {
    if (!output.empty()) model.output(output);
  }
  return model;
}

TEST(OnnxFused, ProductsWithWhatFollows) {
  const auto conv = loaded(microsoft(TestModel().input("x", {1, 4, 8, 8}).weight("w", {6, 4, 3, 3}).weight("b", {6}),
                                     "FusedConv", {"x", "w", "b"}, {"y"}, {{"activation", "Relu"}}));
  EXPECT_THAT(kinds_of(conv), ElementsAre("conv"));
  EXPECT_EQ(shape_of(conv), (Shape{1, 6, 6, 6}));
  const auto last =
      loaded(microsoft(TestModel().input("x", {1, 8, 8, 4}).weight("w", {6, 4, 3, 3}), "NhwcConv", {"x", "w"}, {"y"}));
  EXPECT_THAT(kinds_of(last), ElementsAre("view", "conv", "view"));
  EXPECT_EQ(shape_of(last), (Shape{1, 6, 6, 6}));
  const auto product = loaded(microsoft(TestModel().input("x", {2, 5, 7}).weight("w", {9, 7}), "FusedMatMul",
                                        {"x", "w"}, {"y"}, {{"transB", 1}, {"alpha", 0.125}}));
  EXPECT_EQ(product.ops[0].kind, OpKind(Gemm{.m = 10, .n = 9, .k = 7, .trans_b = true}));
  const auto gemm = loaded(microsoft(TestModel().input("x", {5, 7}).weight("w", {7, 9}).weight("b", {9}), "FusedGemm",
                                     {"x", "w", "b"}, {"y"}, {{"activation", "Relu"}}));
  EXPECT_EQ(gemm.ops[0].kind, OpKind(Gemm{.m = 5, .n = 9, .k = 7, .bias = true}));
}

TEST(OnnxFused, Activations) {
  const auto model = [] { return TestModel().input("x", {2, 8}).weight("b", {8}); };
  EXPECT_EQ(loaded(microsoft(model(), "BiasGelu", {"x", "b"}, {"y"})).ops[0].kind, OpKind(Elementwise{"gelu", 5}));
  EXPECT_EQ(loaded(microsoft(model(), "FastGelu", {"x", "b"}, {"y"})).ops[0].kind, OpKind(Elementwise{"gelu", 5}));
  EXPECT_EQ(loaded(microsoft(model(), "QuickGelu", {"x"}, {"y"})).ops[0].kind, OpKind(Elementwise{"silu", 5}));
}

TEST(OnnxFused, NormalisationsOfASum) {
  const auto model = TestModel().input("x", {2, 5, 8}).input("s", {2, 5, 8}).weight("g", {8}).weight("b", {8});
  const auto layer = loaded(microsoft(model, "SkipLayerNormalization", {"x", "s", "g", "b"}, {"y", "", "", "sum"}));
  EXPECT_EQ(layer.ops[0].kind, OpKind(Normalize{"layer"}));
  EXPECT_EQ(layer.ops[0].inputs.size(), 4u);
  EXPECT_EQ(layer.ops[0].outputs.size(), 2u);
  const auto rms = loaded(microsoft(model, "SkipSimplifiedLayerNormalization", {"x", "s", "g"}, {"y"}));
  EXPECT_EQ(rms.ops[0].kind, OpKind(Normalize{"rms"}));
  const auto plain = loaded(TestModel()
                                .input("x", {2, 5, 8})
                                .weight("g", {8})
                                .node("SimplifiedLayerNormalization", {"x", "g"}, {"y"})
                                .output("y"));
  EXPECT_EQ(plain.ops[0].kind, OpKind(Normalize{"rms"}));
}

TEST(OnnxFused, EmbeddingsAreLookedUp) {
  const auto workload =
      loaded(microsoft(TestModel()
                           .input("ids", {2, 5}, TestModel::kInt32)
                           .input("types", {2, 5}, TestModel::kInt32)
                           .weight("words", {1000, 8})
                           .weight("places", {512, 8})
                           .weight("segments", {2, 8})
                           .weight("g", {8})
                           .weight("b", {8}),
                       "EmbedLayerNormalization", {"ids", "types", "words", "places", "segments", "g", "b"}, {"y"}));
  EXPECT_THAT(kinds_of(workload), ElementsAre("move", "move", "move", "normalize"));
  EXPECT_EQ(shape_of(workload), (Shape{2, 5, 8}));
}

TEST(OnnxFused, PackedWeights) {
  const auto with = [](std::int64_t rows) {
    return loaded(microsoft(TestModel()
                                .input("x", {1, rows, 64}, TestModel::kHalf)
                                .weight("q", {96, 2, 16}, TestModel::kUint8)
                                .weight("scales", {96, 2}, TestModel::kHalf),
                            "MatMulNBits", {"x", "q", "scales"}, {"y"},
                            {{"K", 64}, {"N", 96}, {"bits", 4}, {"block_size", 32}}));
  };
  const auto row = with(1);
  EXPECT_EQ(row.ops[0].kind, OpKind(Elementwise{"packed_product", 128}));  // 64 multiply-accumulates an output
  const auto many = with(7);
  EXPECT_THAT(kinds_of(many), ElementsAre("elementwise", "gemm"));
  EXPECT_EQ(many.ops[1].kind, OpKind(Gemm{.m = 7, .n = 96, .k = 64, .trans_b = true}));
  EXPECT_EQ(many.tensors[many.ops[0].outputs[0]].dtype, DType::fp16);
}

Attention attention_in(const Workload& workload) {
  for (const Op& op : workload.ops) {
    if (const auto* attention = std::get_if<Attention>(&op.kind)) return *attention;
  }
  ADD_FAILURE() << "no attention";
  return {};
}

TEST(OnnxAttentionOperators, ProjectionAndAttention) {
  const auto model = TestModel().input("x", {2, 5, 12}).weight("w", {12, 36}).weight("b", {36});
  const auto workload =
      loaded(microsoft(model, "Attention", {"x", "w", "b"}, {"y"}, {{"num_heads", 3}, {"unidirectional", 1}}));
  EXPECT_THAT(kinds_of(workload), ElementsAre("gemm", "move", "attention"));
  EXPECT_EQ(attention_in(workload),
            (Attention{.batch = 2, .q_len = 5, .kv_len = 5, .heads = 3, .kv_heads = 3, .head_dim = 4, .causal = true}));
  const auto cached = loaded(microsoft(TestModel(model).input("past", {2, 2, 3, 7, 4}), "Attention",
                                       {"x", "w", "b", "", "past"}, {"y", "present"}, {{"num_heads", 3}}));
  EXPECT_EQ(attention_in(cached).kv_len, 12);
  EXPECT_EQ(shape_of(cached, 1), (Shape{2, 2, 3, 12, 4}));
}

TEST(OnnxAttentionOperators, OfIntegers) {
  const auto workload = loaded(microsoft(TestModel()
                                             .input("x", {2, 5, 12}, TestModel::kInt8)
                                             .weight("w", {12, 36}, TestModel::kInt8)
                                             .weight("b", {36})
                                             .number("s", 0.1),
                                         "QAttention", {"x", "w", "b", "s", "s"}, {"y"}, {{"num_heads", 3}}));
  EXPECT_EQ(workload.tensors[workload.ops[0].inputs[0]].dtype, DType::int8);
  EXPECT_EQ(workload.tensors[workload.ops[0].outputs[0]].dtype, DType::fp32);
}

TEST(OnnxAttentionOperators, SeparateOperands) {
  const auto cross = loaded(microsoft(TestModel().input("q", {2, 5, 12}).input("k", {2, 9, 12}).input("v", {2, 9, 24}),
                                      "MultiHeadAttention", {"q", "k", "v"}, {"y"}, {{"num_heads", 3}}));
  EXPECT_EQ(
      attention_in(cross),
      (Attention{.batch = 2, .q_len = 5, .kv_len = 9, .heads = 3, .kv_heads = 3, .head_dim = 4, .head_dim_v = 8}));
  EXPECT_EQ(shape_of(cross), (Shape{2, 5, 24}));
  const auto packed = loaded(
      microsoft(TestModel().input("q", {2, 5, 3, 3, 4}), "MultiHeadAttention", {"q"}, {"y"}, {{"num_heads", 3}}));
  EXPECT_THAT(kinds_of(packed), ElementsAre("move", "attention"));
  EXPECT_EQ(shape_of(packed), (Shape{2, 5, 12}));
}

TEST(OnnxAttentionOperators, GroupedQueriesWithACache) {
  const auto workload =
      loaded(microsoft(TestModel()
                           .input("q", {1, 1, 32})
                           .input("k", {1, 1, 8})
                           .input("v", {1, 1, 8})
                           .input("pk", {1, 2, 100, 4})
                           .input("pv", {1, 2, 100, 4})
                           .input("lengths", {1}, TestModel::kInt32)
                           .integer("total", 101),
                       "GroupQueryAttention", {"q", "k", "v", "pk", "pv", "lengths", "total"}, {"y", "nk", "nv"},
                       {{"num_heads", 8}, {"kv_num_heads", 2}, {"do_rotary", 1}, {"local_window_size", 64}}));
  const Attention expected = {
      .batch = 1, .q_len = 1, .kv_len = 101, .heads = 8, .kv_heads = 2, .head_dim = 4, .window = 64, .causal = true};
  EXPECT_EQ(attention_in(workload), expected);
  EXPECT_EQ(shape_of(workload, 1), (Shape{1, 2, 101, 4}));
  EXPECT_THAT(kinds_of(workload), ElementsAre("elementwise", "elementwise", "move", "move", "attention"));
}

TEST(OnnxAttentionOperators, OfOnnxItself) {
  const auto workload = loaded(TestModel(23)
                                   .input("q", {2, 8, 5, 4})
                                   .input("k", {2, 2, 9, 4})
                                   .input("v", {2, 2, 9, 6})
                                   .node("Attention", {"q", "k", "v"}, {"y"})
                                   .output("y"));
  EXPECT_EQ(attention_in(workload).kv_heads, 2);
  EXPECT_EQ(shape_of(workload), (Shape{2, 8, 5, 6}));
}

TEST(OnnxAttentionOperators, WhatDoesNotFitIsNamed) {
  const auto with = [](const Attributes& attributes) {
    return error_of(microsoft(TestModel().input("x", {2, 5, 12}).weight("w", {12, 36}), "Attention", {"x", "w"}, {"y"},
                              attributes));
  };
  EXPECT_EQ(with({}), "m.onnx: node 'y' (com.microsoft.Attention): 12 features do not divide into 0 heads");
  EXPECT_THAT(with({{"num_heads", 5}}), HasSubstr("12 features do not divide into 5 heads"));
  EXPECT_THAT(with({{"num_heads", 3}, {"qkv_hidden_sizes", Ints{12, 12, -1}}}), HasSubstr("not for queries"));
}

TEST(OnnxLower, UnknownOperatorsOfTheDomainAreNamed) {
  EXPECT_EQ(error_of(microsoft(TestModel().input("x", {2, 5}), "SkipLayerNormalisation", {"x"}, {"y"})),
            "m.onnx: node 'y' (com.microsoft.SkipLayerNormalisation): operator "
            "'com.microsoft.SkipLayerNormalisation' is not supported; did you mean "
            "'com.microsoft.SkipLayerNormalization'?");
}

}  // namespace
}  // namespace rooftile
