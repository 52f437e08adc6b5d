#include "rooftile/workload/pass.hpp"

#include <gtest/gtest.h>

namespace rooftile {
namespace {

TEST(PassName, ReadsBack) {
  for (const Pass pass : {Pass::fwd, Pass::bwd_data, Pass::bwd_weight}) EXPECT_EQ(parse_pass(name_of(pass)), pass);
  EXPECT_EQ(parse_pass("inference"), Pass::fwd);
  EXPECT_EQ(parse_pass("forward"), Pass::fwd);
}

TEST(PassName, SumsOfPassesAreNone) {
  for (const char* text : {"", "bwd", "step", "fwd_bwd", "FWD"}) EXPECT_FALSE(parse_pass(text)) << text;
}

}  // namespace
}  // namespace rooftile
