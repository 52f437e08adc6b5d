// Networks as frameworks run them.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/ingest/layer_table.hpp"
#include "rooftile/ingest/model.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/validate/estimate_row.hpp"

namespace rooftile {
namespace {

TEST(Network, AtBatchOneTheHostDecidesAndAtALargeBatchTheGpuDoes) {
  const Gpu gpu = find_gpu("rtx-3090").value();
  const auto at = [&](std::int64_t batch, const PredictOptions& options) {
    return predict(load_model("resnet50", {.batch_size = batch}).value(), gpu, options).value();
  };
  const Prediction small = at(1, {});
  ASSERT_TRUE(small.host);
  EXPECT_GT(small.time, small.host->gpu_busy * 1.5);
  EXPECT_LT(interval_of(small)->low, small.time);
  EXPECT_GT(interval_of(small)->high, small.time);
  const Prediction large = at(256, {});
  EXPECT_LT(large.time, large.host->gpu_busy * 1.01);
  const Prediction replayed = at(1, {.cuda_graphs = true});
  EXPECT_LT(replayed.time, small.time * 0.6);
  EXPECT_EQ(at(1, {.host = false}).time, small.host->gpu_busy);
}

// Half the width of a request's interval, as a logarithm.
double width_of(const std::string& cells) {
  const std::string csv =
      "op,model,gpu,gpus,tp,precision,batch,phase,input_tokens,output_tokens\nnetwork,gpt2,a100-sxm4-80gb," + cells +
      "\n";
  const LayerRow row = parse_layer_table(csv, "t.csv").value().rows.at(0);
  GpuCache gpus;
  const LayerEstimate estimate = estimate_row(row, options_of(row, {.method = Method::rooftile}), gpus).value();
  return std::log(*estimate.time_high / *estimate.time_low) / 2;
}

TEST(Network, PassesOfARequestAreWrongAlikeOnAnyNumberOfGpus) {
  for (const std::string gpus : {"1,1", "2,2"}) {
    const double one = width_of(gpus + ",fp16,8,decode,512,1"), many = width_of(gpus + ",fp16,8,decode,512,64");
    EXPECT_GT(many, 0.9 * one) << gpus;
  }
}

TEST(Network, WithoutExpertsItDoesNotMatterWhoHasThemWhole) {
  const auto time = [](const std::string& etp) {
    const std::string csv =
        "op,model,gpu,gpus,tp,precision,framework,batch,pass,etp\nnetwork,gpt2,a100-sxm4-80gb,8,2,bf16,"
        "PyTorch 2.6,16,step," +
        etp + "\n";
    const LayerRow row = parse_layer_table(csv, "t.csv").value().rows.at(0);
    GpuCache gpus;
    return estimate_row(row, options_of(row, {.method = Method::rooftile}), gpus).value().time;
  };
  EXPECT_EQ(time("1"), time(""));
}

TEST(Network, FusedKernelsTakeLessThanEagerOnes) {
  const Gpu gpu = find_gpu("a100-sxm4-80gb").value();
  const Workload workload = load_model("resnet50", {.batch_size = 64}).value();
  Seconds last = Seconds(1);
  for (const Execution execution : {Execution::eager, Execution::compiled, Execution::engine}) {
    const Prediction one =
        predict(workload, gpu, {.precision = DType::fp16, .nhwc = true, .execution = execution, .host = false}).value();
    EXPECT_LT(one.time, last) << name_of(execution);
    last = one.time;
  }
}

TEST(Network, MixedPrecisionCastsWeightsAndKeepsThem) {
  const Gpu gpu = find_gpu("rtx-3090").value();
  const Workload workload = load_model("resnet50", {.batch_size = 32}).value();
  const Prediction half = predict(workload, gpu, {.precision = DType::fp16}).value();
  const Prediction mixed = predict(workload, gpu, {.precision = DType::fp16, .autocast = true}).value();
  EXPECT_EQ(mixed.precision_name(), "amp-fp16");
  EXPECT_GT(mixed.host->gpu_busy, half.host->gpu_busy);
  EXPECT_LT(mixed.host->gpu_busy, half.host->gpu_busy * 1.3);
  EXPECT_NEAR(mixed.memory.weights / half.memory.weights, 2, 0.01);
}

// A T4 has 70 W: in a network its tensor cores reach less than half of their peak, which a short call timed alone
// exceeds, but not a long one.
TEST(Network, TensorCoresRunIntoThePowerCap) {
  const Gpu t4 = find_gpu("t4").value();
  const auto rate = [&](std::int64_t size, bool in_network) {
    const Gemm gemm{.m = size, .n = size, .k = size};
    const LayerEstimate one = estimate(gemm, t4, {.precision = DType::fp16, .in_network = in_network});
    return one.flops / one.time / t4.peak(Peak::tensor_fp16);
  };
  EXPECT_GT(rate(2048, false), 0.5);
  EXPECT_LT(rate(2048, true), 0.5);
  EXPECT_NEAR(rate(8192, false), rate(8192, true), 0.05);
  EXPECT_GT(rate(8192, true), 0.25);
}

// A GeForce multiplies at half rate and has power for its rated boost, whatever the server boards that its constants
// are from sustain; where its file says what it sustains, it runs at that alone as well.
TEST(Network, BoardsThatAreNotShortOfPowerBoost) {
  const Gpu geforce = find_gpu("rtx-2080-ti").value();
  ASSERT_FALSE(geforce.sustained_clock);
  const Gemm gemm{.m = 8192, .n = 8192, .k = 8192};
  const auto time = [&](bool in_network) {
    return estimate(gemm, geforce, {.precision = DType::fp16, .in_network = in_network}).time;
  };
  EXPECT_LT(time(true), time(false));
  EXPECT_GT(time(true), time(false) * 0.8);
}

}  // namespace
}  // namespace rooftile
