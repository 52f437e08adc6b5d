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

TEST(ScalingStudy, OtherMethodsLeaveOutTheLargeTile) { EXPECT_EQ(study(Method::rooftile).size(), 7U); }

}  // namespace
}  // namespace rooftile
