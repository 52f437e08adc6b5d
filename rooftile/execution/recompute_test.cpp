#include "rooftile/execution/recompute.hpp"

#include <gtest/gtest.h>

namespace rooftile {
namespace {

TEST(Recompute, NamesAreReadBack) {
  for (const std::string& name : recompute_names()) EXPECT_EQ(name_of(*parse_recompute(name)), name);
  EXPECT_FALSE(parse_recompute("some"));
}

}  // namespace
}  // namespace rooftile
