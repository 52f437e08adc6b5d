#include "rooftile/execution/int8_engine.hpp"

#include <variant>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/workload/test_workload.hpp"

namespace rooftile {
namespace {

using testing::ElementsAre;

// norm -> product -> attention -> add, all in int8; the sum adds what the norm writes.
Workload normalised_after() {
  Workload workload;
  workload.name = "block";
  const Shape rows = {1, 8, 64};
  workload.tensors = {{"x", rows}, {"norm", rows}, {"w", {64, 64}, DType::fp32, true},
                      {"y", rows}, {"seen", rows}, {"sum", rows}};
  const Attention attention{.q_len = 8, .kv_len = 8, .head_dim = 64};
  workload.ops = {{"norm", Normalize{.function = "layer"}, {0}, {1}},
                  {"fc", Gemm{.m = 8, .n = 64, .k = 64}, {1, 2}, {3}},
                  {"attention", attention, {3, 3, 3}, {4}},
                  {"add", Elementwise{.function = "add"}, {4, 1}, {5}}};
  workload.inputs = {0};
  workload.outputs = {5};
  for (Tensor& tensor : workload.tensors) tensor.dtype = DType::int8;
  return workload;
}

TEST(Int8Engine, FusedAttentionIsBroughtIntoOrder) {
  const Workload run = as_int8_engine(normalised_after(), false);
  EXPECT_THAT(op_names(run), ElementsAre("norm", "fc", "attention", "attention.order", "add"));
  for (const Tensor& tensor : run.tensors) EXPECT_EQ(tensor.dtype, DType::int8) << tensor.name;
}

TEST(Int8Engine, WideSumsKeepTheStreamInFp16) {
  const Workload run = as_int8_engine(normalised_after(), true);
  EXPECT_THAT(op_names(run), ElementsAre("norm", "norm.quantised", "fc", "attention", "attention.order", "add"));
  EXPECT_EQ(run.tensors[1].dtype, DType::fp16);
  EXPECT_EQ(run.tensors[run.ops[2].inputs[0]].dtype, DType::int8);
  EXPECT_EQ(run.tensors[3].dtype, DType::int32);
}

TEST(Int8Engine, SumsThatSeveralReadAreFp16) {
  Workload workload = normalised_after();
  workload.ops[3].inputs = {0, 4};  // x + attention(norm(x)), as networks have it that normalise first
  workload.tensors.push_back({"next", {1, 8, 64}, DType::int8});
  workload.ops.push_back({"next", Normalize{.function = "layer"}, {5}, {6}});
  workload.ops.push_back({"again", Elementwise{.function = "add"}, {5, 6}, {4}});
  EXPECT_EQ(as_int8_engine(workload, true).tensors[5].dtype, DType::fp16);
  EXPECT_EQ(as_int8_engine(workload, true).tensors[1].dtype, DType::int8) << "no sum reads it";
}

}  // namespace
}  // namespace rooftile
