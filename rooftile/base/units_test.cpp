#include "rooftile/base/units.hpp"

#include <type_traits>

#include <gtest/gtest.h>

namespace rooftile {
namespace {

static_assert(std::is_same_v<decltype(Bytes(1) / Seconds(1)), BytesPerSecond>);
static_assert(std::is_same_v<decltype(Cycles(1) / Hertz(1)), Seconds>);
static_assert(std::is_same_v<decltype(Flops(1) / FlopsPerSecond(1)), Seconds>);
static_assert(std::is_same_v<decltype(BytesPerCycle(1) * Hertz(1)), BytesPerSecond>);
static_assert(std::is_same_v<decltype(Bytes(1) / Bytes(1)), double>);
static_assert(std::is_same_v<decltype(Seconds(1) * Hertz(1)), Cycles>);
static_assert(!std::is_convertible_v<double, Bytes>);
static_assert(!std::is_constructible_v<Bytes, Seconds>);

TEST(Units, ArithmeticKeepsBaseUnits) {
  EXPECT_EQ((Bytes(3) + Bytes(4)).value(), 7);
  EXPECT_EQ((Bytes(3) - Bytes(4)).value(), -1);
  EXPECT_EQ((2.0 * Bytes(3)).value(), 6);
  EXPECT_EQ((Bytes(3) / 2.0).value(), 1.5);
  EXPECT_EQ((Cycles(486) / Hertz(1.58e9)).value(), 486 / 1.58e9);
  EXPECT_EQ(Bytes(6) / Bytes(3), 2.0);
  Bytes bytes(1);
  bytes += Bytes(2);
  bytes *= 4;
  bytes -= Bytes(2);
  bytes /= 5;
  EXPECT_EQ(bytes, Bytes(2));
}

TEST(Units, Order) {
  EXPECT_LT(Seconds(1), Seconds(2));
  EXPECT_NE(Seconds(1), Seconds(2));
}

}  // namespace
}  // namespace rooftile
