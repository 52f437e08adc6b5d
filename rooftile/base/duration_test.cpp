#include "rooftile/base/duration.hpp"

#include <gtest/gtest.h>

namespace rooftile {
namespace {

TEST(Duration, ReadsAndPrints) {
  EXPECT_EQ(parse_duration("12h").value(), Seconds(43200));
  EXPECT_EQ(parse_duration("1.5 d").value(), Seconds(129600));
  EXPECT_EQ(parse_duration("90min").value(), Seconds(5400));
  EXPECT_EQ(parse_duration("2y").value(), parse_duration("730d").value());
  for (const char* bad : {"", "12", "h", "-1h", "0 s", "nan h", "inf h", "1e300 w", "12 hours", "12  h"}) {
    EXPECT_FALSE(parse_duration(bad)) << bad;
  }
  EXPECT_EQ(print_duration(Seconds(43200)), "12 h");
  EXPECT_EQ(print_duration(Seconds(90)), "1.5 min");
  EXPECT_EQ(parse_duration("0 h", true).value(), Seconds(0));
  EXPECT_FALSE(parse_duration("-1 h", true));
  EXPECT_EQ(print_duration(Seconds(0)), "0");
  EXPECT_EQ(print_duration(Seconds(9e7)), "1042 d");
  EXPECT_EQ(print_duration(Seconds(1e9)), "31.7 years");
  EXPECT_EQ(print_duration(Seconds(1e15)), "31688088 years");
}

}  // namespace
}  // namespace rooftile
