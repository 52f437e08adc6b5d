#include "rooftile/execution/conv_bias.hpp"

#include <string>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/execution/launched.hpp"
#include "rooftile/execution/test_workload.hpp"

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

}  // namespace
}  // namespace rooftile
