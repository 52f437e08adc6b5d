#include "rooftile/parallel/prompt_pipeline.hpp"

#include <algorithm>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace rooftile {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

TEST(PromptPipeline, LayersAreSplitAsLlamaCppDoes) {
  const auto layers = [](double count) { return DoubleNear(count / 80, 1e-12); };
  EXPECT_THAT(layer_shares(80, 4), ElementsAre(layers(21), layers(20), layers(20), layers(19)));
  EXPECT_THAT(layer_shares(80, 1), ElementsAre(layers(80)));
  EXPECT_THAT(layer_shares(1, 2), ElementsAre(1, 0));
}

Seconds time_of(double launches, std::size_t gpus, std::size_t parts) {
  const PromptPipeline pipeline = {.shares = std::vector(gpus, 1 / static_cast<double>(gpus)), .launches = launches};
  return prompt_time(pipeline, std::vector(parts, Seconds(static_cast<double>(gpus))));
}

TEST(PromptPipeline, PartsFollowOneAnotherWhileLaunchesHaveRoom) {
  EXPECT_NEAR(time_of(40, 4, 1).value(), 4, 1e-9);
  EXPECT_NEAR(time_of(40, 4, 16).value(), 19, 1e-9);
  EXPECT_NEAR(time_of(40, 8, 5).value(), 12, 1e-9);
  EXPECT_NEAR(time_of(40, 8, 6).value(), 16, 1e-9) << "issued once the first has left the last GPU";
}

TEST(PromptPipeline, AHostWithoutRoomForItsLaunchesWaits) {
  // A GPU has room for half of its launches: the host goes on to the next GPU when this one has begun the other half.
  EXPECT_NEAR(time_of(2 * 1800, 2, 2).value(), 2 + 1.5, 1e-2);
  EXPECT_NEAR(time_of(2 * 1e5, 2, 10).value(), 20, 0.2) << "as good as none";
}

RC_GTEST_PROP(PromptPipeline, IsNoFasterThanItsBusiestGpuAndNoSlowerThanOneAfterAnother, ()) {
  const auto layers = *rc::gen::inRange<std::int64_t>(1, 100), gpus = *rc::gen::inRange<std::int64_t>(1, 9);
  const auto count = *rc::gen::inRange<std::size_t>(1, 12);
  const PromptPipeline pipeline = {.shares = layer_shares(layers, gpus),
                                   .launches = static_cast<double>(*rc::gen::inRange(1, 5000))};
  const std::vector<Seconds> parts(count, Seconds(1));
  const double time = prompt_time(pipeline, parts).value();
  const double all = static_cast<double>(count);
  RC_ASSERT(time <= all * (1 + 1e-9));
  RC_ASSERT(time >= *std::max_element(pipeline.shares.begin(), pipeline.shares.end()) * all * (1 - 1e-9));
}

}  // namespace
}  // namespace rooftile
