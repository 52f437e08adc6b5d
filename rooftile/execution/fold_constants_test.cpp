#include "rooftile/execution/fold_constants.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/execution/launched.hpp"
#include "rooftile/workload/test_workload.hpp"

namespace rooftile {
namespace {

using testing::ElementsAre;

// A table is looked up and added to x, whose product has weights that are unpacked for it.
Workload network() {
  Workload workload;
  workload.name = "network";
  workload.tensors = {{"x", {8, 16}},   {"table", {40, 16}, DType::fp32, true},  {"bias", {8, 16}},
                      {"sum", {8, 16}}, {"packed", {16, 16}, DType::int8, true}, {"weights", {16, 16}},
                      {"y", {8, 16}}};
  workload.ops = {{"lookup", Move{.function = "gather", .partial = true}, {1}, {2}},
                  {"add", Elementwise{.function = "add"}, {0, 2}, {3}},
                  {"unpack", Elementwise{.function = "dequantise"}, {4}, {5}},
                  {"product", Gemm{.m = 8, .n = 16, .k = 16}, {3, 5}, {6}}};
  workload.inputs = {0};
  workload.outputs = {6};
  return workload;
}

TEST(FoldConstants, WhatReadsWeightsAloneIsComputedBeforehand) {
  const Workload folded = fold_constants(network());
  EXPECT_THAT(op_names(folded), ElementsAre("add", "unpack", "product"));
  EXPECT_TRUE(folded.tensors[2].constant);
}

TEST(FoldConstants, AResultOfTheNetworkStays) {
  Workload workload = network();
  workload.outputs.push_back(2);
  EXPECT_EQ(fold_constants(workload).ops.size(), workload.ops.size());
}

TEST(FoldConstants, OnlyAnEngineDoesIt) {
  EXPECT_THAT(op_names(launched(network(), {})), testing::Contains("lookup"));
  EXPECT_THAT(op_names(launched(network(), {.execution = Execution::engine})),
              testing::Not(testing::Contains("lookup")));
}

}  // namespace
}  // namespace rooftile
