#include "rooftile/workload/phase.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rooftile {
namespace {

using testing::ElementsAre;

TEST(Phase, NamesReadBack) {
  for (const std::string& name : phase_names()) EXPECT_TRUE(parse_phase(name).has_value()) << name;
  for (const Phase phase : {Phase::fwd, Phase::bwd_data, Phase::bwd_weight, Phase::bwd, Phase::fwd_bwd, Phase::step}) {
    EXPECT_EQ(parse_phase(name_of(phase)), phase);
  }
  EXPECT_EQ(parse_phase("inference"), Phase::fwd);
  EXPECT_EQ(parse_phase("training"), Phase::step);
  EXPECT_EQ(parse_phase("train"), Phase::step);
  EXPECT_EQ(parse_phase("forward"), Phase::fwd);
  EXPECT_EQ(parse_phase("backward"), Phase::bwd);
  EXPECT_EQ(parse_phase(""), std::nullopt);
}

TEST(Phase, RunsItsPassesInOrder) {
  EXPECT_THAT(passes_of(Phase::fwd), ElementsAre(Pass::fwd));
  EXPECT_THAT(passes_of(Phase::bwd_data), ElementsAre(Pass::bwd_data));
  EXPECT_THAT(passes_of(Phase::bwd_weight), ElementsAre(Pass::bwd_weight));
  EXPECT_THAT(passes_of(Phase::bwd), ElementsAre(Pass::bwd_data, Pass::bwd_weight));
  EXPECT_THAT(passes_of(Phase::step), ElementsAre(Pass::fwd, Pass::bwd_data, Pass::bwd_weight));
}

}  // namespace
}  // namespace rooftile
