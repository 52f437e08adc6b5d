#include "rooftile/execution/composites.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "rooftile/workload/test_workload.hpp"

namespace rooftile {
namespace {

// Two heads of four numbers, normalised and turned.
Workload heads(DType dtype) {
  Workload workload;
  workload.name = "heads";
  workload.tensors = {
      {"x", {3, 2, 4}, dtype}, {"weight", {4}, dtype, true}, {"unit", {3, 2, 4}, dtype}, {"y", {3, 2, 4}, dtype}};
  workload.ops = {{"norm", Normalize{.function = "rms"}, {0, 1}, {2}},
                  {"turn", Elementwise{.function = "rotary", .flops_per_element = 3}, {2}, {3}}};
  workload.inputs = {0};
  workload.outputs = {3};
  return workload;
}

std::vector<std::string> launches(const Workload& workload) {
  std::vector<std::string> names;
  for (const Op& op : workload.ops) {
    if (!std::holds_alternative<View>(op.kind)) names.push_back(op.name);
  }
  return names;
}

TEST(Composites, AnRmsNormIsEightKernelsAndRotaryPositionsAreFive) {
  EXPECT_EQ(
      launches(take_composites_apart(heads(DType::bf16))),
      (std::vector<std::string>{"norm/wide", "norm/pow", "norm/mean", "norm/epsilon", "norm/rsqrt", "norm/unit",
                                "norm/narrow", "norm", "turn/neg", "turn/turned", "turn/sin", "turn/cos", "turn"}));
}

TEST(Composites, NothingIsCastThatIsWideAlready) {
  const Workload run = take_composites_apart(heads(DType::fp32));
  EXPECT_EQ(launches(run),
            (std::vector<std::string>{"norm/pow", "norm/mean", "norm/epsilon", "norm/rsqrt", "norm/unit", "norm",
                                      "turn/neg", "turn/turned", "turn/sin", "turn/cos", "turn"}));
}

TEST(Composites, SiluIsASigmoidAndAProduct) {
  Workload workload = heads(DType::fp16);
  workload.ops = {{"act", Elementwise{.function = "silu"}, {0}, {3}}};
  const Workload run = take_silu_apart(workload);
  EXPECT_EQ(launches(run), (std::vector<std::string>{"act/sigmoid", "act"}));
  EXPECT_EQ(run.ops.back().inputs.size(), 2u) << "what the sigmoid read, and what it gave";
  EXPECT_EQ(input_type(run, "act"), DType::fp16);
}

TEST(Composites, RmsNormsComputeInFp32AndReturnTheirType) {
  const Workload run = take_composites_apart(heads(DType::bf16));
  EXPECT_EQ(input_type(run, "norm/pow"), DType::fp32);
  EXPECT_EQ(run.tensors[op_named(run, "norm").outputs.front()].dtype, DType::bf16);
}

}  // namespace
}  // namespace rooftile
