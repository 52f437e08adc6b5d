#include "rooftile/explore/number_text.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace rooftile {
namespace {

std::string written(double number) {
  std::array<char, kLongestNumber> text{};
  return {text.data(), write_number(text.data(), number)};
}

std::string by_library(double number) {
  std::array<char, kLongestNumber> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), number).ptr};
}

TEST(NumberText, IsTheShortestThatReadsBack) {
  EXPECT_EQ(written(0), "0");
  EXPECT_EQ(written(0.1), "0.1");
  EXPECT_EQ(written(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(written(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(written(123.456), "123.456");
  EXPECT_EQ(written(65536), "65536");
  EXPECT_EQ(written(4.8e11), "4.8e+11");
  EXPECT_EQ(written(5e-7), "5e-07");
  EXPECT_EQ(written(1.25e-5), "1.25e-05");
}

// Powers of two and their neighbours, numbers at the ends of what is exact, and what is no number.
TEST(NumberText, IsThatOfTheLibraryAtTheEdges) {
  for (int exponent = -1074; exponent < 1024; ++exponent) {
    const double power = std::ldexp(1.0, exponent);
    for (const double number : {power, std::nextafter(power, 0.0), std::nextafter(power, HUGE_VAL), -power}) {
      EXPECT_EQ(written(number), by_library(number));
    }
  }
  for (int exponent = -60; exponent < 60; ++exponent) {
    const double power = std::pow(10.0, exponent);
    for (const double number : {power, std::nextafter(power, 0.0), std::nextafter(power, HUGE_VAL), 25 * power}) {
      EXPECT_EQ(written(number), by_library(number));
    }
  }
  using Limits = std::numeric_limits<double>;
  for (const double number : {-0.0, Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(), Limits::max()}) {
    EXPECT_EQ(written(number), by_library(number));
  }
}

RC_GTEST_PROP(NumberText, IsThatOfTheLibraryForAllBits, (std::uint64_t bits)) {
  const auto number = std::bit_cast<double>(bits);
  RC_ASSERT(written(number) == by_library(number));
}

// Times, bandwidths and counts: mantissas of any length from 1e-20 to 1e20.
RC_GTEST_PROP(NumberText, IsThatOfTheLibraryForNumbersOfUse, (std::int64_t digits)) {
  const int shift = *rc::gen::inRange(0, 63);
  const int exponent = *rc::gen::inRange(-20, 3);
  const double number = static_cast<double>(digits >> shift) * std::pow(10.0, exponent);
  RC_ASSERT(written(number) == by_library(number));
}

}  // namespace
}  // namespace rooftile
