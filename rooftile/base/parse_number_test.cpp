#include "rooftile/base/parse_number.hpp"

#include <cstdint>
#include <string_view>

#include <gtest/gtest.h>

namespace rooftile {
namespace {

TEST(ParseNumber, TakesTheWholeText) {
  EXPECT_EQ(parse_number("1.5e-3"), 1.5e-3);
  EXPECT_EQ(parse_number<int>("-3"), -3);
  for (const char* text : {"", " 1", "1 ", "1x", "x", "1,5", "+1", "inf", "nan", "1e999"}) {
    EXPECT_EQ(parse_number(text), std::nullopt) << text;
  }
  EXPECT_EQ(parse_number<std::int64_t>("1.5"), std::nullopt);
  EXPECT_EQ(parse_number<std::int64_t>("99999999999999999999"), std::nullopt);
}

TEST(ParseNumber, TakesTheNumberThatBeginsAText) {
  std::string_view text = "12 ms";
  EXPECT_EQ(take_number<double>(text), 12);
  EXPECT_EQ(text, " ms");
  EXPECT_EQ(take_number<double>(text), std::nullopt);
  EXPECT_EQ(text, " ms");
  std::string_view endless = "infinite";
  EXPECT_EQ(take_number<double>(endless), std::nullopt);
  EXPECT_EQ(endless, "infinite");
}

}  // namespace
}  // namespace rooftile
