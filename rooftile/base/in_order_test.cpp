#include "rooftile/base/in_order.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rooftile {
namespace {

using testing::ElementsAre;

TEST(InOrder, ElementsComeAsOftenAsTheOrderSays) {
  const std::vector<std::string> elements = {"a", "b"};
  const std::vector<std::uint32_t> order = {0, 1, 0, 0};
  const InOrder<std::string> all(elements, order);
  EXPECT_EQ(all.size(), 4U);
  EXPECT_THAT(std::vector<std::string>(all.begin(), all.end()), ElementsAre("a", "b", "a", "a"));
  const InOrder<std::string> two = all.first(2);
  EXPECT_THAT(std::vector<std::string>(two.begin(), two.end()), ElementsAre("a", "b"));
  EXPECT_EQ(all.first(0).size(), 0U);
}

TEST(InOrder, WithoutAnOrderEachComesOnce) {
  const std::vector<std::string> elements = {"a", "b"};
  const InOrder<std::string> all = elements;
  EXPECT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1], "b");
  EXPECT_EQ(all.first(1).size(), 1U);
}

}  // namespace
}  // namespace rooftile
