// Every network that is built in has a time.
#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/ingest/model.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/validate/estimate_network.hpp"
#include "rooftile/zoo/test_network.hpp"
#include "rooftile/zoo/zoo.hpp"

namespace rooftile {
namespace {

TEST(ZooPrediction, EveryNetworkOnAT4) {
  const Gpu t4 = find_gpu("t4").value();
  for (const ZooEntry& entry : zoo()) {
    const Workload network = build_shallow(entry, 1);
    Seconds inference;
    for (const Phase phase : {Phase::fwd, Phase::step}) {
      const auto prediction = predict(network, t4, {.precision = DType::fp16}, phase);
      ASSERT_TRUE(prediction) << entry.name << ": " << prediction.error().text();
      EXPECT_GT(prediction->time, phase == Phase::step ? inference * 2 : Seconds(50e-6)) << entry.name;
      EXPECT_LT(prediction->time, Seconds(3600)) << entry.name;
      EXPECT_GT(prediction->memory.weights, Bytes(0)) << entry.name;
      inference = prediction->time;
    }
  }
}

TEST(ZooPrediction, AStepOfDecodingReadsTheWeightsAndTheCacheOnce) {
  const Gpu gpu = find_gpu("a100-sxm4-80gb").value();
  for (const ZooEntry& entry : zoo()) {
    if (!entry.transformer || entry.transformer->form == TransformerForm::encoder) continue;
    const Workload step = build(*entry.transformer, {.context = 1024});
    const auto prediction = predict(step, gpu, {.precision = DType::fp16, .cuda_graphs = true});
    ASSERT_TRUE(prediction) << entry.name << ": " << prediction.error().text();
    const Seconds least = prediction->memory.weights / gpu.level("DRAM").bandwidth;
    EXPECT_LT(prediction->time, least * 8 + Seconds(0.01)) << entry.name;
  }
}

// The prompt gives the first token, and each further one takes a step; those of the middle take the mean.
TEST(ZooPrediction, ARequestIsItsPromptAndItsSteps) {
  const Gpu gpu = find_gpu("a100-sxm4-80gb").value();
  const PredictOptions options = {.precision = DType::fp16};
  const auto time = [&](bool reads, bool writes, std::int64_t input, std::int64_t output) {
    NetworkRun run{.model = "gpt2_xl", .batch = 8, .seq_len = input};
    run.request = ServedRequest{reads, writes, input, output};
    return estimate_network(run, Phase::fwd, gpu, options).value().time;
  };
  const Seconds prompt = time(true, false, 256, 0);
  EXPECT_EQ(time(true, true, 256, 1), prompt);
  const Seconds first = predict(load_model("gpt2_xl", {.batch_size = 8, .context = 256}).value(), gpu, options)->time;
  EXPECT_NEAR((time(true, true, 256, 2) - prompt) / first, 1, 1e-9);
  const Seconds answer = time(true, true, 256, 101) - prompt;
  EXPECT_GE(answer, first * (100 * (1 - 1e-9)));
  EXPECT_LT(answer, first * 110);
  NetworkRun quantised{.model = "gpt2_xl", .batch = 8, .seq_len = 256};
  const Seconds wide = estimate_network(quantised, Phase::fwd, gpu, options)->time;
  quantised.weights = DType::q4_k_m;
  EXPECT_LT(estimate_network(quantised, Phase::fwd, gpu, options)->time, wide);
}

// gpt-oss: MXFP4 for experts, BF16 for all else.
TEST(ZooPrediction, ExpertsMayHaveNarrowerWeights) {
  const Gpu gpu = find_gpu("h100-sxm5-80gb").value();
  const Workload network = load_model("gpt_oss_20b", {.context = 1000}).value();
  PredictOptions options{.precision = DType::bf16, .execution = Execution::engine, .host = false};
  const Prediction wide = predict(network, gpu, options).value();
  options.expert_weights = DType::mxfp4;
  const Prediction narrow = predict(network, gpu, options).value();
  constexpr double kExperts = 24.0 * 32 * 3 * 2880 * 2880, kSaved = 2 - 17.0 / 32;
  EXPECT_NEAR((wide.memory.weights - narrow.memory.weights).value() / (kExperts * kSaved), 1, 1e-3);
  EXPECT_LT(narrow.time, wide.time * 0.8);
  options.expert_weights.reset();
  options.weights = DType::mxfp4;
  EXPECT_LT(predict(network, gpu, options).value().memory.weights, narrow.memory.weights);
}

}  // namespace
}  // namespace rooftile
