#include "rooftile/predict/phase_calls.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/ops/builder.hpp"
#include "rooftile/ops/infer.hpp"
#include "rooftile/predict/host.hpp"

namespace rooftile {
namespace {

using testing::ElementsAre;

// A residual block: b reads what a wrote, and so does the sum.
Workload block() {
  WorkloadBuilder net("block");
  const TensorId x = *net.input({.name = "x", .shape = Shape{4, 8, 16, 16}});
  const auto add = [&](const std::string& name, OpKind kind, std::vector<TensorId> inputs) {
    auto* conv = std::get_if<Conv>(&kind);
    if (conv != nullptr && !fit(*conv, net.shape(inputs.front()))) ADD_FAILURE() << name;
    OpSpec spec;
    spec.name = name;
    spec.kind = std::move(kind);
    spec.inputs = std::move(inputs);
    spec.shape = Shape{4, 8, 16, 16};
    return net.add(spec)->front();
  };
  Conv conv{.out_channels = 8};
  conv.axes[1] = conv.axes[2] = {.filter = 3, .pad_begin = 1, .pad_end = 1};
  const TensorId a = add("a", conv, {x});
  const TensorId r = add("r", Elementwise{.function = "relu"}, {add("b", conv, {a})});
  add("sum", Elementwise{.function = "add"}, {add("d", View{.function = "dropout"}, {r}), a});
  return *net.finish();
}

std::vector<std::string> names(Phase phase) {
  const Workload workload = block();
  const auto prediction = predict(workload, *find_gpu("titan-xp"), {}, phase);
  std::vector<std::string> result;
  for (const LayerEstimate& layer : prediction->layers) {
    const bool backward = layer.pass != Pass::fwd;
    result.push_back(layer.name + (layer.op == "update" ? " update" : "") +
                     (backward ? " " + std::string(name_of(layer.pass)) : ""));
  }
  return result;
}

TEST(PassBytes, AreWhatNoOpMakesAndTheLargestMaps) {
  const double map = 4 * 8 * 16 * 16 * 4, filters = 8 * 8 * 9 * 4;
  EXPECT_EQ(pass_bytes(block(), Phase::fwd), Bytes(map + 2 * filters + 3 * map)) << "the sum reads two maps";
  EXPECT_EQ(pass_bytes(block(), Phase::step), Bytes(0));
}

TEST(Training, RunsGradientsFromTheLastLayerToTheFirst) {
  EXPECT_THAT(names(Phase::fwd), ElementsAre("a", "b", "r", "d", "sum"));
  // Nobody needs the gradient of x. Two readers send gradients back to a's result.
  EXPECT_THAT(names(Phase::bwd), ElementsAre("sum bwd_data", "d bwd_data", "r bwd_data", "b bwd_data", "b bwd_weight",
                                             "a.sum bwd_data", "a bwd_weight"));
  EXPECT_THAT(names(Phase::bwd_weight), ElementsAre("b bwd_weight", "a bwd_weight"));
}

// A layer of 100 steps whose input needs no gradient, and one that shares its weights.
TEST(Training, GradientsGoBackThroughTheStepsOfARecurrentLayer) {
  WorkloadBuilder net("rnn");
  const TensorId x = *net.input({.name = "x", .shape = Shape{100, 8, 64}});
  OpSpec spec;
  spec.name = "lstm";
  spec.kind = Recurrent{.batch = 8, .steps = 100, .input = 64, .hidden = 64};
  spec.inputs = {x};
  ASSERT_TRUE(net.add(spec));
  const Workload workload = *net.finish();
  const auto forward = predict(workload, *find_gpu("a100-sxm4-80gb")),
             backward = predict(workload, *find_gpu("a100-sxm4-80gb"), {}, Phase::bwd);
  EXPECT_GT(backward->time, forward->time * 0.5);
}

TEST(Training, SharedWeightsAreUpdatedOnce) {
  WorkloadBuilder net("tied");
  const TensorId x = *net.input({.name = "x", .shape = Shape{8, 64}});
  const TensorId w = *net.tensor({.name = "w", .shape = Shape{64, 64}, .constant = true});
  TensorId y = x;
  for (const char* name : {"first", "second"}) {
    OpSpec spec;
    spec.name = name;
    Gemm gemm;
    ASSERT_TRUE(fit(gemm, net.shapes({y, w})));
    spec.kind = gemm;
    spec.inputs = {y, w};
    y = net.add(spec)->front();
  }
  const auto step = predict(*net.finish(), *find_gpu("titan-xp"), {}, Phase::step);
  EXPECT_EQ(std::count_if(step->layers.begin(), step->layers.end(),
                          [](const LayerEstimate& layer) { return layer.op == "update"; }),
            1);
}

// zero_grad() left zeros until PyTorch 2.0, to which gradients were added.
TEST(Training, GradientsWereAddedToZerosBeforePyTorch2) {
  const Workload workload = block();
  const auto kept = [&](const std::string& framework, Execution execution = Execution::eager) {
    PredictOptions options;
    options.framework = framework;
    options.execution = execution;
    const auto prediction = predict(workload, *find_gpu("titan-xp"), options, Phase::fwd_bwd);
    std::vector<LayerEstimate> layers;
    for (const LayerEstimate& layer : prediction->layers) {
      if (layer.function == "add to zeros") layers.push_back(layer);
    }
    return layers;
  };
  EXPECT_TRUE(kept("PyTorch 2.1").empty());
  EXPECT_TRUE(kept("PyTorch 1.10", Execution::compiled).empty());
  const auto layers = kept("PyTorch 1.10");
  ASSERT_EQ(layers.size(), 2U) << "of the weights of a and b";
  EXPECT_EQ(layers[0].kernels, 2);
  EXPECT_EQ(issue_of(layers[0]), Issue::nothing) << "the host's cost of a gradient has it";
}

TEST(Training, WholeNumbersHaveNoGradient) {
  const auto prediction = predict(block(), *find_gpu("a100-sxm4-80gb"), {.precision = DType::int8}, Phase::step);
  ASSERT_FALSE(prediction);
  EXPECT_EQ(prediction.error().text(), "int8 has no gradients; pass inference takes it");
}

TEST(Training, AStepIsItsParts) {
  const Workload workload = block();
  const Gpu gpu = *find_gpu("titan-xp");
  const auto time = [&](Phase phase) { return predict(workload, gpu, {}, phase)->time.value(); };
  EXPECT_GT(time(Phase::fwd_bwd), time(Phase::bwd) + time(Phase::fwd));  // dropout is no work without gradients
  EXPECT_GT(time(Phase::step), time(Phase::fwd_bwd));
  EXPECT_EQ(predict(workload, gpu, {}, Phase::step)->pass, "training");
  EXPECT_EQ(predict(workload, gpu)->pass, "inference");
}

TEST(Training, DropoutCostsNothingAtInference) {
  const Workload workload = block();
  const auto inference = predict(workload, *find_gpu("titan-xp"));
  EXPECT_EQ(inference->layers[3].method, Method::none);
  const auto training = predict(workload, *find_gpu("titan-xp"), {}, Phase::fwd_bwd);
  EXPECT_EQ(training->layers[3].method, Method::stream);
  EXPECT_GT(training->layers[3].time, Seconds(0));
}

TEST(Training, DeltaTakesNoGradients) {
  const Workload workload = block();
  const auto prediction = predict(workload, *find_gpu("titan-xp"), {.method = Method::delta}, Phase::step);
  ASSERT_FALSE(prediction);
  EXPECT_EQ(prediction.error().code, ErrorCode::unsupported);
}

TEST(Training, MemoryKeepsWhatGradientsReadAndAGradientForEachWeight) {
  const Workload workload = block();
  const MemoryUse inference = memory_use(workload), training = memory_use(workload, Phase::step);
  EXPECT_EQ(training.weights + training.gradients, inference.weights * 2.0);
  const Bytes map(4.0 * 4 * 8 * 16 * 16);
  // Kept: x, a, r and a byte an element of what dropout kept; at the sum also d and the sum, b is gone by then. Then
  // the gradient of the sum, which is d's as well.
  EXPECT_EQ(training.activations, map * 6.25);
  EXPECT_EQ(inference.activations, map * 3.0);
}

}  // namespace
}  // namespace rooftile
