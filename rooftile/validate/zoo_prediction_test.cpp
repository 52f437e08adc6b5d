// Every network that is built in has a time.
#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/zoo/zoo.hpp"

namespace rooftile {
namespace {

TEST(ZooPrediction, EveryNetworkOnAT4) {
  const Gpu t4 = find_gpu("t4").value();
  for (const ZooEntry& entry : zoo()) {
    Seconds inference;
    for (const Phase phase : {Phase::fwd, Phase::step}) {
      const auto prediction = predict(entry.build(1), t4, {.precision = DType::fp16}, phase);
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

}  // namespace
}  // namespace rooftile
