#include "rooftile/predict/predict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"

namespace rooftile {
namespace {

const PredictOptions kDelta = {.method = Method::delta};

Gpu titan_xp() { return find_gpu("titan-xp-delta").value(); }

Conv conv_of(std::int64_t in_channels, std::int64_t out_channels, std::int64_t size, std::int64_t filter) {
  Conv conv;
  conv.batch = 16;
  conv.in_channels = in_channels;
  conv.out_channels = out_channels;
  conv.axes[1] = conv.axes[2] = {.in = size, .filter = filter};
  return conv;
}

// One input tensor, one output tensor, one op.
Workload one_op(OpKind kind, Shape input, Shape output) {
  Workload workload;
  workload.name = "one";
  workload.batch_size = 16;
  workload.tensors = {{.name = "x", .shape = std::move(input)}, {.name = "y", .shape = std::move(output)}};
  workload.ops = {{"op", std::move(kind), {0}, {1}}};
  workload.inputs = {0};
  workload.outputs = {1};
  return workload;
}

TEST(Estimate, ConvolutionIsDelta) {
  const LayerEstimate layer = estimate(conv_of(64, 64, 30, 3), titan_xp(), kDelta);
  EXPECT_EQ(layer.op, "conv");
  EXPECT_EQ(layer.method, Method::delta);
  EXPECT_EQ(layer.kernels, 1);
  EXPECT_EQ(layer.flops, Flops(2.0 * 16 * 64 * 28 * 28 * 64 * 9));
  ASSERT_EQ(planned<DeltaKernel>(layer).size(), 1U);
  EXPECT_EQ(layer.time, first_plan<DeltaKernel>(layer)->timing.time);
}

TEST(Estimate, FullyConnectedIsAPointwiseConvolution) {
  const LayerEstimate as_gemm = estimate(Gemm{.m = 16, .n = 4096, .k = 9216}, titan_xp(), kDelta);
  const LayerEstimate as_conv = estimate(conv_of(9216, 4096, 1, 1), titan_xp(), kDelta);
  EXPECT_EQ(as_gemm.op, "gemm");
  EXPECT_EQ(as_gemm.flops, as_conv.flops);
  EXPECT_EQ(as_gemm.time, as_conv.time);
  EXPECT_EQ(as_gemm.traffic.l1, as_conv.traffic.l1);
  EXPECT_EQ(as_gemm.traffic.l2, as_conv.traffic.l2);
  EXPECT_EQ(as_gemm.traffic.dram, as_conv.traffic.dram);
}

TEST(Estimate, Tf32WithoutUnitsForItIsFp32) {
  const Gemm gemm = {.m = 512, .n = 512, .k = 512};
  const auto expect_alike = [](const LayerEstimate& tf32, const LayerEstimate& wide) {
    EXPECT_EQ(tf32.time, wide.time);
    EXPECT_EQ(tf32.time_low, wide.time_low);
    EXPECT_TRUE(interval_of(tf32));
  };
  for (const char* id : {"t4", "k80"}) {
    const Gpu gpu = find_gpu(id).value();
    const PredictOptions tf32 = {.precision = DType::tf32};
    expect_alike(estimate(gemm, gpu, tf32), estimate(gemm, gpu));
    expect_alike(estimate(conv_of(64, 64, 30, 3), gpu, tf32), estimate(conv_of(64, 64, 30, 3), gpu));
  }
  EXPECT_FALSE(interval_of(estimate(gemm, find_gpu("k80").value(), {.precision = DType::bf16})))
      << "nobody measured it";
}

TEST(Estimate, RooflineIsArithmeticOrBytesOfThePass) {
  const Gpu gpu = titan_xp();
  const Conv conv = conv_of(64, 64, 30, 3);
  PredictOptions options;
  options.method = Method::roofline;
  for (const Pass pass : {Pass::fwd, Pass::bwd_data, Pass::bwd_weight}) {
    options.pass = pass;
    const LayerEstimate layer = estimate(conv, gpu, options);
    EXPECT_EQ(layer.method, Method::roofline);
    EXPECT_EQ(layer.pass, pass);
    EXPECT_EQ(layer.time, layer.flops / gpu.peak(Peak::fp32));
    EXPECT_EQ(layer.bottleneck, Bottleneck::compute);
    EXPECT_EQ(first_plan<DeltaKernel>(layer), nullptr);
  }
  EXPECT_EQ(estimate(conv, gpu, options).traffic.store_dram, Bytes(4.0 * 64 * 64 * 9));  // dW

  options.pass = Pass::fwd;
  const LayerEstimate vector = estimate(Gemm{.m = 1, .n = 4096, .k = 4096}, gpu, options);
  EXPECT_EQ(vector.bottleneck, Bottleneck::dram);
  EXPECT_EQ(vector.time, Bytes(4.0 * (4096 + 4096 * 4096 + 4096)) / gpu.level("DRAM").bandwidth);
}

TEST(Estimate, PriorIsDeltaWithFixedMissRates) {
  const Gpu gpu = titan_xp();
  const Conv conv = conv_of(64, 64, 30, 3);
  const LayerEstimate delta = estimate(conv, gpu, kDelta);
  const LayerEstimate prior = estimate(conv, gpu, {.method = Method::prior, .prior_miss_rate = 0.5});
  EXPECT_EQ(prior.method, Method::prior);
  EXPECT_EQ(prior.traffic.l1, delta.traffic.l1);
  EXPECT_EQ(prior.traffic.l2, delta.traffic.l1 * 0.5);
  EXPECT_EQ(prior.traffic.dram, delta.traffic.l1 * 0.25);
  EXPECT_EQ(prior.cases[Bottleneck::compute], delta.cases[Bottleneck::compute]);
  EXPECT_GT(prior.cases[Bottleneck::dram], delta.cases[Bottleneck::dram]);
}

TEST(Check, EachMethodSaysWhatItTakes) {
  EXPECT_TRUE(check(PredictOptions{.method = Method::roofline, .pass = Pass::bwd_data, .precision = DType::fp8}));
  EXPECT_FALSE(check(PredictOptions{.method = Method::delta, .pass = Pass::bwd_data}));
  EXPECT_FALSE(check(PredictOptions{.method = Method::prior, .precision = DType::fp16}));
  EXPECT_FALSE(check(PredictOptions{.method = Method::prior, .prior_miss_rate = 1.5}));
  EXPECT_FALSE(check(PredictOptions{.method = Method::stream}));
  EXPECT_FALSE(check(PredictOptions{.method = Method::roofline, .precision = DType::fp8}, titan_xp()));
}

TEST(Estimate, ConvolutionsThatAddInFp16AreFasterWhereTheBoardHasTheRate) {
  Conv conv{.batch = 256, .in_channels = 256, .out_channels = 256};
  conv.axes[1] = conv.axes[2] = {.in = 14, .filter = 3, .pad_begin = 1, .pad_end = 1};
  const auto ratio = [&](const char* gpu) {
    PredictOptions options{.precision = DType::fp16};
    options.nhwc = true;
    const Seconds wide = estimate(conv, find_gpu(gpu).value(), options).time;
    options.accumulate = DType::fp16;
    return wide / estimate(conv, find_gpu(gpu).value(), options).time;
  };
  EXPECT_GT(ratio("rtx-3070"), 1.8);
  EXPECT_EQ(ratio("a100-sxm4-80gb"), 1);
}

TEST(Estimate, TensorRtsSumsAreNarrow) {
  const auto sums = [](const char* framework, DType precision) {
    PredictOptions options{.precision = precision};
    options.framework = framework;
    return network_options(options).accumulate;
  };
  EXPECT_EQ(sums("TensorRT", DType::fp16), DType::fp16);
  EXPECT_EQ(sums("TensorRT", DType::bf16), std::nullopt);
  EXPECT_EQ(sums("PyTorch 2.4", DType::fp16), std::nullopt);
}

TEST(Estimate, DepthwiseStreams) {
  Conv conv = conv_of(64, 64, 30, 3);
  conv.groups = 64;
  const LayerEstimate layer = estimate(conv, titan_xp(), kDelta);
  EXPECT_EQ(layer.method, Method::stream);
  EXPECT_EQ(layer.traffic.dram, Bytes(4.0 * (16 * 64 * 30 * 30 + 64 * 9)));
  EXPECT_EQ(layer.traffic.store_dram, Bytes(4.0 * 16 * 64 * 28 * 28));
  EXPECT_EQ(first_plan<DeltaKernel>(layer), nullptr);
}

TEST(Estimate, TransposedConvolutionIsTheSumOfItsParts) {
  // 4x4, stride 2, padding 1: four parts, each a 2x2 convolution with 16x16 outputs.
  Conv conv = conv_of(64, 32, 16, 4);
  conv.transposed = true;
  conv.axes[1].stride = conv.axes[2].stride = 2;
  for (ConvAxis* axis : {&conv.axes[1], &conv.axes[2]}) axis->pad_begin = axis->pad_end = 1;
  Conv part = conv_of(64, 32, 16, 2);
  for (ConvAxis* axis : {&part.axes[1], &part.axes[2]}) axis->pad_end = 1;
  const LayerEstimate layer = estimate(conv, titan_xp(), kDelta);
  const LayerEstimate quarter = estimate(part, titan_xp(), kDelta);
  EXPECT_EQ(layer.kernels, 4);
  EXPECT_EQ(layer.time, quarter.time * 4);
  EXPECT_EQ(layer.traffic.l2, quarter.traffic.l2 * 4);
  EXPECT_EQ(layer.bottleneck, quarter.bottleneck);
}

TEST(Estimate, TransposedConvolutionWhoseOutputsNoTapReachesStreams) {
  // Stride 4, one tap, cut down to the three outputs between two taps: only zeros (or the bias) are written.
  Conv conv = conv_of(64, 32, 1, 1);
  conv.transposed = true;
  conv.axes[2] = {.in = 1, .filter = 1, .stride = 4, .pad_begin = 1, .output_padding = 3};
  const LayerEstimate layer = estimate(conv, titan_xp(), kDelta);
  EXPECT_EQ(layer.method, Method::stream);
  EXPECT_GE(layer.time, titan_xp().launch_overhead);
}

TEST(Estimate, ElementwiseStreamsAndAViewCostsNothing) {
  const Gpu gpu = titan_xp();
  const Shape shape = {16, 1 << 20};
  const Workload relu = one_op(Elementwise{"relu"}, shape, shape);
  const LayerEstimate stream = estimate(relu, relu.ops[0], gpu, kDelta);
  EXPECT_EQ(stream.method, Method::stream);
  EXPECT_EQ(stream.function, "relu");
  EXPECT_EQ(stream.output, shape);
  EXPECT_DOUBLE_EQ(stream.time.value(), 2.0 * 4 * 16 * (1 << 20) / 450e9);

  const Workload reshape = one_op(View{"reshape"}, shape, shape);
  const LayerEstimate view = estimate(reshape, reshape.ops[0], gpu, kDelta);
  EXPECT_EQ(view.method, Method::none);
  EXPECT_EQ(view.time, Seconds(0));
  EXPECT_EQ(view.kernels, 0);
}

TEST(Predict, SumsItsLayers) {
  const Shape shape = {16, 64, 30, 30};
  Workload workload = one_op(Elementwise{"relu"}, shape, shape);
  workload.tensors.push_back({.name = "z", .shape = {16, 64, 28, 28}});
  workload.ops.push_back({"conv", conv_of(64, 64, 30, 3), {1}, {2}});
  workload.outputs = {2};
  const auto prediction = predict(workload, titan_xp(), kDelta);
  ASSERT_TRUE(prediction);
  ASSERT_EQ(prediction->layers.size(), 2U);
  EXPECT_EQ(prediction->model, "one");
  EXPECT_EQ(prediction->gpu, "titan-xp-delta");
  EXPECT_EQ(prediction->batch_size, 16);
  EXPECT_EQ(prediction->time, prediction->layers[0].time + prediction->layers[1].time);
  EXPECT_EQ(prediction->flops, prediction->layers[0].flops + prediction->layers[1].flops);
  EXPECT_DOUBLE_EQ(prediction->throughput_per_second().value(), 16 / prediction->time.value());

  const TimeBounds shares = time_by_bottleneck(*prediction);
  EXPECT_EQ(shares[Bottleneck::dram], prediction->layers[0].time);
  EXPECT_EQ(shares[Bottleneck::compute], prediction->layers[1].time);
}

TEST(Predict, WaitsForAnInputThatTakesLongerThanTheGpu) {
  const Shape shape = {64, 3, 224, 224};
  const Workload network = one_op(Elementwise{"relu"}, shape, shape);
  Feeding feeding;
  feeding.host.decode = feeding.host.augment = Seconds(10e-3);
  feeding.host.disk = BytesPerSecond(1e9);
  const Gpu gpu = titan_xp();
  const Prediction alone = predict(network, gpu).value();
  const Prediction fed = predict(network, gpu, {.feeding = &feeding}).value();
  ASSERT_TRUE(fed.input);
  EXPECT_FALSE(alone.input);
  EXPECT_DOUBLE_EQ(fed.time.value(), fed.input->cores.value());
  EXPECT_NEAR((fed.time - fed.input->waiting) / alone.time, 1, 1e-12);
  EXPECT_DOUBLE_EQ(interval_of(fed)->low.value(), fed.time.value()) << "a faster GPU would wait, too";
}

TEST(Predict, NamesTheHostThatItAssumesWhereTheGpuWaitsForIt) {
  const auto notes_of = [](const char* gpu, std::int64_t elements) {
    return predict(one_op(Elementwise{"relu"}, {elements}, {elements}), find_gpu(gpu).value()).value().notes;
  };
  EXPECT_THAT(notes_of("rtx-4090", 1), testing::Contains(testing::HasSubstr("PassMark rates at 4214")));
  EXPECT_THAT(notes_of("a100-sxm4-80gb", 1), testing::Contains(testing::HasSubstr("a server as host")));
  EXPECT_THAT(notes_of("rtx-4090", 1 << 28), testing::IsEmpty());
}

// A product of two tensors of that type, as wide as a layer of a transformer.
Workload product_of(DType type) {
  Workload workload;
  workload.name = "product";
  workload.tensors = {{.name = "x", .shape = {1024, 1024}, .dtype = type},
                      {.name = "w", .shape = {1024, 4096}, .dtype = type, .constant = true},
                      {.name = "y", .shape = {1024, 4096}, .dtype = DType::int32}};
  workload.ops = {{"op", Gemm{.m = 1024, .n = 4096, .k = 1024}, {0, 1}, {2}}};
  workload.inputs = {0};
  workload.outputs = {2};
  return workload;
}

// Its interpreter issues the kernels of eager mode, at a cost of its own.
TEST(Predict, TorchScriptRunsTheKernelsOfEagerMode) {
  const Shape shape = {64, 64};
  Workload chain = one_op(Elementwise{"relu"}, shape, shape);
  chain.tensors.push_back({"z", shape});
  chain.ops.push_back({"scale", Elementwise{"mul"}, {1}, {2}});
  chain.outputs = {2};
  const auto kernels = [&](const char* framework) {
    return run_as(chain, {.framework = framework, .execution = Execution::compiled}, Phase::fwd).ops.size();
  };
  EXPECT_EQ(kernels("TorchScript"), 2U);
  EXPECT_EQ(kernels("PyTorch 2.4"), 1U);
  EXPECT_EQ(kernels_of({.framework = "TorchScript", .execution = Execution::compiled}), Execution::eager)
      << "in streams, too";
}

TEST(Predict, ProductsOfIntegersRunAtTheirRate) {
  const Gpu t4 = find_gpu("t4").value();
  PredictOptions options;
  options.host = false;
  const auto integers = predict(product_of(DType::int8), t4, options);
  const auto halves = predict(product_of(DType::fp16), t4, {.precision = DType::fp16, .host = false});
  ASSERT_TRUE(integers && halves);
  EXPECT_LT(integers->time, 0.8 * halves->time);  // 130 against 65 TOP/s
  options.method = Method::roofline;
  EXPECT_LT(predict(product_of(DType::int8), t4, options)->time, 0.8 * halves->time);
  EXPECT_EQ(predict(product_of(DType::int8), t4, kDelta)->time, predict(product_of(DType::fp32), t4, kDelta)->time);
}

TEST(Predict, TensorRtMultipliesHalvesOnLanesThatTakeTwo) {
  const Gpu p100 = find_gpu("p100-pcie-16gb").value();
  const auto run = [&](const char* framework) {
    return predict(product_of(DType::fp16), p100, {.precision = DType::fp16, .framework = framework, .host = false});
  };
  const auto pytorch = run("PyTorch 1.6"), tensorrt = run("TensorRT 7");
  ASSERT_TRUE(pytorch && tensorrt);
  EXPECT_EQ(pytorch->computed, DType::fp32);
  EXPECT_EQ(tensorrt->computed, DType::fp16);
  EXPECT_LT(tensorrt->time, 0.7 * pytorch->time);
}

TEST(Predict, IntegersThatTheGpuCannotMultiplyAreNamed) {
  const auto none = predict(product_of(DType::int8), find_gpu("v100-sxm2-16gb").value());
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().text(),
            "layer 'op': multiplies integers of 8 bits, and no peak rate of v100-sxm2-16gb for int8 is known");
  const auto gradients = predict(product_of(DType::int8), find_gpu("t4").value(), {}, Phase::fwd_bwd);
  ASSERT_FALSE(gradients);
  EXPECT_EQ(gradients.error().text(),
            "layer 'op': multiplies integers, which has no gradients; pass inference takes it");
}

TEST(Predict, WhatIsNotBuiltYetSaysSo) {
  const Workload workload = one_op(View{"reshape"}, {1}, {1});
  PredictOptions half = kDelta;
  half.precision = DType::fp16;
  const auto prediction = predict(workload, titan_xp(), half);
  ASSERT_FALSE(prediction);
  EXPECT_EQ(prediction.error().code, ErrorCode::unsupported);
  EXPECT_NE(prediction.error().message.find("fp16"), std::string::npos);
}

TEST(Predict, RefusesATileThatNoKernelHasAndAnEmptySm) {
  PredictOptions odd;
  odd.plan.tile = Tile{64, 64, 8};
  EXPECT_EQ(check(odd).error().code, ErrorCode::bad_input);
  odd.plan.tile = Tile{128, 64, 0};
  EXPECT_FALSE(check(odd));
  odd.plan.tile = Tile{128, 64, kMaxTileDepth + 1};
  EXPECT_FALSE(check(odd));
  odd.plan.tile = Tile{128, 64, 16};
  EXPECT_TRUE(check(odd));
  odd.plan.active_ctas_per_sm = 0;
  EXPECT_FALSE(check(odd));
}

}  // namespace
}  // namespace rooftile
