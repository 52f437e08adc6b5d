// Products whose weights are stored narrower than they compute in.
#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/ops/builder.hpp"
#include "rooftile/predict/predict.hpp"

namespace rooftile {
namespace {

// Two layers of 4096 x 4096 over `rows` rows of activations.
Workload layers(std::int64_t rows) {
  WorkloadBuilder net("net");
  TensorId x = net.input({.name = "x", .shape = Shape{rows, 4096}}).value();
  for (const char* name : {"first", "second"}) {
    x = net.add({.name = name, .kind = Gemm{.m = rows, .n = 4096, .k = 4096}, .inputs = {x}}).value().front();
  }
  return net.finish().value();
}

Prediction predicted(std::int64_t rows, std::optional<DType> weights, const char* gpu = "a100-sxm4-80gb") {
  return predict(layers(rows), find_gpu(gpu).value(),
                 {.precision = DType::fp16, .weights = weights, .framework = "PyTorch 2.1", .host = false})
      .value();
}

TEST(NarrowWeights, TakeTheirShareOfMemoryAndTraffic) {
  constexpr double kWeights = 2.0 * 4096 * 4096;
  EXPECT_EQ(predicted(8, {}).memory.weights, Bytes(2 * kWeights));
  EXPECT_EQ(predicted(8, DType::int8).memory.weights, Bytes(kWeights));
  const Prediction packed = predicted(8, DType::int4);
  EXPECT_EQ(packed.memory.weights, Bytes(kWeights / 2));
  EXPECT_EQ(packed.layers[0].traffic.compulsory, Bytes(kWeights / 4 + 2 * 8 * 4096));
  EXPECT_LT(packed.layers[0].traffic.dram, Bytes(kWeights / 3));
  EXPECT_TRUE(packed.layers[0].time_low) << "that of FP16";
}

TEST(NarrowWeights, SpeedUpWhatTheMemoryLimits) {
  for (const char* gpu : {"a100-sxm4-80gb", "h100-sxm5-80gb", "rtx-4090"}) {
    const Seconds wide = predicted(8, {}, gpu).layers[0].time, bytes = predicted(8, DType::int8, gpu).layers[0].time,
                  nibbles = predicted(8, DType::int4, gpu).layers[0].time;
    EXPECT_LT(bytes, wide) << gpu;
    EXPECT_LT(nibbles, bytes) << gpu;
  }
  const Seconds wide = predicted(8192, {}).layers[0].time, packed = predicted(8192, DType::int4).layers[0].time;
  EXPECT_GT(packed, wide * 0.8) << "limited by arithmetic, not by a quarter of the bytes";
}

TEST(NarrowWeights, OnLanesToo) {
  EXPECT_LT(predicted(8, DType::int8, "p100-pcie-16gb").time, predicted(8, {}, "p100-pcie-16gb").time);
}

TEST(NarrowWeights, OfTablesThatOthersReadStayWide) {
  Workload workload = layers(8);
  workload.ops.push_back({"also", Elementwise{.function = "add"}, {workload.ops[1].inputs[1]}, {}});
  const Workload run = launched(workload, {.precision = DType::fp16, .weights = DType::int4});
  EXPECT_EQ(run.tensors[run.ops[0].inputs[1]].dtype, DType::int4);
  EXPECT_EQ(run.tensors[run.ops[1].inputs[1]].dtype, DType::fp16);
}

TEST(NarrowWeights, AreRefusedWhereTheyMeanNothing) {
  const Gpu gpu = find_gpu("a100-sxm4-80gb").value();
  const auto error = [&](const PredictOptions& options, Phase phase) {
    return predict(layers(8), gpu, options, phase).error().text();
  };
  EXPECT_EQ(error({.precision = DType::fp16, .weights = DType::int4}, Phase::step),
            "int4 of weights has no gradients; pass inference takes it");
  EXPECT_EQ(error({.precision = DType::int8, .weights = DType::fp8}, Phase::fwd),
            "weights of fp8 are not narrower than int8");
  EXPECT_EQ(error({.precision = DType::fp16, .weights = DType::int4, .autocast = true}, Phase::fwd),
            "autocast has FP32 weights; take fp16 or bf16");
}

}  // namespace
}  // namespace rooftile
