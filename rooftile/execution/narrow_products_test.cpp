#include "rooftile/execution/narrow_products.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "rooftile/execution/launched.hpp"
#include "rooftile/workload/test_workload.hpp"

namespace rooftile {
namespace {

// norm -> (query, gate) -> attention -> add -> head
Workload fp8_network() {
  Workload workload;
  workload.name = "network";
  workload.tensors = {{"text", {8, 16}},
                      {"normal", {8, 16}},
                      {"query weights", {16, 16}, DType::fp32, true},
                      {"query", {8, 16}},
                      {"gate weights", {16, 16}, DType::fp32, true},
                      {"gate", {8, 16}},
                      {"seen", {8, 16}},
                      {"sum", {8, 16}},
                      {"head weights", {100, 16}, DType::fp32, true},
                      {"scores", {8, 100}},
                      {"cache", {8, 8, 16}}};
  const Gemm gemm{.m = 8, .n = 16, .k = 16};
  Attention attention;
  attention.q_len = 1, attention.kv_len = 8, attention.batch = 8, attention.head_dim = 16;
  workload.ops = {{"norm", Normalize{.function = "layer"}, {0}, {1}},
                  {"query", gemm, {1, 2}, {3}},
                  {"gate", gemm, {1, 4}, {5}},
                  {"attention", attention, {3, 10}, {6}},
                  {"add", Elementwise{.function = "add"}, {6, 5}, {7}},
                  {"head", Gemm{.m = 8, .n = 100, .k = 16, .trans_b = true}, {7, 8}, {9}}};
  workload.inputs = {0, 10};
  workload.outputs = {9};
  return workload;
}

Workload run(bool training) { return multiply_narrow(stored_as(fp8_network(), kBesideNarrow), {.training = training}); }

TEST(NarrowProducts, ProductsWithWeightsReadFp8AndTheHeadDoesNot) {
  const Workload made = run(false);
  EXPECT_EQ(input_type(made, "query"), DType::fp8);
  EXPECT_EQ(input_type(made, "query", 1), DType::fp8);
  EXPECT_EQ(input_type(made, "attention"), DType::bf16);
  EXPECT_EQ(input_type(made, "add"), DType::bf16);
  EXPECT_EQ(input_type(made, "head"), DType::bf16);
  EXPECT_EQ(input_type(made, "head", 1), DType::bf16);
}

TEST(NarrowProducts, ProductsThatFillACacheAreNotTheLast) {
  Workload step = stored_as(fp8_network(), kBesideNarrow);
  step.tensors.insert(step.tensors.end(), {{"key weights", {16, 16}, kBesideNarrow, true},
                                           {"key", {8, 16}, kBesideNarrow},
                                           {"appended", {8, 16}, kBesideNarrow}});
  step.ops.push_back({"key", Gemm{.m = 8, .n = 16, .k = 16}, {1, 11}, {12}});
  step.ops.push_back({"key/append", Move{.function = "cache"}, {12}, {13}});
  step.outputs.push_back(13);
  const Workload made = multiply_narrow(step, {});
  EXPECT_EQ(input_type(made, "key", 1), DType::fp8);
  EXPECT_EQ(input_type(made, "head", 1), DType::bf16);
}

TEST(NarrowProducts, PromptsAttendInFp8WhereTheirEngineDoes) {
  Workload prompt = stored_as(fp8_network(), kBesideNarrow);
  std::get<Attention>(prompt.ops[3].kind).q_len = 8;
  EXPECT_EQ(input_type(multiply_narrow(prompt, {}), "attention"), DType::bf16);
  EXPECT_EQ(input_type(multiply_narrow(prompt, {.prompts = true}), "attention"), DType::fp8);
  EXPECT_EQ(input_type(multiply_narrow(prompt, {.training = true, .prompts = true}), "attention"), DType::bf16);
  const Workload step = multiply_narrow(stored_as(fp8_network(), kBesideNarrow), {.prompts = true});
  EXPECT_EQ(input_type(step, "attention"), DType::bf16) << "queries of a step";
}

TEST(NarrowProducts, WhatIsScaledByItselfIsReadForItsLargestElementFirst) {
  const NarrowUse use = {.training = true, .scaled_now = true};
  const Workload made = multiply_narrow(stored_as(fp8_network(), kBesideNarrow), use);
  EXPECT_EQ(made.ops.size(), run(true).ops.size() + 3);  // of the norm's result and of two matrices
  const Op& cast = op_named(made, "normal.cast");
  ASSERT_EQ(cast.inputs.size(), 2);
  const Op& largest = op_named(made, "normal.largest");
  EXPECT_EQ(largest.outputs.front(), cast.inputs[1]);
  EXPECT_EQ(largest.inputs.front(), cast.inputs[0]);
  EXPECT_FALSE(is_floating(made.tensors[cast.inputs[1]].dtype)) << "no gradient passes through it";
}

TEST(NarrowProducts, Fp4IsForProductsAlone) {
  Workload workload = fp8_network();
  workload.tensors.push_back({"maps", {1, 8, 4, 4}});
  workload.tensors.push_back({"filters", {8, 8, 1, 1}, DType::fp32, true});
  workload.tensors.push_back({"more maps", {1, 8, 4, 4}});
  Conv conv{.in_channels = 8, .out_channels = 8};
  conv.axes[1] = conv.axes[2] = {.in = 4, .filter = 1};
  workload.ops.insert(workload.ops.begin(), {"conv", conv, {11, 12}, {13}});
  workload.inputs.push_back(11);
  const Workload made = multiply_narrow(stored_as(std::move(workload), kBesideNarrow), {.type = DType::nvfp4});
  EXPECT_EQ(input_type(made, "conv"), DType::bf16);
  EXPECT_EQ(input_type(made, "query"), DType::nvfp4);
  EXPECT_EQ(input_type(made, "query", 1), DType::nvfp4);
  EXPECT_EQ(input_type(made, "head", 1), DType::bf16);
}

TEST(NarrowProducts, InputsAreConvertedOnce) {
  EXPECT_EQ(run(false).ops.size(), fp8_network().ops.size() + 1);  // for both products
  EXPECT_EQ(op_named(run(false), "query").inputs[0], op_named(run(false), "gate").inputs[0]);
}

// Experts that no position picks.
TEST(NarrowProducts, WeightsAtRestAreAsNarrow) {
  Workload workload = fp8_network();
  workload.tensors.push_back({"resting weights", {2, 16, 16}, DType::fp32, true});
  const Workload run = multiply_narrow(workload, {});
  const auto resting = std::find_if(run.tensors.begin(), run.tensors.end(),
                                    [](const Tensor& tensor) { return tensor.name == "resting weights"; });
  ASSERT_NE(resting, run.tensors.end());
  EXPECT_EQ(resting->dtype, DType::fp8);
}

TEST(NarrowProducts, ExpertsStayWideWhereTheirKernelsAre) {
  Workload workload = fp8_network();
  workload.tensors[4].shape = {2, 16, 16};
  workload.tensors.push_back({"resting weights", {2, 16, 16}, DType::fp32, true});
  const Workload made = multiply_narrow(stored_as(std::move(workload), kBesideNarrow), {.experts = false});
  EXPECT_EQ(input_type(made, "query", 1), DType::fp8);
  EXPECT_EQ(input_type(made, "gate"), DType::bf16);
  EXPECT_EQ(input_type(made, "gate", 1), DType::bf16);
  EXPECT_EQ(made.tensors[11].dtype, DType::bf16);
}

TEST(NarrowProducts, WeightsAreConvertedInTraining) {
  const Workload made = run(true);
  EXPECT_EQ(made.ops.size(), fp8_network().ops.size() + 3);
  EXPECT_EQ(made.tensors[2].dtype, DType::bf16);
  EXPECT_EQ(input_type(made, "query", 1), DType::fp8);
}

TEST(NarrowProducts, EnginesConvertWhereTheyNormalise) {
  const LaunchOptions engine = {.execution = Execution::engine, .precision = DType::fp8};
  const Workload made = launched(fp8_network(), engine);
  EXPECT_TRUE(std::none_of(made.ops.begin(), made.ops.end(), [](const Op& op) { return name_of(op.kind) == "move"; }));
  EXPECT_EQ(precision_of(made, op_named(made, "query"), engine), DType::fp8);
  EXPECT_EQ(precision_of(made, op_named(made, "head"), engine), DType::bf16);
}

TEST(NarrowProducts, AProductAloneIsNarrow) {
  Workload workload = fp8_network();
  workload.ops = {workload.ops.back()};
  workload.inputs = {7};
  EXPECT_EQ(input_type(multiply_narrow(stored_as(std::move(workload), kBesideNarrow), {}), "head"), DType::fp8);
}

}  // namespace
}  // namespace rooftile
