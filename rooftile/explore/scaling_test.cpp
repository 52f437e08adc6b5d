#include "rooftile/explore/scaling.hpp"

#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/zoo/zoo.hpp"

namespace rooftile {
namespace {

std::vector<ScalingRow> study(Method method) {
  WeightedWorkload resnet = {.workload = {}, .convolutions_only = true};
  for (const ZooEntry& entry : zoo()) {
    if (entry.name == "resnet152") resnet.workload = entry.build(256);
  }
  return scaling_study(find_gpu("titan-xp-delta").value(), resnet, {.method = method}).value();
}

const ScalingRow& option(const std::vector<ScalingRow>& rows, int number) {
  return rows.at(static_cast<std::size_t>(number));
}

double share(const ScalingRow& row, Bottleneck which) { return row.shares[static_cast<std::size_t>(which)] / row.time; }

TEST(ScalingStudy, CountsEveryLayerAndAllOfTheTime) {
  const std::vector<ScalingRow> rows = study(Method::delta);
  ASSERT_EQ(rows.size(), 10U);
  for (const ScalingRow& row : rows) {
    EXPECT_EQ(row.unfit, Unfit::none) << row.option.name;
    double layers = 0, time = 0;
    for (std::size_t b = 0; b < kBottlenecks; ++b) {
      layers += row.layers[b];
      time += row.shares[b];
    }
    EXPECT_EQ(layers, 155) << row.option.name;
    EXPECT_NEAR(time / row.time, 1, 1e-12) << row.option.name;
  }
}

// Published (section VII.C): 1.9x and 3.4x; option 5 similar to 2; 6 limited by L2 bandwidth; 9 above 8.
TEST(ScalingStudy, AgreesWithThePublishedStatements) {
  const std::vector<ScalingRow> rows = study(Method::delta);
  EXPECT_NEAR(option(rows, 1).speedup, 1.9, 0.05);
  EXPECT_GE(option(rows, 2).speedup, 3.3);
  EXPECT_LE(option(rows, 2).speedup, 3.6);
  EXPECT_NEAR(option(rows, 5).speedup / option(rows, 2).speedup, 1, 0.1);
  EXPECT_GT(share(option(rows, 6), Bottleneck::l2) + share(option(rows, 6), Bottleneck::dram), 0.5);
  EXPECT_GT(option(rows, 6).layers[static_cast<std::size_t>(Bottleneck::l2)], 50);
  EXPECT_GT(option(rows, 9).speedup, option(rows, 8).speedup);
}

// The paper enlarges the tile to gain from options 7 to 9. With the registers that a thread of its tiles has, one CTA
// of the large tile fits an SM, and nothing hides the latency: option 7 stays below 6.
TEST(KnownMismatches, Option7IsLimitedByLatency) {
  const std::vector<ScalingRow> rows = study(Method::delta);
  EXPECT_LT(option(rows, 7).speedup, option(rows, 6).speedup);
  EXPECT_GT(share(option(rows, 7), Bottleneck::latency), 0.9);
}

TEST(ScalingStudy, OtherMethodsLeaveOutTheLargeTile) { EXPECT_EQ(study(Method::rooftile).size(), 7U); }

}  // namespace
}  // namespace rooftile
