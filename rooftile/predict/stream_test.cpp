#include "rooftile/predict/stream.hpp"

#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/ops/stream_one_op.hpp"

namespace rooftile {
namespace {

const Gpu& a100() {
  static const Gpu gpu = find_gpu("a100-sxm4-80gb").value();
  return gpu;
}

// The starting constants, whatever ships; as good as a sum of FP16 rows of 4,096 x 8,192 that PyTorch took 112 us for.
const Calibration kUnfitted;

PredictOptions options_of(Method method, DType precision = DType::fp16) {
  return {.method = method, .precision = precision, .calibration = &kUnfitted};
}

LayerEstimate streamed(const StreamOneOp& one, const PredictOptions& options) {
  return estimate(one.workload, one.op(), a100(), options);
}

TEST(PredictStream, MeasuredSumOnA100) {
  const StreamLayer sum{StreamKind::add, 4096, 8192};
  const LayerEstimate layer = estimate(sum, a100(), options_of(Method::rooftile));
  EXPECT_NEAR(layer.time.value() * 1e6, 112, 0.15 * 112);  // measured by Vidur: 112 us
  EXPECT_EQ(layer.bottleneck, Bottleneck::dram);
  EXPECT_EQ(layer.method, Method::stream);
  EXPECT_EQ(planned<StreamKernel>(layer).size(), 1U);
}

// A gate of few rows: 28 loads one after another in each of four CTAs, whatever the bandwidth. Vidur measured 22.5 us;
// the tolerance is wide because the constants are those of many rows.
TEST(PredictStream, FewRowsWaitForMemory) {
  const StreamLayer gate{StreamKind::gated_activation, 4, 28672};
  const LayerEstimate layer = estimate(gate, a100(), options_of(Method::rooftile));
  EXPECT_NEAR(layer.time.value() * 1e6, 22.5, 0.3 * 22.5);
  EXPECT_EQ(layer.bottleneck, Bottleneck::latency);
}

TEST(PredictStream, OtherMethodsKeepThePlainFormula) {
  const StreamLayer gate{StreamKind::gated_activation, 4096, 1024};
  const double bytes = 3.0 * 4096 * 1024 * 2;
  for (const Method method : {Method::delta, Method::roofline, Method::prior}) {
    const LayerEstimate layer = estimate(gate, a100(), options_of(method));
    EXPECT_DOUBLE_EQ(layer.time.value(), bytes / a100().level("DRAM").bandwidth.value());
    EXPECT_EQ(first_plan<StreamKernel>(layer), nullptr);
  }
}

TEST(PredictStream, ALaunchIsTheLeast) {
  const StreamOneOp relu(Elementwise{"relu", 1}, {{2, 8}}, {2, 8});
  const LayerEstimate layer = streamed(relu, options_of(Method::rooftile));
  EXPECT_GE(layer.time, a100().launch_overhead);
  EXPECT_LT(layer.time, a100().launch_overhead * 1.1);
  EXPECT_EQ(layer.bottleneck, Bottleneck::launch);
}

// A harness is of calls that were timed one by one; the layers of a network are none.
TEST(PredictStream, LayersOfNetworksHaveNoHarness) {
  Calibration calibration;
  calibration.harnesses.push_back({KernelFamily::stream, "Slow", "", Seconds(1), Seconds(0), 0, false});
  PredictOptions options = options_of(Method::rooftile);
  options.calibration = &calibration;
  options.framework = "Slow";
  const StreamOneOp relu(Elementwise{"relu", 1}, {{2, 8}}, {2, 8});
  EXPECT_LT(streamed(relu, options).time, Seconds(1));
  EXPECT_GT(estimate(StreamLayer{StreamKind::gelu, 2, 8}, a100(), options).time, Seconds(1));
}

// A mean over 28x28 positions of FP16: each number is in a sector of 32 bytes that the CTA reads nothing else of.
TEST(PredictStream, MeansOfInductorFetchASectorForEveryNumber) {
  const StreamOneOp mean(Pool{"average", 784}, {{256, 64, 28, 28}}, {256, 64, 1, 1});
  PredictOptions options = options_of(Method::rooftile, DType::fp16);
  options.nhwc = true;
  const LayerEstimate eager = streamed(mean, options);
  options.execution = Execution::compiled;
  const LayerEstimate compiled = streamed(mean, options);
  const Bytes element = size_of(mean.workload.tensors.front().dtype);
  EXPECT_EQ(compiled.traffic.l2, eager.traffic.l2 * (Bytes(32) / element));
  EXPECT_EQ(compiled.traffic.dram, eager.traffic.dram);
  EXPECT_GT(compiled.time, eager.time);
  options.framework = "TensorFlow";
  EXPECT_EQ(streamed(mean, options).time, eager.time);
}

TEST(PredictStream, GradientsMoveMore) {
  const Shape shape = {64, 1 << 20};
  const StreamOneOp relu(Elementwise{"relu", 1}, {shape}, shape);
  PredictOptions options = options_of(Method::rooftile, DType::fp32);
  const LayerEstimate forward = streamed(relu, options);
  options.pass = Pass::bwd_data;
  const LayerEstimate gradient = streamed(relu, options);
  EXPECT_GT(gradient.time, forward.time * 1.3);
  EXPECT_LT(gradient.time, forward.time * 1.6);
  options.pass = Pass::bwd_weight;
  EXPECT_EQ(streamed(relu, options).time, Seconds(0));
}

// Channels last: statistics, then the result. Planes: one CTA per channel does both, 64 of them at half of A100's
// speed.
TEST(PredictStream, BatchNormalisationOfTrainingGoesTwiceThroughItsInput) {
  const Shape shape = {64, 64, 112, 112};
  const StreamOneOp norm(Normalize{"batch"}, {shape, {64}, {64}}, shape, 2);
  PredictOptions options = options_of(Method::rooftile, DType::fp32);
  const LayerEstimate inference = streamed(norm, options);
  options.training = true;
  const LayerEstimate planes = streamed(norm, options);
  options.nhwc = true;
  const LayerEstimate channels_last = streamed(norm, options);
  options.execution = Execution::compiled;
  const LayerEstimate compiled = streamed(norm, options);
  EXPECT_EQ(inference.kernels, 1);
  EXPECT_EQ(channels_last.kernels, 1);
  EXPECT_GT(channels_last.time, inference.time * 1.3);
  EXPECT_EQ(planes.kernels, 1);
  EXPECT_GT(planes.time, channels_last.time * 1.5);
  EXPECT_EQ(compiled.kernels, 2);
  EXPECT_GT(compiled.time, inference.time * 1.3);
}

}  // namespace
}  // namespace rooftile
