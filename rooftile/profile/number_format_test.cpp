#include "rooftile/profile/number_format.hpp"

#include <optional>

#include <gtest/gtest.h>

#include "rooftile/profile/metric_unit.hpp"

namespace rooftile::profile {
namespace {

TEST(NumberFormat, GroupsAndDecimalsByLocale) {
  EXPECT_EQ(parse_number("1,234.5", DecimalSign::point), 1234.5);
  EXPECT_EQ(parse_number("1.234,5", DecimalSign::comma), 1234.5);
  EXPECT_EQ(parse_number("1 234,5", DecimalSign::comma), 1234.5);
  EXPECT_EQ(parse_number("1\u00a0234\u00a0567", DecimalSign::comma), 1234567);
  EXPECT_EQ(parse_number("1\u202f234,5", DecimalSign::comma), 1234.5);
  EXPECT_EQ(parse_number("1'234.5", DecimalSign::point), 1234.5);
  EXPECT_EQ(parse_number("27.595.520", DecimalSign::comma), 27595520);
  EXPECT_EQ(parse_number("10240000", DecimalSign::point), 10240000);
  EXPECT_EQ(parse_number("4.0e-05", DecimalSign::point), 4e-5);
  EXPECT_EQ(parse_number("-1,000", DecimalSign::point), -1000);
}

TEST(NumberFormat, RefusesWhatIsGroupedWrong) {
  for (const char* text :
       {"", "1,23", "12,34,567", "1,2345", ",123", "1.2.3", "1,234,", "abc", "1,234.5,6", "1 2", "0x10", "12 GB"}) {
    EXPECT_EQ(parse_number(text, DecimalSign::point), std::nullopt) << text;
  }
  EXPECT_EQ(parse_number("1,234.5", DecimalSign::comma), std::nullopt);
}

TEST(NumberFormat, SaysWhatItTellsOfTheLocale) {
  const auto sign = [](const char* text) { return decimal_evidence(text).sign; };
  EXPECT_EQ(sign("65,77"), DecimalSign::comma);
  EXPECT_EQ(sign("27.595.520"), DecimalSign::comma);
  EXPECT_EQ(sign("1,234.5"), DecimalSign::point);
  EXPECT_EQ(sign("0.244"), DecimalSign::point);
  EXPECT_EQ(sign("1234.567"), DecimalSign::point);
  EXPECT_EQ(sign("4.000e-05"), DecimalSign::point);
  EXPECT_EQ(sign("117.344"), std::nullopt);
  EXPECT_TRUE(decimal_evidence("117.344").ambiguous);
  EXPECT_FALSE(decimal_evidence("1234").ambiguous);
  EXPECT_EQ(sign("sm_80.x"), std::nullopt);
}

TEST(MetricUnit, ScalesToBaseUnits) {
  EXPECT_EQ(unit_factor("byte"), 1);
  EXPECT_EQ(unit_factor("Kbyte"), 1e3);
  EXPECT_EQ(unit_factor("Gbyte/second"), 1e9);
  EXPECT_EQ(unit_factor("Gbyte/s"), 1e9);
  EXPECT_DOUBLE_EQ(unit_factor("nsecond"), 1e-9);
  EXPECT_DOUBLE_EQ(unit_factor("us"), 1e-6);
  EXPECT_DOUBLE_EQ(unit_factor("msecond"), 1e-3);
  EXPECT_DOUBLE_EQ(unit_factor("cycle/nsecond"), 1e9);
  EXPECT_EQ(unit_factor("%"), 1);
  EXPECT_EQ(unit_factor(""), 1);
  EXPECT_EQ(unit_factor("sector"), 1);
  EXPECT_EQ(unit_factor("inst"), 1);
  EXPECT_EQ(unit_factor("Ghz"), 1e9);
}

}  // namespace
}  // namespace rooftile::profile
