#include "rooftile/explore/sensitivity.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/ops/builder.hpp"
#include "rooftile/zoo/test_network.hpp"
#include "rooftile/zoo/zoo.hpp"

namespace rooftile {
namespace {

Gpu titan() { return find_gpu("titan-xp-delta").value(); }

Workload one_gemm(std::int64_t m, std::int64_t n, std::int64_t k) {
  WorkloadBuilder net("gemm");
  const auto input = net.input({.name = "x", .shape = Shape{m, k}, .dtype = DType::fp32});
  EXPECT_TRUE(input);
  const auto weights = net.tensor({.name = "w", .shape = Shape{k, n}, .dtype = DType::fp32, .constant = true});
  EXPECT_TRUE(weights);
  EXPECT_TRUE(net.add({.name = "product",
                       .kind = Gemm{.m = m, .n = n, .k = k},
                       .inputs = {*input, *weights},
                       .shape = {},
                       .outputs = {},
                       .weights = false}));
  return net.finish().value();
}

const ResourceSensitivity& row_of(const Sensitivity& study, std::string_view name) {
  for (const ResourceSensitivity& row : study.resources) {
    if (row.resource->name == name) return row;
  }
  ADD_FAILURE() << name;
  return study.resources.front();
}

Sensitivity study_of(const Workload& workload, const Gpu& gpu, Method method) {
  auto study = sensitivity(workload, gpu, {.method = method});
  EXPECT_TRUE(study) << study.error().text();
  return std::move(*study);
}

// The classic roofline of 1024^3: 2^31 FLOPs take 2^31 / peak, 3 x 4 MiB take that over the bandwidth; arithmetic is
// the longer by far. Twice the DRAM helps nothing, twice the clock halves the time until DRAM takes over.
TEST(Sensitivity, RooflineByHand) {
  const Gpu gpu = titan();
  const Sensitivity study = study_of(one_gemm(1024, 1024, 1024), gpu, Method::roofline);
  const double compute = std::exp2(31) / gpu.peak(Peak::fp32).value();
  const double dram = 3 * std::exp2(22) / gpu.level("DRAM").bandwidth.value();
  ASSERT_GT(compute, dram);
  ASSERT_DOUBLE_EQ(study.prediction.time.value(), compute);
  const ResourceSensitivity& clock = row_of(study, "clock");
  EXPECT_NEAR(clock.less.elasticity, -1, 1e-8);
  EXPECT_NEAR(clock.more.elasticity, -1, 1e-8);
  EXPECT_NEAR(clock.unlimited, dram / compute, 1e-12);
  EXPECT_NEAR(clock.stops_at, 1 / (dram / compute + 1e-3), 1e-3);
  EXPECT_NEAR(clock.half_at, 2 / (1 + dram / compute), 1e-3);
  EXPECT_EQ(clock.next, Bottleneck::dram);
  const ResourceSensitivity& memory = row_of(study, "dram_bandwidth");
  EXPECT_EQ(memory.more.elasticity, 0);
  EXPECT_EQ(memory.less.elasticity, 0);
  EXPECT_EQ(memory.unlimited, 1);
  EXPECT_EQ(study.resources.front().more.elasticity, clock.more.elasticity);
}

// Where arithmetic and DRAM take equally long, less of either costs and more of either gains nothing.
TEST(Sensitivity, KinkHasTwoSides) {
  Gpu gpu = titan();
  const double compute = std::exp2(31) / gpu.peak(Peak::fp32).value();
  for (MemoryLevel& level : gpu.levels) {
    if (level.name == "DRAM") level.bandwidth = BytesPerSecond(3 * std::exp2(22) / compute);
  }
  const Sensitivity study = study_of(one_gemm(1024, 1024, 1024), gpu, Method::roofline);
  for (const char* name : {"dram_bandwidth", "clock"}) {
    EXPECT_NEAR(row_of(study, name).less.elasticity, -1, 1e-8) << name;
    EXPECT_NEAR(row_of(study, name).more.elasticity, 0, 1e-8) << name;
  }
}

// 31 x 128 rows of one column of tiles: 31 CTAs of 128 x 128 on 30 SMs. By brute force: one SM more or less.
TEST(Sensitivity, SmCountIsWhole) {
  const Gpu gpu = titan();
  const Workload workload = one_gemm(31 * 128, 128, 1024);
  const Sensitivity study = study_of(workload, gpu, Method::delta);
  const auto time = [&](double sms) {
    Gpu other = gpu;
    row_of(study, "sm_count").resource->write(other, sms);
    return predict(workload, other, {.method = Method::delta}).value().time.value();
  };
  const ResourceSensitivity& row = row_of(study, "sm_count");
  EXPECT_NEAR(row.more.elasticity, std::log(time(31) / time(30)) / std::log(31.0 / 30), 1e-7);
  EXPECT_NEAR(row.less.elasticity, std::log(time(29) / time(30)) / std::log(29.0 / 30), 1e-7);
  EXPECT_LT(row.more.elasticity, -1);  // the last wave of one CTA goes
}

// As many registers as three CTAs of 256 threads take: one less, and two are resident.
TEST(Sensitivity, StepIsNoElasticity) {
  const Gpu gpu = titan();
  const Workload workload = zoo_network("alexnet", 64);
  const Sensitivity study = study_of(workload, gpu, Method::delta);
  const ResourceSensitivity& row = row_of(study, "registers");
  Gpu fewer = gpu;
  --fewer.sm.registers;
  const auto beyond = predict(workload, fewer, {.method = Method::delta}).value();
  bool any = false;
  for (std::size_t i = 0; i < beyond.layers.size(); ++i) {
    const double here = study.prediction.layers[i].time.value(), there = beyond.layers[i].time.value();
    if (here <= 0) continue;
    EXPECT_EQ(row.layers_less[i].step, there / here > 1.01 || there / here < 0.99) << beyond.layers[i].name;
    if (row.layers_less[i].step) {
      EXPECT_DOUBLE_EQ(row.layers_less[i].jump, there / here);
    }
    any = any || row.layers_less[i].step;
    EXPECT_FALSE(row.layers_more[i].step);
  }
  EXPECT_TRUE(any);
}

// All rates s times as fast: 1 / s of the time. So the elasticities to all of them sum to -1, where the time is smooth;
// latencies are in clock cycles and go with the clock. A kink can be anywhere: then the sum is left alone.
TEST(Sensitivity, RatesSumToMinusOne) {
  constexpr const char* kRates[] = {"clock", "smem_bandwidth", "l1_bandwidth", "l2_bandwidth", "dram_bandwidth"};
  std::mt19937_64 random(7);
  const auto factor = [&] { return std::exp2(std::uniform_real_distribution<>(-3, 3)(random)); };
  int smooth = 0;
  for (int trial = 0; trial < 40; ++trial) {
    Gpu gpu = titan();
    for (const Resource& resource : resources()) {
      if (!resource.whole && resource.name != "smem") resource.write(gpu, resource.read(gpu) * factor());
    }
    const auto size = [&] { return std::uniform_int_distribution<std::int64_t>(1, 3000)(random); };
    const Sensitivity study = study_of(one_gemm(size(), size(), size()), gpu, Method::delta);
    double less = 0, more = 0;
    bool kink = false;
    for (const char* name : kRates) {
      const ResourceSensitivity& row = row_of(study, name);
      less += row.less.elasticity;
      more += row.more.elasticity;
      kink = kink || row.less.step || row.more.step || std::abs(row.less.elasticity - row.more.elasticity) > 1e-4;
    }
    if (kink) continue;
    ++smooth;
    EXPECT_NEAR(more, -1, 1e-6);
    EXPECT_NEAR(less, -1, 1e-6);
  }
  EXPECT_GE(smooth, 35);
}

// The network's elasticity is the mean of its layers', weighted by time.
TEST(Sensitivity, NetworkIsTheMeanOfItsLayers) {
  const Sensitivity study = study_of(zoo_network("alexnet", 64), titan(), Method::rooftile);
  for (const ResourceSensitivity& row : study.resources) {
    if (row.resource->whole) continue;
    double mean = 0;
    bool step = row.more.step;
    for (std::size_t i = 0; i < row.layers_more.size(); ++i) {
      mean += row.layers_more[i].elasticity * (study.prediction.layers[i].time / study.prediction.time);
      step = step || row.layers_more[i].step;
    }
    if (step) continue;
    EXPECT_NEAR(row.more.elasticity, mean, 1e-5) << row.resource->name;
  }
}

// By brute force: what the factors say holds.
TEST(Sensitivity, FactorsHold) {
  const Gpu gpu = titan();
  const Workload workload = zoo_network("alexnet", 64);
  const Sensitivity study = study_of(workload, gpu, Method::rooftile);
  const double now = study.prediction.time.value();
  int gains = 0;
  for (const ResourceSensitivity& row : study.resources) {
    if (1 - row.unlimited <= kGainCounts) continue;
    ++gains;
    const auto time = [&](double factor) {
      Gpu other = gpu;
      const double value = row.resource->less_is_better ? row.value / factor : row.value * factor;
      row.resource->write(other, row.resource->whole ? std::round(value) : value);
      return predict(workload, other, {.host = false}).value().time.value() / now;
    };
    EXPECT_LE(time(row.stops_at), row.unlimited + 1e-3 + 1e-9) << row.resource->name;
    EXPECT_LE(time(row.half_at), (1 + row.unlimited) / 2 + 1e-6) << row.resource->name;
    if (row.resource->whole) continue;
    EXPECT_GT(time(row.half_at * 0.99), (1 + row.unlimited) / 2) << row.resource->name;
  }
  EXPECT_GE(gains, 4);
}

TEST(Sensitivity, ErrorsAreThoseOfPredict) {
  const auto study =
      sensitivity(zoo_network("alexnet", 1), titan(), {.method = Method::delta, .precision = DType::fp16});
  ASSERT_FALSE(study);
  EXPECT_NE(study.error().text().find("fp32 only"), std::string::npos);
}

}  // namespace
}  // namespace rooftile
