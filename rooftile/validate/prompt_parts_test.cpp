#include "rooftile/validate/prompt_parts.hpp"

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
  EXPECT_EQ(rounds_of_part(1), 1);
  EXPECT_EQ(rounds_of_part(4), 1);
  EXPECT_EQ(rounds_of_part(8), 2) << "four parts at most are on their way";
}

}  // namespace
}  // namespace rooftile
