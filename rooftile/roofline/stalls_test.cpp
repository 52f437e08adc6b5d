#include "rooftile/roofline/stalls.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rooftile::roofline {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Stalls, OfAPredictionFollowItsCases) {
  TimeBounds cases;
  cases[Bottleneck::compute] = Seconds(3);
  cases[Bottleneck::dram] = Seconds(4);
  cases[Bottleneck::l2] = Seconds(1);
  cases[Bottleneck::launch] = Seconds(5);
  EXPECT_THAT(estimated_stalls(cases),
              ElementsAre(StallShare{"memory_dependency", 0.625}, StallShare{"pipe_busy", 0.375}));
  EXPECT_THAT(estimated_stalls({}), IsEmpty());
}

TEST(Stalls, OfANetworkAreWeightedByTime) {
  Kernel a, b, unknown;
  a.time = Seconds(1);
  a.stalls = {{"sync", 1}};
  b.time = Seconds(3);
  b.stalls = {{"sync", 0.5}, {"texture", 0.5}};
  unknown.time = Seconds(100);
  for (Kernel* kernel : {&a, &b, &unknown}) kernel->origin = Origin::measured;
  const auto networks = network_stalls(std::vector{a, b, unknown});
  ASSERT_EQ(networks.size(), 1U);
  EXPECT_EQ(networks[0].origin, Origin::measured);
  EXPECT_FALSE(networks[0].estimated);
  EXPECT_EQ(networks[0].time, Seconds(4));
  EXPECT_THAT(networks[0].shares, ElementsAre(StallShare{"sync", 0.625}, StallShare{"texture", 0.375}));
}

TEST(Stalls, UsedNamesStandInTheOrderOfTheVocabulary) {
  View view;
  Kernel kernel;
  kernel.stalls = {{"texture", 0.5}, {"sync", 0.5}, {"other", 0}};
  view.kernels = {kernel};
  kernel.stalls = {{"exec_dependency", 1}};
  view.kernels.push_back(kernel);
  EXPECT_THAT(used_stall_names(view), ElementsAre("exec_dependency", "sync", "texture"));
}

}  // namespace
}  // namespace rooftile::roofline
