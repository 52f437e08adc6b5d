#include "rooftile/validate/prompt_parts.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace rooftile {
namespace {

TEST(PromptParts, EnginesReadAPromptAtOnce) {
  const auto parts = prompt_parts("TensorRT-LLM 0.9", 2048);
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].positions, 2048);
  EXPECT_FALSE(parts[0].context);
}

RC_GTEST_PROP(PromptParts, LlamaCppReadsEveryPositionOnce, ()) {
  const std::int64_t tokens = *rc::gen::inRange<std::int64_t>(1, 100000);
  double positions = 0;
  for (const PromptPart& part : prompt_parts("llama.cpp", tokens)) {
    RC_ASSERT(part.positions <= 512);
    RC_ASSERT(part.context.value_or(0) + part.positions <= tokens);
    positions += part.times * static_cast<double>(part.positions);
  }
  RC_ASSERT(positions == static_cast<double>(tokens));
}

TEST(PromptParts, FollowOneAnotherOverSeveralGpus) {
  EXPECT_EQ(last_part_enters(1, 8), 0);
  EXPECT_EQ(last_part_enters(4, 8), 3);
  EXPECT_EQ(last_part_enters(5, 8), 8) << "four parts at most are in flight";
  EXPECT_EQ(last_part_enters(8, 8), 11);
  EXPECT_EQ(last_part_enters(16, 1), 15);
  EXPECT_EQ(last_part_enters(16, 4), 15);
}

RC_GTEST_PROP(PromptParts, AreAsPlayedOut, ()) {
  const auto parts = *rc::gen::inRange<std::int64_t>(1, 100), gpus = *rc::gen::inRange<std::int64_t>(1, 20);
  std::vector<std::int64_t> enters = {0};
  for (std::size_t i = 1; i < static_cast<std::size_t>(parts); ++i) {
    enters.push_back(enters[i - 1] + 1);
    if (i >= 4) enters[i] = std::max(enters[i], enters[i - 4] + gpus);
  }
  RC_ASSERT(last_part_enters(parts, gpus) == static_cast<double>(enters.back()));
}

}  // namespace
}  // namespace rooftile
