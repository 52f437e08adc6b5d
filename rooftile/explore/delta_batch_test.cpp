#include "rooftile/explore/delta_batch.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "rooftile/explore/explore.hpp"
#include "rooftile/explore/layer_time.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/zoo/test_network.hpp"
#include "rooftile/zoo/zoo.hpp"

namespace rooftile {
namespace {

constexpr double kBatchTolerance = 1e-12;  // relative: what the inner loop may differ from the scalar functions

DeltaBatch batch_of(const Workload& workload, const Gpu& base, VectorUnit unit = vector_units().front()) {
  return DeltaBatch(unique_layers(workload, 1, false).value(), base, unit);
}

// A GPU between a quarter and eight times the base in everything.
DesignPoint random_design(const Gpu& base) {
  DesignPoint point = design_of(base);
  for (std::size_t p = 0; p < kParameters; ++p) {
    const auto parameter = static_cast<Parameter>(p);
    if (parameter == Parameter::cta_tile) {
      point[p] = *rc::gen::element(kTileRows, kWideTileRows);
      continue;
    }
    point[p] *= std::exp2(*rc::gen::inRange(-2000, 3001) / 1000.0);
    if (row_of(parameter).whole) point[p] = std::max(1.0, std::round(point[p]));
  }
  return point;
}

Conv random_conv() {
  Conv conv;
  conv.batch = *rc::gen::inRange(1, 512);
  conv.in_channels = *rc::gen::inRange(1, 2048);
  conv.out_channels = *rc::gen::inRange(1, 2048);
  for (const std::size_t axis : {1U, 2U}) {
    conv.axes[axis].in = *rc::gen::inRange(1, 256);
    conv.axes[axis].filter = *rc::gen::inRange<std::int64_t>(1, std::min<std::int64_t>(conv.axes[axis].in, 7) + 1);
    conv.axes[axis].stride = *rc::gen::inRange(1, 4);
  }
  return conv;
}

void expect_near(double fast, double slow) { RC_ASSERT(std::abs(fast - slow) <= kBatchTolerance * std::abs(slow)); }

RC_GTEST_PROP(DeltaBatch, AgreesWithTheScalarFunctionsOnRandomDesignsAndLayers, ()) {
  const Gpu base = find_gpu(*rc::gen::element<std::string>("titan-xp-delta", "v100-delta", "p100-delta")).value();
  std::vector<UniqueLayer> layers;
  for (int i = 0; i < 5; ++i) {
    UniqueLayer layer;
    layer.gemm = im2col(random_conv());
    layer.count = *rc::gen::inRange(1, 40);
    layer.weight = *rc::gen::inRange(1, 100) / 10.0;
    layers.push_back(layer);
  }
  const DeltaBatch batch(layers, base);
  const DesignPoint point = random_design(base);
  const Gpu gpu = with_design(base, point);
  const double tile = at(point, Parameter::cta_tile);
  const DesignOutcome outcome = evaluate_one(batch, point);
  if (outcome.unfit != Unfit::none) {
    RC_ASSERT(unfit_of(layers, gpu, tile) != Unfit::none);
    return;
  }
  double time = 0;
  TimeBounds shares;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const LayerTime timing = layer_time(layers[l], gpu, tile);
    expect_near(outcome.layers[l], timing.time.value());
    const Seconds all = timing.time * layers[l].count * layers[l].weight;
    time += all.value();
    // A bottleneck may differ only where two cases are equal to the tolerance; then any of them may have the time.
    shares[timing.bottleneck] += all;
  }
  expect_near(outcome.time, time);
  double sum = 0;
  for (const double share : outcome.shares) sum += share;
  expect_near(sum, time);
  for (std::size_t b = 0; b < kBottlenecks; ++b) {
    RC_ASSERT(std::abs(outcome.shares[b] - shares.by[b].value()) <= kBatchTolerance * time);
  }
}

// The whole of a network: streams too.
TEST(DeltaBatch, IsPredictOfMethodDelta) {
  for (const char* name : {"googlenet", "resnet152", "alexnet"}) {
    const Workload workload = zoo_network(name, 32);
    const Gpu base = find_gpu("titan-xp-delta").value();
    const DeltaBatch batch = batch_of(run_as(workload, {.method = Method::delta}, Phase::fwd), base);
    DesignPoint point = design_of(base);
    for (const double sms : {1.0, 30.0, 77.0}) {
      at(point, Parameter::sm_count) = sms;
      at(point, Parameter::dram_bandwidth) *= 0.7;
      const DesignOutcome outcome = evaluate_one(batch, point);
      const Prediction prediction = predict(workload, with_design(base, point), {.method = Method::delta}).value();
      EXPECT_NEAR(outcome.time / prediction.time.value(), 1, kBatchTolerance) << name;
      const TimeBounds shares = time_by_bottleneck(prediction);
      for (std::size_t b = 0; b < kBottlenecks; ++b) {
        EXPECT_NEAR(outcome.shares[b], shares.by[b].value(), kBatchTolerance * outcome.time) << name << b;
      }
    }
  }
}

// Whole numbers of CTAs and waves at their steps, where a division that is rounded the wrong way shows.
TEST(DeltaBatch, CountsWavesExactly) {
  const Gpu base = find_gpu("titan-xp-delta").value();
  for (const std::int64_t rows : {1, 29, 30, 31, 60, 61, 119, 120, 121, 2939, 2940, 2941}) {
    UniqueLayer layer;
    layer.gemm = im2col(Gemm{.m = rows * 128, .n = 128, .k = 64});
    const DeltaBatch batch({layer}, base);
    for (double sms = 1; sms <= 128; ++sms) {
      DesignPoint point = design_of(base);
      at(point, Parameter::sm_count) = sms;
      const double slow = layer_time(layer, with_design(base, point)).time.value();
      ASSERT_NEAR(evaluate_one(batch, point).time / slow, 1, kBatchTolerance) << rows << " rows, " << sms << " SMs";
    }
  }
}

TEST(DeltaBatch, EveryVectorUnitGivesTheSameBits) {
  const Gpu base = find_gpu("v100-delta").value();
  const Workload workload = zoo_network("googlenet", 64);
  DesignSpace space;
  space.base = base;
  space.sampling = Sampling::random;
  space.samples = kBlockDesigns;
  for (const Parameter p : {Parameter::sm_count, Parameter::mac_per_sm, Parameter::l2_bandwidth,
                            Parameter::dram_bandwidth, Parameter::dram_latency}) {
    const double value = at(design_of(base), p);
    space.axes.push_back({.parameter = p, .values = {value, 8 * value}, .range = true});
  }
  DesignBlock block = empty_block(space);
  block.count = kBlockDesigns;
  fill(space, 0, block);
  const DeltaBatch reference = batch_of(workload, base, VectorUnit::baseline);
  OutcomeBlock expected(reference.layers().size());
  reference.evaluate(block, expected);
  for (const VectorUnit unit : vector_units()) {
    OutcomeBlock outcome(reference.layers().size());
    batch_of(workload, base, unit).evaluate(block, outcome);
    EXPECT_EQ(outcome.time, expected.time) << name_of(unit);
    EXPECT_EQ(outcome.shares, expected.shares) << name_of(unit);
    EXPECT_EQ(outcome.layers, expected.layers) << name_of(unit);
  }
}

TEST(DeltaBatch, NamesWhatNoCtaFitsInto) {
  const Gpu base = find_gpu("titan-xp-delta").value();
  const DeltaBatch batch = batch_of(zoo_network("alexnet", 8), base);
  DesignPoint point = design_of(base);
  at(point, Parameter::registers) = 20000;
  EXPECT_EQ(evaluate_one(batch, point).unfit, Unfit::registers);
  EXPECT_EQ(evaluate_one(batch, point).time, 0);
  point = design_of(base);
  at(point, Parameter::smem) = 1024;
  EXPECT_EQ(evaluate_one(batch, point).unfit, Unfit::smem);
  point = design_of(base);
  at(point, Parameter::cta_tile) = kWideTileRows;
  EXPECT_EQ(evaluate_one(batch, point).unfit, Unfit::registers);
  at(point, Parameter::registers) *= 2;
  EXPECT_EQ(evaluate_one(batch, point).unfit, Unfit::none);
}

}  // namespace
}  // namespace rooftile
