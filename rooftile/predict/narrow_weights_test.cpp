// Products whose weights are stored narrower than they compute in.
#include <algorithm>

#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/ops/builder.hpp"
#include "rooftile/predict/predict.hpp"

namespace rooftile {
namespace {

// Two layers of 4096 x 4096 over `rows` rows of activations, and a small head.
Workload layers(std::int64_t rows) {
  WorkloadBuilder net("net");
  TensorId x = net.input({.name = "x", .shape = Shape{rows, 4096}}).value();
  for (const char* name : {"first", "second"}) {
    x = net.add({.name = name, .kind = Gemm{.m = rows, .n = 4096, .k = 4096}, .inputs = {x}}).value().front();
  }
  net.add({.name = "head", .kind = Gemm{.m = rows, .n = 16, .k = 4096}, .inputs = {x}}).value();
  return net.finish().value();
}

Prediction predicted(std::int64_t rows, std::optional<DType> weights, const char* gpu = "a100-sxm4-80gb") {
  return predict(layers(rows), find_gpu(gpu).value(),
                 {.precision = DType::fp16, .weights = weights, .framework = "PyTorch 2.1", .host = false})
      .value();
}

TEST(NarrowWeights, TakeTheirShareOfMemoryAndTraffic) {
  constexpr double kWeights = 2.0 * 4096 * 4096;
  constexpr double kHead = 2.0 * 16 * 4096;  // stays as it is
  EXPECT_EQ(predicted(8, {}).memory.weights, Bytes(2 * kWeights + kHead));
  EXPECT_EQ(predicted(8, DType::int8).memory.weights, Bytes(kWeights + kHead));
  const Prediction packed = predicted(8, DType::int4);
  EXPECT_EQ(packed.memory.weights, Bytes(kWeights / 2 + kHead));
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

TEST(NarrowWeights, OfExpertsThereAreNone) {
  const Gpu gpu = find_gpu("h100-sxm5-80gb").value();
  PredictOptions options{.precision = DType::bf16, .expert_weights = DType::mxfp4};
  EXPECT_EQ(predict(layers(8), gpu, options).error().text(), "net: has no experts for expert-weights; take weights");
  options.framework = "llama.cpp";
  EXPECT_EQ(predict(layers(8), gpu, options).error().text(),
            "llama.cpp's rules know one type of weights for all products; take weights");
}

TEST(NarrowWeights, LlamaCppsCachesAreOfHalves) {
  const Gpu gpu = find_gpu("h100-sxm5-80gb").value();
  PredictOptions options{.precision = DType::fp16, .cache = DType::fp16, .framework = "llama.cpp"};
  EXPECT_TRUE(predict(layers(8), gpu, options));
  options.cache = DType::fp8;
  EXPECT_EQ(predict(layers(8), gpu, options).error().text(),
            "llama.cpp's rules know FP16 caches alone; leave kv-cache out");
}

// 896 x 896 on 108 SMs: a tile for each CTA, so that seven share each column, and four the columns of 3,584 x 4,608.
TEST(NarrowWeights, AreAddedUpOnePartAfterAnother) {
  const auto time = [](const char* framework, const char* gpu, std::int64_t n, std::int64_t k) {
    const PredictOptions options{.precision = DType::fp16, .weights = DType::int4, .framework = framework};
    return estimate(Gemm{.m = 1, .n = n, .k = k}, find_gpu(gpu).value(), options).time;
  };
  const auto waited = [&](const char* gpu, std::int64_t n, std::int64_t k) {
    return (time("vLLM 0.6.3", gpu, n, k) - time("SGLang", gpu, n, k)).value() * 1e6;
  };
  EXPECT_NEAR(waited("a100-sxm4-80gb", 896, 896), 6 * 1.7, 1e-6);
  EXPECT_NEAR(waited("a100-sxm4-80gb", 4608, 3584), 3 * 1.7, 1e-6);
  EXPECT_EQ(waited("h100-sxm5-80gb", 896, 896), 0) << "other kernels";
  EXPECT_EQ(waited("t4", 896, 896), 0) << "MARLIN is not for it";
}

TEST(NarrowWeights, AreMultipliedInFp4WhereTensorCoresDo) {
  const Workload network = layers(8192);
  const Gpu blackwell = find_gpu("b200-sxm-180gb").value();
  const auto time = [&](DType precision) {
    return predict(network, blackwell, {.precision = precision, .execution = Execution::engine, .host = false})
        .value()
        .time;
  };
  EXPECT_LT(time(DType::nvfp4), time(DType::fp8) * 0.75);
  EXPECT_EQ(size_of(DType::nvfp4), Bytes(4.5 / 8));
  EXPECT_EQ(size_of(DType::mxfp4), Bytes(4.25 / 8));
  const auto hopper = predict(network, find_gpu("h100-sxm5-80gb").value(), {.precision = DType::nvfp4});
  ASSERT_FALSE(hopper);
  EXPECT_NE(hopper.error().text().find("nvfp4"), std::string::npos);
}

// Triton's kernels for Hopper unpack before they multiply, TensorRT-LLM's for Blackwell multiply FP8 by FP4.
TEST(NarrowWeights, InMxfp4AreUnpackedOnHopperAndMeetFp8OnBlackwell) {
  const auto time = [](const char* gpu, const char* framework, std::optional<DType> weights) {
    const PredictOptions options{
        .precision = DType::bf16, .weights = weights, .framework = framework, .in_network = true};
    return estimate(Gemm{.m = 8192, .n = 5760, .k = 2880}, find_gpu(gpu).value(), options).time;
  };
  constexpr const char* kServer = "TensorRT-LLM 1.2";
  const Seconds wide = time("h100-sxm5-80gb", kServer, {}), packed = time("h100-sxm5-80gb", kServer, DType::mxfp4);
  EXPECT_GT(packed, wide * 1.25);
  EXPECT_LT(packed, wide * 1.6);
  EXPECT_LE(time("h100-sxm5-80gb", kServer, DType::int4), wide);
  EXPECT_NEAR(time("h100-sxm5-80gb", "vLLM 0.11", DType::mxfp4) / packed, 1, 0.05);
  const Seconds wide_b200 = time("b200-sxm-180gb", "vLLM 0.11", DType::mxfp4);
  EXPECT_LT(time("b200-sxm-180gb", kServer, DType::mxfp4), wide_b200 * 0.8);
  EXPECT_LE(wide_b200, time("b200-sxm-180gb", "vLLM 0.11", {}));
}

// Half of the rows take (64 + 96) / (128 + 96) = 0.71 of the time on an H100, as each tile of rows unpacks the weights
// again. Weights that are not unpacked take as long for either; an H20, a quarter as fast, waits for 24 rows.
TEST(NarrowWeights, InMxfp4AreUnpackedForEachTileOfRows) {
  const auto time = [](const char* gpu, std::int64_t rows, DType weights = DType::mxfp4) {
    const PredictOptions options{
        .precision = DType::bf16, .weights = weights, .framework = "TensorRT-LLM 1.2", .in_network = true};
    return estimate(Gemm{.m = rows, .n = 32768, .k = 8192}, find_gpu(gpu).value(), options).time;
  };
  constexpr const char* kH100 = "h100-sxm5-80gb";
  EXPECT_NEAR(time(kH100, 64) / time(kH100, 128), 0.71, 0.06);
  EXPECT_GT(time(kH100, 64), time(kH100, 64, DType::int4) * 1.5);
  EXPECT_GT(time(kH100, 4096), time(kH100, 2048) * 1.8);
  EXPECT_LT(time("h20", 4096), time("h20", 4096, DType::int4) * 1.3);
}

TEST(NarrowWeights, InMxfp4CountAgainstThePeakTheyAreMultipliedAt) {
  const auto on = [](const char* gpu, const char* framework) {
    PredictOptions options{.precision = DType::bf16, .framework = framework, .execution = Execution::engine};
    options.weights = DType::mxfp4;
    return predict(layers(8192), find_gpu(gpu).value(), options).value();
  };
  const Prediction rounded = on("rtx-5090", "TensorRT-LLM 1.2"), wide = on("rtx-5090", "vLLM 0.11");
  EXPECT_EQ(rounded.computed, DType::fp8);
  EXPECT_LT(rounded.flops / rounded.time, rounded.peak);
  EXPECT_EQ(wide.computed, DType::bf16);
  EXPECT_EQ(on("h100-sxm5-80gb", "TensorRT-LLM 1.2").computed, DType::bf16);
}

TEST(NarrowWeights, OfHeadsAreOnlyThoseOfWhoQuantisesThem) {
  const auto head = [](const char* framework, DType weights) {
    const PredictOptions options{.precision = DType::fp16, .weights = weights, .framework = framework};
    const Workload run = run_as(layers(8), options, Phase::fwd);
    return run.tensors[run.ops.back().inputs[1]].dtype;
  };
  EXPECT_EQ(head("vLLM 0.6.3", DType::int4), DType::fp16);
  EXPECT_EQ(head("", DType::nvfp4), DType::fp16);
  EXPECT_EQ(head("", DType::q4_k_m), DType::q4_k_m);
  EXPECT_EQ(head("MLC LLM", DType::int4), DType::int4);
}

TEST(NarrowWeights, OfRoutersThereAreNone) {
  Workload network = layers(8);
  network.ops[0].name = "layer0/mlp/router";
  const Workload run = launched(network, {.precision = DType::fp16, .weights = DType::int4});
  EXPECT_EQ(run.tensors[run.ops[0].inputs[1]].dtype, DType::fp16);
  EXPECT_EQ(run.tensors[run.ops[1].inputs[1]].dtype, DType::int4);
}

// Gradients of both layers but the head's, each once, whatever the narrow type.
TEST(NarrowWeights, OfTorchaoHaveNarrowGradientsInFp4AsInFp8) {
  const auto converted = [](DType precision) {
    PredictOptions options{.precision = precision, .framework = "PyTorch 2.6", .host = false};
    options.training = true;
    const auto prediction = predict(layers(64), find_gpu("b200-sxm-180gb").value(), options, Phase::step).value();
    return std::count_if(prediction.layers.begin(), prediction.layers.end(),
                         [](const LayerEstimate& layer) { return layer.name.ends_with(".gradient.cast"); });
  };
  EXPECT_EQ(converted(DType::fp8), 2);
  EXPECT_EQ(converted(DType::nvfp4), 2);
}

}  // namespace
}  // namespace rooftile
