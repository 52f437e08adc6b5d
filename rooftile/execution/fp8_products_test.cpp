#include "rooftile/execution/fp8_products.hpp"

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

Workload run(bool training) { return multiply_in_fp8(stored_as(fp8_network(), kBesideFp8), {.training = training}); }

TEST(Fp8Products, ProductsWithWeightsReadFp8AndTheHeadDoesNot) {
  const Workload made = run(false);
  EXPECT_EQ(input_type(made, "query"), DType::fp8);
  EXPECT_EQ(input_type(made, "query", 1), DType::fp8);
  EXPECT_EQ(input_type(made, "attention"), DType::bf16);
  EXPECT_EQ(input_type(made, "attention", 1), DType::fp8);
  EXPECT_EQ(input_type(made, "add"), DType::bf16);
  EXPECT_EQ(input_type(made, "head"), DType::bf16);
  EXPECT_EQ(input_type(made, "head", 1), DType::bf16);
  EXPECT_EQ(std::get<Attention>(op_named(made, "attention").kind).kv_precision, DType::fp8);
}

TEST(Fp8Products, WhatIsScaledByItselfIsReadForItsLargestElementFirst) {
  const Fp8Use use = {.training = true, .scaled_now = true};
  const Workload made = multiply_in_fp8(stored_as(fp8_network(), kBesideFp8), use);
  EXPECT_EQ(made.ops.size(), run(true).ops.size() + 3);  // of the norm's result and of two matrices
  const Op& cast = op_named(made, "normal.cast");
  ASSERT_EQ(cast.inputs.size(), 2);
  const Op& largest = op_named(made, "normal.largest");
  EXPECT_EQ(largest.outputs.front(), cast.inputs[1]);
  EXPECT_EQ(largest.inputs.front(), cast.inputs[0]);
  EXPECT_FALSE(is_floating(made.tensors[cast.inputs[1]].dtype)) << "no gradient passes through it";
}

TEST(Fp8Products, InputsAreConvertedOnce) {
  EXPECT_EQ(run(false).ops.size(), fp8_network().ops.size() + 1);  // for both products
  EXPECT_EQ(op_named(run(false), "query").inputs[0], op_named(run(false), "gate").inputs[0]);
}

// Experts that no position picks.
TEST(Fp8Products, WeightsAtRestAreAsNarrow) {
  Workload workload = fp8_network();
  workload.tensors.push_back({"resting weights", {2, 16, 16}, DType::fp32, true});
  const Workload run = multiply_in_fp8(workload, {});
  const auto resting = std::find_if(run.tensors.begin(), run.tensors.end(),
                                    [](const Tensor& tensor) { return tensor.name == "resting weights"; });
  ASSERT_NE(resting, run.tensors.end());
  EXPECT_EQ(resting->dtype, DType::fp8);
}

TEST(Fp8Products, ExpertsStayWideWhereTheirKernelsAre) {
  Workload workload = fp8_network();
  workload.tensors[4].shape = {2, 16, 16};
  workload.tensors.push_back({"resting weights", {2, 16, 16}, DType::fp32, true});
  const Workload made = multiply_in_fp8(stored_as(std::move(workload), kBesideFp8), {.experts = false});
  EXPECT_EQ(input_type(made, "query", 1), DType::fp8);
  EXPECT_EQ(input_type(made, "gate"), DType::bf16);
  EXPECT_EQ(input_type(made, "gate", 1), DType::bf16);
  EXPECT_EQ(made.tensors[11].dtype, DType::bf16);
}

TEST(Fp8Products, WeightsAreConvertedInTraining) {
  const Workload made = run(true);
  EXPECT_EQ(made.ops.size(), fp8_network().ops.size() + 3);
  EXPECT_EQ(made.tensors[2].dtype, DType::bf16);
  EXPECT_EQ(input_type(made, "query", 1), DType::fp8);
  EXPECT_FALSE(std::get<Attention>(op_named(made, "attention").kind).kv_precision);
}

TEST(Fp8Products, EnginesConvertWhereTheyNormalise) {
  const LaunchOptions engine = {.execution = Execution::engine, .precision = DType::fp8};
  const Workload made = launched(fp8_network(), engine);
  EXPECT_TRUE(std::none_of(made.ops.begin(), made.ops.end(), [](const Op& op) { return name_of(op.kind) == "move"; }));
  EXPECT_EQ(precision_of(made, op_named(made, "query"), engine), DType::fp8);
  EXPECT_EQ(precision_of(made, op_named(made, "head"), engine), DType::bf16);
}

TEST(Fp8Products, AProductAloneIsNarrow) {
  Workload workload = fp8_network();
  workload.ops = {workload.ops.back()};
  workload.inputs = {7};
  EXPECT_EQ(input_type(multiply_in_fp8(stored_as(std::move(workload), kBesideFp8), {}), "head"), DType::fp8);
}

}  // namespace
}  // namespace rooftile
