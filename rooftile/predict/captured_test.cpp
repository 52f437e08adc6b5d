#include "rooftile/predict/captured.hpp"

#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"

namespace rooftile {
namespace {

Gpu gpu() { return find_gpu("rtx-4090").value(); }

// A convolution, an operator of no kind, the convolution's gradient of weights, and an update.
Workload step() {
  Workload workload;
  workload.name = "net";
  workload.batch_size = 8;
  const auto tensor = [&](Shape shape, bool constant = false) {
    workload.tensors.push_back(
        {"t" + std::to_string(workload.tensors.size()), std::move(shape), DType::fp16, constant});
    return workload.tensors.size() - 1;
  };
  Conv conv{.batch = 8, .in_channels = 64, .out_channels = 64};
  conv.axes[1] = conv.axes[2] = {.in = 56, .filter = 3, .pad_begin = 1, .pad_end = 1};
  for (int i = 0; i < 2; ++i) {
    const TensorId x = tensor({8, 64, 56, 56}), w = tensor({64, 64, 3, 3}, true), y = tensor({8, 64, 56, 56});
    workload.ops.push_back({"call " + std::to_string(i), conv, {x, w}, {y}});
  }
  const TensorId x = tensor({8, 64, 56, 56}), y = tensor({8, 64, 56, 56});
  workload.ops.push_back({"call 2", Elementwise{.function = "erfinv"}, {x}, {y}});
  workload.captured =
      CapturedStep{.framework = "PyTorch 1.13.1",
                   .precision = {DType::fp16, true},
                   .calls = {{.source = "aten.convolution"},
                             {.source = "aten.convolution_backward", .pass = Pass::bwd_weight},
                             {.source = "aten.erfinv", .general = true}},
                   .launches = {{0, "conv", StepPart::forward},
                                {2, "act", StepPart::forward},
                                {1, "conv", StepPart::backward},
                                {2, "sgd", StepPart::update}},
                   .memory = {.weights = Bytes(1000), .gradients = {}, .optimizer = {}, .activations = Bytes(5000)}};
  return workload;
}

PredictOptions options() { return {.precision = DType::fp16, .autocast = true}; }

TEST(Captured, RunsWhatWasLaunchedAndNothingElse) {
  const Prediction prediction = predict(step(), gpu(), options(), Phase::step).value();
  ASSERT_EQ(prediction.layers.size(), 4U);
  EXPECT_EQ(prediction.layers[2].pass, Pass::bwd_weight);
  EXPECT_EQ(prediction.layers[0].flops, prediction.layers[2].flops);
  EXPECT_EQ(prediction.memory.weights + prediction.memory.activations, Bytes(6000));
  EXPECT_GT(prediction.memory.workspace, Bytes(0));  // maps that the convolution converts
  EXPECT_TRUE(prediction.loss);                      // whatever it is, it was captured
  ASSERT_TRUE(prediction.phases);
  const PhaseTimes& phases = *prediction.phases;
  EXPECT_GT(phases.update, Seconds(0));
  EXPECT_NEAR((phases.forward + phases.backward + phases.update) / prediction.time, 1, 1e-12);
}

TEST(Captured, AConvolutionTakesWhatItTakesInANetwork) {
  const Workload workload = step();
  const Prediction prediction = predict(workload, gpu(), options(), Phase::step).value();
  PredictOptions alone = options();
  alone.in_network = true;
  alone.training = true;
  EXPECT_EQ(prediction.layers[0].time, estimate(std::get<Conv>(workload.ops[0].kind), gpu(), alone).time);
}

TEST(Captured, APhaseIsItsPart) {
  EXPECT_EQ(predict(step(), gpu(), options(), Phase::fwd).value().layers.size(), 2U);
  EXPECT_EQ(predict(step(), gpu(), options(), Phase::bwd).value().layers.size(), 1U);
}

TEST(Captured, SaysWhatIsKnownByItsBytesAlone) {
  const Prediction prediction = predict(step(), gpu(), options(), Phase::step).value();
  ASSERT_EQ(prediction.notes.size(), 2U) << "and the host that is assumed";
  EXPECT_EQ(prediction.notes[0].find("2 of 4 launches, "), 0U) << prediction.notes[0];
  EXPECT_NE(prediction.notes[0].find("aten.erfinv"), std::string::npos);
}

TEST(Captured, IsNotAnotherRun) {
  const auto error = [](const PredictOptions& other, Phase phase) {
    const auto prediction = predict(step(), gpu(), other, phase);
    return prediction ? "" : prediction.error().message;
  };
  EXPECT_EQ(error({.precision = DType::fp32}, Phase::step), "was captured in amp-fp16; capture it again in fp32");
  PredictOptions compiled = options();
  compiled.execution = Execution::compiled;
  EXPECT_EQ(error(compiled, Phase::step), "was captured operator by operator; execution compiled fuses them");
  EXPECT_EQ(error(options(), Phase::bwd_data), "is captured with both gradients; pass bwd_data is not apart");
  Workload inference = step();
  inference.captured->launches.resize(2);
  EXPECT_EQ(predict(inference, gpu(), options(), Phase::step).error().message,
            "was captured without gradients; capture a training step for that");
}

}  // namespace
}  // namespace rooftile
