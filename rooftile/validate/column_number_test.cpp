#include "rooftile/validate/column_number.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rooftile {
namespace {

double number(const char* column, const char* text) {
  const auto number = number_of_column(column, text);
  EXPECT_TRUE(number.has_value() && number->has_value()) << column << ", " << text;
  return number.value_or(0).value_or(0);
}

TEST(ColumnNumber, IsInTheUnitThatTheColumnsNameSays) {
  EXPECT_EQ(number("time_us", "466"), 466);
  EXPECT_EQ(number("time_us", "466us"), 466);
  EXPECT_EQ(number("time_us", "10 ms"), 10000);
  EXPECT_EQ(number("time_s", "10ms"), 0.01);
  EXPECT_EQ(number("latency_ms", "2 s"), 2000);
  EXPECT_EQ(number("memory_gib", "3GiB"), 3);
  EXPECT_EQ(number("capacity_gib", "512 MiB"), 0.5);
  EXPECT_EQ(number("dram_bytes_measured", "1 MB"), 1e6);
  EXPECT_EQ(number("sm_clock_mhz", "1.5GHz"), 1500);
  EXPECT_EQ(number("watts", "0.3kW"), 300);
  EXPECT_EQ(number("price_low_usd_per_hour", "2 USD/h"), 2);
  EXPECT_EQ(number("total_usd", "5USD"), 5);
}

TEST(ColumnNumber, CountsTakeDecimalPrefixes) {
  EXPECT_EQ(number("K", "1k"), 1000);
  EXPECT_EQ(number("batch_size", "2 M"), 2e6);
  EXPECT_EQ(number("throughput_per_s", "1.5k"), 1500);  // not seconds
}

TEST(ColumnNumber, TextIsNoNumberAndAWrongUnitIsAnError) {
  for (const char* text : {"t4", "", "1 kg", "3d", "2026-01-01"}) {
    const auto number = number_of_column("K", text);
    ASSERT_TRUE(number.has_value()) << text;
    EXPECT_FALSE(number->has_value()) << text;
  }
  const auto wrong = number_of_column("watts", "300 GiB");
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message,
              testing::StartsWith("'300 GiB' has a wrong or unknown unit; write a number and a unit: W, kW"));
}

}  // namespace
}  // namespace rooftile
