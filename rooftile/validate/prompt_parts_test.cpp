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

TEST(PromptParts, TimesGrowEvenlyWithWhatIsCached) {
  const auto parts = prompt_parts("llama.cpp", 512 * 4 + 100);
  const std::vector<Seconds> predicted = {Seconds(1), Seconds(2), Seconds(4), Seconds(1)};
  ASSERT_EQ(parts.size(), predicted.size());
  const std::vector<Seconds> all = {Seconds(1), Seconds(2), Seconds(3), Seconds(4), Seconds(1)};
  EXPECT_EQ(part_times(parts, predicted), all);
}

TEST(PromptParts, LongPromptsHaveFewerThatGrowAlike) {
  const auto parts = prompt_parts("llama.cpp", 512LL * 1000000);
  const std::vector<Seconds> times = part_times(parts, std::vector{Seconds(1), Seconds(2), Seconds(1000)});
  EXPECT_LT(times.size(), 300u);
  EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
  EXPECT_EQ(times.back(), Seconds(1000));
}

}  // namespace
}  // namespace rooftile
