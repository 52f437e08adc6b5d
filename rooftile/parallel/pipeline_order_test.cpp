#include "rooftile/parallel/pipeline_order.hpp"

#include <set>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

namespace rooftile {
namespace {

std::string text_of(const std::vector<PipelineStep>& order) {
  std::string text;
  for (const PipelineStep& step : order) text += (step.backward ? "B" : "F") + std::to_string(step.micro_batch) + " ";
  return text;
}

// Narayanan et al., SC21, figure 4 (top): four stages.
TEST(PipelineOrder, IsOneForwardOneBackward) {
  Parallelism way;
  way.pp = 4, way.micro_batches = 5;
  EXPECT_EQ(text_of(pipeline_order(way, 0)), "F0 F1 F2 F3 B0 F4 B1 B2 B3 B4 ");
  EXPECT_EQ(text_of(pipeline_order(way, 3)), "F0 B0 F1 B1 F2 B2 F3 B3 F4 B4 ");
}

TEST(PipelineOrder, RunsEveryPartOfEveryMicroBatchOnceEachWay) {
  for (const int parts : {1, 2, 3}) {
    Parallelism way;
    way.pp = 4, way.vp = parts, way.micro_batches = 8;
    for (int stage = 0; stage < way.pp; ++stage) {
      std::set<std::tuple<bool, int, int>> seen;
      for (const PipelineStep& step : pipeline_order(way, stage)) {
        EXPECT_TRUE(seen.emplace(step.backward, step.micro_batch, step.part).second);
        if (step.backward) {
          EXPECT_TRUE(seen.contains({false, step.micro_batch, step.part})) << "gradients need what they follow from";
        }
      }
      EXPECT_EQ(seen.size(), 2U * 8 * static_cast<unsigned>(parts));
    }
  }
}

}  // namespace
}  // namespace rooftile
