#include "rooftile/execution/bias.hpp"

#include <string>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/execution/launched.hpp"
#include "rooftile/workload/test_workload.hpp"

namespace rooftile {
namespace {

using testing::ElementsAre;

// A convolution with a bias and its ReLU.
Workload biased_network(std::int64_t groups) {
  Workload workload;
  workload.name = "conv";
  const Shape map = {2, 4, 8, 8};
  workload.tensors = {{"x", map},
                      {"w", {4, 4 / groups, 1, 1}, DType::fp32, true},
                      {"b", {4}, DType::fp32, true},
                      {"y", map},
                      {"relu", map}};
  Conv conv{.batch = 2, .in_channels = 4, .out_channels = 4, .groups = groups, .bias = true};
  conv.axes[1] = conv.axes[2] = {.in = 8};
  workload.ops = {{"conv", conv, {0, 1, 2}, {3}}, {"relu", Elementwise{.function = "relu"}, {3}, {4}}};
  workload.inputs = {0};
  workload.outputs = {4};
  return workload;
}

TEST(ConvBias, IsAKernelOfItsOwnInEagerMode) {
  const Workload eager = launched(biased_network(1), {.precision = DType::fp16});
  ASSERT_THAT(op_names(eager), ElementsAre("conv", "conv.bias", "relu"));
  const Op &conv = eager.ops[0], &add = eager.ops[1];
  EXPECT_FALSE(std::get<Conv>(conv.kind).bias);
  EXPECT_EQ(conv.inputs.size(), 2U);
  EXPECT_EQ(add.kind, OpKind(Elementwise{"bias"}));
  EXPECT_THAT(add.inputs, ElementsAre(conv.outputs.front(), 2));
  EXPECT_THAT(add.outputs, ElementsAre(3));
  EXPECT_EQ(eager.tensors[conv.outputs.front()].shape, eager.tensors[3].shape);
  EXPECT_EQ(eager.tensors[conv.outputs.front()].dtype, DType::fp16);
}

// Inductor fuses it with what follows, an engine with the convolution.
TEST(ConvBias, IsPartOfFusedKernels) {
  const Workload compiled = launched(biased_network(1), {.execution = Execution::compiled});
  ASSERT_EQ(compiled.ops.size(), 2U);
  EXPECT_THAT(compiled.ops[1].members, ElementsAre("conv.bias", "relu"));
  EXPECT_EQ(launched(biased_network(1), {.execution = Execution::engine}).ops.size(), 1U);
}

TEST(ConvBias, PyTorchsOwnDepthwiseKernelTakesIt) {
  EXPECT_THAT(op_names(add_biases_apart(biased_network(4), false)), ElementsAre("conv", "relu"));
  EXPECT_THAT(op_names(add_biases_apart(biased_network(4), true)), ElementsAre("conv", "conv.bias", "relu"));
}

TEST(ConvBias, WithoutOneNothingIsAdded) {
  Workload plain = biased_network(1);
  std::get<Conv>(plain.ops[0].kind).bias = false;
  plain.ops[0].inputs.pop_back();
  EXPECT_THAT(op_names(add_biases_apart(plain, true)), ElementsAre("conv", "relu"));
}

// A product with a bias, which GELU or attention reads.
Workload biased_product(const Op& reader) {
  Workload workload;
  workload.name = "product";
  const Shape rows = {2, 4, 8, 16};
  workload.tensors = {
      {"x", rows}, {"w", {16, 16}, DType::fp32, true}, {"b", {16}, DType::fp32, true}, {"y", rows}, {"result", rows}};
  workload.ops = {{"fc", Gemm{.m = 64, .n = 16, .k = 16, .bias = true}, {0, 1, 2}, {3}}, reader};
  workload.inputs = {0};
  workload.outputs = {4};
  return workload;
}

const Op kGelu = {"gelu", Elementwise{.function = "gelu"}, {3}, {4}};

TEST(ProductBias, FasterTransformerAddsItWithTheActivation) {
  const LaunchOptions bare = {.execution = Execution::engine, .epilogues = false};
  const Workload run = launched(biased_product(kGelu), bare);
  ASSERT_EQ(run.ops.size(), 2U);
  EXPECT_FALSE(std::get<Gemm>(run.ops[0].kind).bias);
  EXPECT_THAT(run.ops[1].members, ElementsAre("fc.bias", "gelu"));
  EXPECT_EQ(launched(biased_product(kGelu), {.execution = Execution::engine}).ops.size(), 1U);
}

TEST(ProductBias, OfManyDimensionsIsApartInEarlyReleases) {
  const Workload whole = biased_product(kGelu);
  EXPECT_THAT(op_names(launched(whole, {.linear_bias = 3})), ElementsAre("fc", "fc.bias", "gelu"));
  EXPECT_THAT(op_names(launched(whole, {})), ElementsAre("fc", "gelu"));
  EXPECT_THAT(op_names(launched(whole, {.linear_bias = 4})), ElementsAre("fc", "gelu"));
}

TEST(ProductBias, WideSumsAreReadByTheKernelThatAddsIt) {
  const Workload run =
      launched(biased_product(kGelu),
               {.execution = Execution::engine, .precision = DType::int8, .epilogues = false, .wide_sums = true});
  EXPECT_EQ(run.tensors[run.ops[0].outputs[0]].dtype, DType::int32);
  EXPECT_EQ(run.tensors[run.ops[1].outputs[0]].dtype, DType::int8);
}

TEST(ProductBias, OfMergedProductsIsOneKernel) {
  Workload workload = biased_product(kGelu);
  workload.tensors.push_back({"z", {2, 4, 8, 16}});
  workload.ops = {{"qk", Gemm{.m = 64, .n = 32, .k = 16}, {0, 1}, {3, 4}},
                  {"q.bias", Elementwise{"bias"}, {3, 2}, {5}},
                  {"k.bias", Elementwise{"bias"}, {4, 2}, {5}}};
  const Workload joined = join_product_biases(workload);
  ASSERT_THAT(op_names(joined), ElementsAre("qk", "q.bias"));
  EXPECT_THAT(joined.ops[1].inputs, ElementsAre(3, 2, 4, 2));
  workload.ops[0].outputs.pop_back();
  EXPECT_EQ(join_product_biases(workload).ops.size(), 3U) << "one result, one bias";
}

TEST(ProductBias, AttentionOfOneQueryAddsItItself) {
  const auto reader = [](std::int64_t queries) {
    const Attention attention{.batch = 2, .q_len = queries, .kv_len = 8, .heads = 4, .kv_heads = 4, .head_dim = 16};
    return Op{"attention", attention, {3, 3, 3}, {4}};
  };
  EXPECT_THAT(op_names(add_product_biases_apart(biased_product(reader(1)))), ElementsAre("fc", "attention"));
  EXPECT_THAT(op_names(add_product_biases_apart(biased_product(reader(8)))), ElementsAre("fc", "fc.bias", "attention"));
}

}  // namespace
}  // namespace rooftile
