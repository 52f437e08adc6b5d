#include "rooftile/execution/llama_cpp.hpp"

#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/execution/launched.hpp"
#include "rooftile/workload/test_workload.hpp"

namespace rooftile {
namespace {

using testing::ElementsAre;

// product -> attention -> head, of `length` positions
Workload cached_network(std::int64_t length) {
  Workload workload;
  workload.name = "network";
  workload.tensors = {{"text", {1, length, 16}},   {"weights", {16, 16}, DType::fp32, true},
                      {"query", {1, length, 16}},  {"cache", {1, 4 * length, 16}},
                      {"seen", {1, length, 16}},   {"head weights", {100, 16}, DType::fp32, true},
                      {"scores", {1, length, 100}}};
  Attention attention;
  attention.q_len = length, attention.kv_len = 4 * length, attention.head_dim = 16;
  workload.ops = {{"query", Gemm{.m = length, .n = 16, .k = 16}, {0, 1}, {2}},
                  {"attention", attention, {2, 3, 3}, {4}},
                  {"head", Gemm{.m = length, .n = 100, .k = 16, .trans_b = true}, {4, 5}, {6}}};
  workload.inputs = {0, 3};
  workload.outputs = {6};
  return workload;
}

TEST(LlamaCpp, PromptsMultiplyFp16BetweenFp32) {
  const Workload made = as_llama_cpp(cached_network(512), std::nullopt);
  const Op& query = op_named(made, "query");
  EXPECT_EQ(made.tensors[query.inputs[0]].dtype, DType::fp16);
  EXPECT_EQ(made.tensors[query.inputs[1]].dtype, DType::fp16);
  EXPECT_EQ(made.tensors[query.outputs[0]].dtype, DType::fp16);
  EXPECT_EQ(made.tensors[op_named(made, "query.result").outputs[0]].dtype, DType::fp32);
  EXPECT_EQ(made.tensors[op_named(made, "attention/softmax").inputs[0]].dtype, DType::fp32);
  EXPECT_EQ(std::get<Gemm>(op_named(made, "attention/scores").kind).n, 2048);
}

TEST(LlamaCpp, OnlyTheLastPositionGoesThroughTheHead) {
  const Workload made = as_llama_cpp(cached_network(512), std::nullopt);
  EXPECT_EQ(std::get<Gemm>(op_named(made, "head").kind).m, 1);
  EXPECT_EQ(made.tensors[op_named(made, "head.result").outputs[0]].shape, (Shape{1, 1, 100}));
}

TEST(LlamaCpp, NarrowWeightsAreUnpackedForEveryProduct) {
  const Workload made = as_llama_cpp(cached_network(512), DType::q4_0);
  const Op& unpacked = op_named(made, "query.unpacked");
  EXPECT_EQ(made.tensors[unpacked.inputs[0]].dtype, DType::q4_0);
  EXPECT_EQ(made.tensors[unpacked.outputs[0]].dtype, DType::fp16);
  EXPECT_EQ(std::get<Move>(unpacked.kind).function, "unpack");
}

// 50 launches a layer of Llama with narrow weights, 43 with wide ones (build_llama, ggml-cuda.cu).
TEST(LlamaCpp, PromptsFuseNothing) {
  const LaunchOptions options = {.execution = Execution::engine, .precision = DType::fp16, .llama_cpp = true};
  EXPECT_THAT(op_names(launched(cached_network(512), options)),
              ElementsAre("query.operand", "query", "query.result", "attention/q.operand", "attention/scores.pointers",
                          "attention/scores", "attention/scores.result", "attention/softmax",
                          "attention/chances.operand", "attention/context.pointers", "attention/context",
                          "attention/context.result", "attention/join", "head.operand", "head", "head.result"));
}

TEST(LlamaCpp, StepsOfDecodingFuseNothing) {
  EXPECT_TRUE(is_llama_cpp_prompt(cached_network(512)));
  EXPECT_FALSE(is_llama_cpp_prompt(cached_network(1)));
  const LaunchOptions options = {.execution = Execution::engine, .precision = DType::fp16, .llama_cpp = true};
  EXPECT_THAT(op_names(launched(cached_network(1), options)),
              ElementsAre("query", "attention", "attention.softmax", "attention.values", "attention.join", "head"));
  LaunchOptions quantised = options;
  quantised.weights = DType::q4_0, quantised.narrow_heads = true;
  EXPECT_THAT(op_names(launched(cached_network(1), quantised)),
              ElementsAre("query.quantised", "query", "attention", "attention.softmax", "attention.values",
                          "attention.join", "head.quantised", "head"));
}

}  // namespace
}  // namespace rooftile
