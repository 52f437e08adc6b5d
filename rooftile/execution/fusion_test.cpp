#include "rooftile/execution/fusion.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/execution/attention_pattern.hpp"
#include "rooftile/execution/launched.hpp"
#include "rooftile/workload/test_workload.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {
namespace {

using testing::ElementsAre;

// The end of a residual block: two convolutions with batch norms, their sum, a ReLU, a mean.
Workload block() {
  Workload workload;
  workload.name = "block";
  const Shape map = {2, 4, 8, 8};
  workload.tensors = {{"x", map},
                      {"w1", {4, 4, 1, 1}, DType::fp32, true},
                      {"y1", map},
                      {"n1", map},
                      {"w2", {4, 4, 1, 1}, DType::fp32, true},
                      {"y2", map},
                      {"n2", map},
                      {"sum", map},
                      {"relu", map},
                      {"mean", {2, 4, 1, 1}}};
  Conv conv{.batch = 2, .in_channels = 4, .out_channels = 4};
  conv.axes[1] = conv.axes[2] = {.in = 8};
  workload.ops = {{"conv1", conv, {0, 1}, {2}},
                  {"bn1", Normalize{}, {2}, {3}},
                  {"conv2", conv, {0, 4}, {5}},
                  {"bn2", Normalize{}, {5}, {6}},
                  {"add", Elementwise{.function = "add"}, {3, 6}, {7}},
                  {"relu", Elementwise{.function = "relu"}, {7}, {8}},
                  {"pool", Pool{.function = "average", .window = 64}, {8}, {9}}};
  workload.inputs = {0};
  workload.outputs = {9};
  return workload;
}

TEST(Fusion, ACompilerFusesWhatIsPointwiseWithTheReductionAtItsEnd) {
  const Workload run = fuse(block(), {});
  ASSERT_THAT(op_names(run), ElementsAre("conv1", "conv2", "pool"));
  EXPECT_THAT(run.ops[2].members, ElementsAre("bn1", "bn2", "add", "relu", "pool"));
  EXPECT_THAT(run.ops[2].inputs, ElementsAre(2, 5));  // nothing in between is read
  EXPECT_THAT(run.ops[2].outputs, ElementsAre(9));
}

TEST(Fusion, AGateMayBeApartFromAProduct) {
  Workload gated = block();
  std::get<Elementwise>(gated.ops[5].kind).function = "silu";
  const Workload fused = fuse(gated, {.epilogues = true, .conv_epilogues = true}),
                 apart = fuse(gated, {.epilogues = true, .conv_epilogues = true, .gates_apart = true});
  EXPECT_THAT(fused.ops.back().members, testing::Not(testing::Contains("relu")));
  EXPECT_THAT(apart.ops.back().members, ElementsAre("relu", "pool"));
}

TEST(Fusion, WhatOthersReadIsNotReducedInTheSameKernel) {
  Workload workload = block();
  workload.tensors.push_back({"scaled", {2, 4, 8, 8}});
  workload.ops.push_back({"scale", Elementwise{.function = "mul"}, {8, 9}, {10}});
  workload.outputs = {10};
  const Workload run = fuse(workload, {});
  EXPECT_THAT(op_names(run), ElementsAre("conv1", "conv2", "bn1", "pool", "scale"));
  EXPECT_THAT(run.ops[2].members, ElementsAre("bn1", "bn2", "add", "relu"));
}

// Two branches of an inception block.
TEST(Fusion, BranchesComputeTheirPartsOfAConcatenation) {
  Workload workload = block();
  workload.tensors[7] = {"both", {2, 8, 8, 8}};
  workload.tensors[8].shape = {2, 8, 8, 8};
  workload.ops[4] = {"both", Move{.function = "concat"}, {3, 6}, {7}};
  workload.ops.pop_back();
  workload.outputs = {8};
  const Workload run = fuse(workload, {});
  ASSERT_THAT(op_names(run), ElementsAre("conv1", "conv2", "bn1"));
  EXPECT_THAT(run.ops[2].members, ElementsAre("bn1", "bn2", "both", "relu"));
  EXPECT_THAT(run.ops[2].inputs, ElementsAre(2, 5));
  const auto& chain = std::get<Elementwise>(run.ops[2].kind);
  EXPECT_EQ(chain.flops_per_element, 3);  // of each element a batch norm and a ReLU, not two

  workload.outputs = {8, 6};  // one branch is asked for itself
  EXPECT_THAT(op_names(fuse(workload, {})), ElementsAre("conv1", "conv2", "bn2", "bn1"));
  EXPECT_THAT(op_names(fuse(workload, {.epilogues = true, .conv_epilogues = true})),
              ElementsAre("conv1", "conv2", "both", "relu"));
}

// Queries among what one product makes of queries, keys and values.
TEST(Fusion, APartOfATensorIsAllThatIsRead) {
  Workload workload;
  workload.tensors = {{"qkv", {2, 12}}, {"q", {2, 4}}, {"scaled", {2, 4}}, {"out", {2, 4}}};
  workload.ops = {{"part", View{"slice"}, {0}, {1}},
                  {"scale", Elementwise{.function = "mul"}, {1}, {2}},
                  {"relu", Elementwise{.function = "relu"}, {2}, {3}}};
  workload.inputs = {0};
  workload.outputs = {3};
  const Workload run = fuse(workload, {});
  ASSERT_THAT(op_names(run), ElementsAre("part", "scale"));
  EXPECT_THAT(run.ops[1].inputs, ElementsAre(1));
}

TEST(Fusion, AnEngineFusesIntoTheProductBefore) {
  const Workload run = fuse(block(), {.epilogues = true, .conv_epilogues = true});
  ASSERT_THAT(op_names(run), ElementsAre("conv1", "conv2", "pool"));
  EXPECT_THAT(run.ops[1].members, ElementsAre("conv2", "bn2", "add", "relu"));
  EXPECT_THAT(run.ops[1].inputs, ElementsAre(0, 4, 3));
  EXPECT_THAT(run.ops[0].members, ElementsAre("conv1", "bn1"));
}

TEST(Fusion, ConvolutionsMayFuseWhereProductsDoNot) {
  EXPECT_THAT(fuse(block(), {.conv_epilogues = true}).ops[1].members, ElementsAre("conv2", "bn2", "add", "relu"));
  EXPECT_THAT(fuse(block(), {.epilogues = true}).ops[1].members, testing::SizeIs(testing::Le(1)));
}

// Inductor decomposes torch.roll into index arithmetic; engines copy.
TEST(Fusion, ARollIsPartOfAChain) {
  Workload workload = block();
  workload.ops[5].kind = Move{.function = "roll"};
  EXPECT_THAT(op_names(fuse(workload, {})), ElementsAre("conv1", "conv2", "pool"));
  EXPECT_THAT(op_names(fuse(workload, {.epilogues = true, .conv_epilogues = true})),
              ElementsAre("conv1", "conv2", "relu", "pool"));
}

TEST(Fusion, BatchStatisticsAreComputedApart) {
  const Workload run = fuse(block(), {.training = true});
  EXPECT_THAT(op_names(run), ElementsAre("conv1", "bn1", "conv2", "bn2", "pool"));
  EXPECT_THAT(run.ops[3].members, ElementsAre("bn2", "add", "relu"));
}

TEST(Fusion, AGroupDoesNotWaitForWhatNeedsIt) {
  Workload workload = block();
  workload.ops[2].inputs[0] = 3;  // conv2 reads what bn1 wrote
  const Workload run = fuse(workload, {});
  EXPECT_THAT(op_names(run), ElementsAre("conv1", "bn1", "conv2", "pool"));
  EXPECT_THAT(run.ops[3].members, ElementsAre("bn2", "add", "relu", "pool"));
}

// Queries and keys of four heads, scores with an operator on them, values.
Workload attention(const std::string& on_scores) {
  Workload workload;
  workload.name = "attention";
  workload.batch_size = 2;
  const Shape heads = {2, 4, 16, 8}, scores = {2, 4, 16, 16};
  workload.tensors = {{"q", heads},  {"k", heads},  {"v", heads}, {"s", scores},
                      {"t", scores}, {"p", scores}, {"o", heads}};
  workload.ops = {{"scores", Gemm{.batch = 8, .m = 16, .n = 16, .k = 8, .trans_b = true}, {0, 1}, {3}},
                  {"softmax", Softmax{}, {3}, {5}},
                  {"values", Gemm{.batch = 8, .m = 16, .n = 8, .k = 16}, {5, 2}, {6}}};
  if (!on_scores.empty()) {
    workload.ops.insert(workload.ops.begin() + 1, Op{"on_scores", Elementwise{.function = on_scores}, {3}, {4}});
    workload.ops[2].inputs = {4};
  }
  workload.inputs = {0, 1, 2};
  workload.outputs = {6};
  return workload;
}

TEST(AttentionPattern, ModulesBecomeOneKernel) {
  const Workload run = fuse_attention(attention(""), AttentionCalls::modules);
  ASSERT_EQ(run.ops.size(), 1);
  EXPECT_EQ(std::get<Attention>(run.ops[0].kind),
            (Attention{.batch = 2, .q_len = 16, .kv_len = 16, .heads = 4, .kv_heads = 4, .head_dim = 8}));
  EXPECT_THAT(run.ops[0].inputs, ElementsAre(0, 1, 2));
  EXPECT_THAT(run.ops[0].members, ElementsAre("scores", "softmax", "values"));
}

// However a network writes it, llama.cpp launches two products, a softmax and a copy.
TEST(AttentionPattern, OfLlamaCppIsTheSameHoweverItIsWritten) {
  const LaunchOptions options = {.execution = Execution::engine, .precision = DType::fp16, .llama_cpp = true};
  EXPECT_EQ(launched(attention(""), options).ops.size(), 4);
  EXPECT_EQ(launched(attention("mul"), options).ops.size(), 4);
}

// Fused kernels read queries, keys and values where the product of all three wrote them.
TEST(AttentionPattern, WhatTakesHeadsOutOfOneProductMovesNothing) {
  Workload workload = attention("");
  workload.tensors.push_back({"qkv", {3, 2, 4, 16, 8}});
  const TensorId qkv = workload.tensors.size() - 1;
  for (TensorId id = 3; id-- > 0;) {
    workload.ops.insert(workload.ops.begin(), Op{"take" + std::to_string(id), Move{.function = "gather"}, {qkv}, {id}});
  }
  workload.inputs = {qkv};
  const Workload run = fuse_attention(workload, AttentionCalls::modules);
  ASSERT_EQ(run.ops.size(), 4U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(run.ops[i].kind, OpKind(View{"gather"}));
}

// A mask is alike for all heads; Swin's table of relative positions is not.
TEST(AttentionPattern, RecentNetworksFuseMasksAndNoBiasesOfHeads) {
  EXPECT_EQ(fuse_attention(attention("mul"), AttentionCalls::networks).ops.size(), 1);
  const auto with = [](const Shape& added) {
    Workload workload = attention("add");
    workload.tensors.push_back({"added", added, DType::fp32, true});
    workload.ops[1].inputs.push_back(workload.tensors.size() - 1);
    return workload;
  };
  EXPECT_EQ(fuse_attention(with({1, 1, 16, 16}), AttentionCalls::networks).ops.size(), 1);
  EXPECT_EQ(fuse_attention(with({1, 4, 16, 16}), AttentionCalls::networks).ops.size(), 4);
  EXPECT_EQ(fuse_attention(with({1, 4, 16, 16}), AttentionCalls::all).ops.size(), 1);
}

TEST(AttentionPattern, ScoresThatTheNetworkScalesStayApartButForAnEngine) {
  EXPECT_EQ(fuse_attention(attention("mul"), AttentionCalls::modules).ops.size(), 4);
  EXPECT_EQ(fuse_attention(attention("mul"), AttentionCalls::all).ops.size(), 1);
  EXPECT_EQ(fuse_attention(attention("exp"), AttentionCalls::all).ops.size(), 4);
}

// Swin v2 multiplies cosines by a number of each head, which is a weight.
TEST(AttentionPattern, OnlyAnEngineScalesHeadsApart) {
  Workload workload = attention("mul");
  workload.tensors.push_back({"scales", {1, 4, 1, 1}, DType::fp32, true});
  workload.ops[1].inputs.push_back(workload.tensors.size() - 1);
  EXPECT_EQ(fuse_attention(workload, AttentionCalls::networks).ops.size(), 4);
  EXPECT_EQ(fuse_attention(workload, AttentionCalls::all).ops.size(), 1);
  workload.tensors.back().constant = false;
  EXPECT_EQ(fuse_attention(workload, AttentionCalls::all).ops.size(), 4);
}

TEST(AttentionPattern, KernelsTakeSoManyPositionsAndDimensions) {
  const auto ops_with = [](const FusedHeads& heads) {
    return fuse_attention(attention(""), AttentionCalls::all, heads).ops.size();
  };
  EXPECT_EQ(ops_with({.dim = 8, .positions = 16}), 1);
  EXPECT_EQ(ops_with({.dim = 8, .positions = 15}), 3);
  EXPECT_EQ(ops_with({.dim = 7, .positions = 16}), 3);
}

// 16 positions of 8: one kernel in 16 bits, two products and a softmax in 32.
TEST(AttentionPattern, FasterTransformerFusesNoFp32) {
  LaunchOptions options = {
      .execution = Execution::engine, .precision = DType::fp16, .epilogues = false, .short_fused_attention = true};
  EXPECT_EQ(launched(attention(""), options).ops.size(), 1);
  options.precision = DType::fp32;
  EXPECT_EQ(launched(attention(""), options).ops.size(), 3);
  options.short_fused_attention = false;
  EXPECT_EQ(launched(attention(""), options).ops.size(), 1);
  options.separate_attention = true;
  EXPECT_EQ(launched(attention(""), options).ops.size(), 3) << "as ONNX Runtime had it";
}

TEST(AttentionPattern, FasterTransformerPadsKeysInBothProducts) {
  Workload workload = attention("");
  std::get<Gemm>(workload.ops.front().kind).n = 13;
  std::get<Gemm>(workload.ops.back().kind).k = 13;
  const Workload padded = lay_out_heads(workload, 8);
  EXPECT_EQ(std::get<Gemm>(padded.ops.front().kind).n, 16);
  EXPECT_EQ(std::get<Gemm>(padded.ops.front().kind).m, 16);
  EXPECT_EQ(std::get<Gemm>(padded.ops.back().kind).k, 16);
}

}  // namespace
}  // namespace rooftile
