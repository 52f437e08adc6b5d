// Claims of the DeLTA paper (Lym et al., ISPASS 2019) on its own GPU file for TITAN Xp. Each test quotes what it
// checks. Where the model, as far as it can be reconstructed, does not give the published number, the test says so and
// pins ours (docs/theory/delta.md, "Against the paper").
#include <algorithm>
#include <vector>

#include "tests/paper/networks.hpp"
#include <gtest/gtest.h>

namespace rooftile::paper {
namespace {

const PredictOptions kDelta = {.method = Method::delta};

struct Evaluated {
  Layer layer;
  LayerEstimate estimate;
};

std::vector<Evaluated> evaluate(const std::vector<Layer>& layers, const PredictOptions& options = kDelta) {
  const Gpu gpu = titan_xp();
  std::vector<Evaluated> result;
  for (const Layer& layer : layers) result.push_back({layer, estimate(layer.conv, gpu, options)});
  return result;
}

std::ptrdiff_t limited_by(const std::vector<Evaluated>& layers, Bottleneck bottleneck) {
  return std::count_if(layers.begin(), layers.end(),
                       [&](const Evaluated& each) { return each.estimate.bottleneck == bottleneck; });
}

double l1_miss_rate(const Evaluated& each) { return each.estimate.traffic.l2 / each.estimate.traffic.l1; }
double l2_miss_rate(const Evaluated& each) { return each.estimate.traffic.dram / each.estimate.traffic.l2; }

template <class Rate>
std::pair<double, double> range_of(const std::vector<Evaluated>& layers, Rate rate) {
  std::pair<double, double> range = {rate(layers.front()), rate(layers.front())};
  for (const Evaluated& each : layers) {
    range = {std::min(range.first, rate(each)), std::max(range.second, rate(each))};
  }
  return range;
}

TEST(Claims, TheFourNetworksHave83UniqueLayers) { EXPECT_EQ(unique_layers().size(), 83U); }

// Section VII.B: "L1 BW restricts the first conv layer of AlexNet on TITAN Xp".
TEST(Claims, AlexNetConv1IsTheOnlyLayerLimitedByL1Bandwidth) {
  for (const Evaluated& each : evaluate(unique_layers())) {
    const bool is_conv1 = each.layer.network == "alexnet" && each.layer.name == "conv1";
    EXPECT_EQ(each.estimate.bottleneck == Bottleneck::l1, is_conv1) << each.layer.network << " " << each.layer.name;
  }
}

// Section VII.B: 90 % of the layers are limited by arithmetic.
TEST(Claims, NineInTenLayersAreLimitedByArithmetic) {
  const auto layers = evaluate(unique_layers());
  const double share =
      static_cast<double>(limited_by(layers, Bottleneck::compute)) / static_cast<double>(layers.size());
  EXPECT_GE(share, 0.85);
  EXPECT_LE(share, 0.95);
}

// Section VII.B: many layers of GoogLeNet are limited by DRAM bandwidth or latency; no other network is named.
TEST(Claims, OtherLayersAreGoogLeNetsAndLimitedByDram) {
  std::size_t dram = 0;
  for (const Evaluated& each : evaluate(unique_layers())) {
    if (each.estimate.bottleneck == Bottleneck::compute || each.estimate.bottleneck == Bottleneck::l1) continue;
    EXPECT_EQ(each.estimate.bottleneck, Bottleneck::dram) << each.layer.name;
    EXPECT_EQ(each.layer.network, "googlenet") << each.layer.name;
    ++dram;
  }
  EXPECT_GE(dram, 5U);
}

// Fig 4: the L1 miss rate over GoogLeNet's layers goes down to 13 %.
TEST(Claims, LowestL1MissRateOfGoogLeNetIs13Percent) {
  const double lowest = range_of(evaluate(layers_of("googlenet")), l1_miss_rate).first;
  EXPECT_GE(lowest, 0.12);
  EXPECT_LE(lowest, 0.14);
}

// Fig 4: 8 to 90 %.
TEST(KnownMismatches, L2MissRatesOfGoogLeNetAreLowerThanFig4) {
  const auto [lowest, highest] = range_of(evaluate(layers_of("googlenet")), l2_miss_rate);
  EXPECT_NEAR(lowest, 0.0629, 0.0005);
  EXPECT_NEAR(highest, 0.802, 0.0005);
}

// Fig 4's measured upper bound is 50 %; 1x1 layers come out at up to 74 %, because Eq 3 takes their loads as perfectly
// aligned (docs/theory/delta.md, ambiguity 9).
TEST(KnownMismatches, HighestL1MissRateOfGoogLeNetExceedsFig4) {
  const double highest = range_of(evaluate(layers_of("googlenet")), l1_miss_rate).second;
  EXPECT_NEAR(highest, 0.74, 0.005);
}

// Whatever the published equations do on odd strided layers (tests/property), not on these networks.
TEST(Claims, EachLevelFiltersTrafficOnTheFourNetworks) {
  for (const Evaluated& each : evaluate(unique_layers())) {
    EXPECT_LE(each.estimate.traffic.l2, each.estimate.traffic.l1) << each.layer.name;
    EXPECT_LE(each.estimate.traffic.dram, each.estimate.traffic.l2) << each.layer.name;
  }
}

// Appendix A: L1 and L2 traffic of the artificial layer varies very little with the mini-batch, 16 to 512 samples.
TEST(Claims, TrafficASampleDoesNotDependOnTheBatch) {
  const Gpu gpu = titan_xp();
  Conv conv;
  conv.in_channels = 256;
  conv.out_channels = 128;
  conv.axes[1] = conv.axes[2] = {.in = 13, .filter = 3, .pad_begin = 1, .pad_end = 1};
  conv.batch = 512;
  const Traffic large = estimate(conv, gpu, kDelta).traffic * (1.0 / 512);
  for (conv.batch = 16; conv.batch < 512; conv.batch += 16) {
    const Traffic a_sample = estimate(conv, gpu, kDelta).traffic * (1.0 / static_cast<double>(conv.batch));
    EXPECT_NEAR(a_sample.l1 / large.l1, 1, 0.05) << conv.batch;
    EXPECT_NEAR(a_sample.l2 / large.l2, 1, 0.05) << conv.batch;
  }
}

// The model with every cache missing, as earlier models have it: L1 loads go to L2 and DRAM in full.
DeltaTiming without_caches(const LayerEstimate& layer, const Gpu& gpu) {
  const DeltaKernel& kernel = *first_plan<DeltaKernel>(layer);
  DeltaTraffic traffic = kernel.traffic;
  traffic.l2_per_loop = traffic.dram_per_loop = traffic.l1_per_loop;
  return delta_time(kernel.plan, traffic, delta_rates(gpu));
}

// Section VII.B: a miss rate of 1 overestimates time 1.8x on average and up to 7x. Section VII.A, Fig 12: DRAM traffic
// nearly 100x.
TEST(KnownMismatches, AMissRateOf1OverestimatesByOtherFactorsThanPublished) {
  const Gpu gpu = titan_xp();
  const auto layers = evaluate(unique_layers());
  double sum = 0, most = 0, most_traffic = 0;
  for (const Evaluated& each : layers) {
    const double excess = without_caches(each.estimate, gpu).time / each.estimate.time;
    sum += excess;
    most = std::max(most, excess);
    most_traffic = std::max(most_traffic, each.estimate.traffic.l1 / each.estimate.traffic.dram);
  }
  EXPECT_NEAR(sum / static_cast<double>(layers.size()), 1.88, 0.005);
  EXPECT_NEAR(most, 6.13, 0.005);
  EXPECT_NEAR(most_traffic, 74.9, 0.05);
}

// The paper profiles how many CTAs are active on an SM and does not print it. It decides the labels: with one a SM,
// most layers of GoogLeNet are limited by latency instead. DRAM latency as a limiter is therefore not reproduced.
TEST(KnownMismatches, LatencyBoundLayersDependOnActiveCtasThatAreNotPublished) {
  const auto count = [](const PredictOptions& options) {
    return limited_by(evaluate(layers_of("googlenet"), options), Bottleneck::latency);
  };
  PredictOptions one = kDelta, two = kDelta;
  one.plan.active_ctas_per_sm = 1;
  two.plan.active_ctas_per_sm = 2;
  EXPECT_EQ(count({}), 0);
  EXPECT_EQ(count(two), 36);
  EXPECT_EQ(count(one), 49);
}

}  // namespace
}  // namespace rooftile::paper
