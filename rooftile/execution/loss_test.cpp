#include "rooftile/execution/loss.hpp"

#include <algorithm>
#include <variant>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/execution/launched.hpp"
#include "rooftile/ops/cross_entropy.hpp"
#include "rooftile/workload/test_workload.hpp"

namespace rooftile {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsSupersetOf;
using testing::Not;

Workload classifier() {
  Workload workload;
  workload.tensors = {{"x", {4, 8}}, {"w", {8, 10}, DType::fp32, true}, {"y", {4, 10}}};
  workload.ops = {{"fc", Gemm{.m = 4, .n = 10, .k = 8}, {0, 1}, {2}}};
  workload.inputs = {0};
  workload.outputs = {2};
  return workload;
}

TEST(Loss, IsCrossEntropyOfWhatTheNetworkReturns) {
  EXPECT_THAT(op_names(with_loss(classifier())), ElementsAre("fc", "loss/log_softmax", "loss/nll", "loss/mean"));
}

TEST(Loss, IsWideInANarrowNetwork) {
  const Workload narrow = launched(with_loss(classifier()), {.precision = DType::bf16, .training = true});
  EXPECT_THAT(op_names(narrow), ElementsAre("fc", "loss/scores", "loss/log_softmax", "loss/nll", "loss/mean"));
  EXPECT_EQ(input_type(narrow, "loss/scores"), DType::bf16);
  EXPECT_EQ(input_type(narrow, "loss/log_softmax"), DType::fp32);
  EXPECT_EQ(narrow.tensors[narrow.outputs.front()].dtype, DType::fp32);
}

TEST(Loss, IsOneKernelOfACompiledStep) {
  LaunchOptions compiled{
      .execution = Execution::compiled, .precision = DType::bf16, .autocast = true, .training = true};
  const Workload workload = launched(with_loss(classifier()), compiled);
  EXPECT_THAT(op_names(workload), IsSupersetOf({"fc", "loss/cross_entropy", "loss/mean"}));
  EXPECT_THAT(op_names(workload), Not(Contains("loss/log_softmax")));
  EXPECT_EQ(input_type(workload, "loss/cross_entropy"), DType::bf16);
  const auto function = [&] {
    const Workload run = launched(with_loss(classifier()), compiled);
    const auto loss =
        std::find_if(run.ops.begin(), run.ops.end(), [](const Op& op) { return op.name == "loss/cross_entropy"; });
    return std::get<Reduce>(loss->kind).function;
  };
  EXPECT_EQ(function(), kCrossEntropy);
  compiled.scattered_targets = true;
  EXPECT_EQ(function(), kScatteredCrossEntropy);
}

TEST(Loss, NeedsNoCastInFp32) {
  const Workload wide = launched(with_loss(classifier()), {.precision = DType::fp32, .training = true});
  EXPECT_THAT(op_names(wide), ElementsAre("fc", "loss/log_softmax", "loss/nll", "loss/mean"));
}

// Autocast casts by its own list, once; of FP16 the softmax widens what it loads.
TEST(Loss, IsCastAtMostOnceUnderAutocast) {
  const auto casts_of_scores = [](DType precision, const LaunchOptions& options) {
    LaunchOptions mixed = options;
    mixed.precision = precision;
    const Workload workload = launched(with_loss(classifier()), mixed);
    return std::count_if(workload.ops.begin(), workload.ops.end(), [&](const Op& op) {
      const auto* move = std::get_if<Move>(&op.kind);
      return move != nullptr && move->function == "cast" && workload.tensors[op.inputs.front()].shape == Shape{4, 10};
    });
  };
  const LaunchOptions pytorch{.autocast = true, .training = true};
  EXPECT_EQ(casts_of_scores(DType::fp16, pytorch), 0);
  EXPECT_EQ(casts_of_scores(DType::bf16, pytorch), 1);
  const LaunchOptions other{.autocast = true, .widening_loads = false, .training = true};
  EXPECT_EQ(casts_of_scores(DType::fp16, other), 1);
}

}  // namespace
}  // namespace rooftile
