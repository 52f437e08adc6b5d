#include "rooftile/ops/touched.hpp"

#include <cstdint>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "rooftile/workload/conv_geometry.hpp"

namespace rooftile {
namespace {

// Walks every window.
double count(const ConvAxis& axis, std::int64_t outputs) {
  std::set<std::int64_t> positions;
  for (std::int64_t o = 0; o < outputs; ++o) {
    for (std::int64_t r = 0; r < axis.filter; ++r) {
      const std::int64_t position = o * axis.stride + r * axis.dilation - axis.pad_begin;
      if (position >= 0 && position < axis.in) positions.insert(position);
    }
  }
  return static_cast<double>(positions.size());
}

double touched(const ConvAxis& axis) { return touched_positions(axis, out_positions(axis, false)); }

TEST(Touched, AStrideBeyondTheFilterSkipsInputs) {
  // Positions 0, 2, … 54 of 56.
  EXPECT_EQ(touched({.in = 56, .filter = 1, .stride = 2}), 28);
}

TEST(Touched, WindowsThatLieInThePaddingTouchNothing) {
  // Windows at -2, 1, 4, 7 and 10 of a 10-long input: three of the five touch it.
  EXPECT_EQ(touched({.in = 10, .filter = 1, .stride = 3, .pad_begin = 2, .pad_end = 2}), 3);
  // The only window, -4 to -2, lies in the padding.
  EXPECT_EQ(touched({.in = 1, .filter = 3, .stride = 3, .pad_begin = 4}), 0);
}

TEST(Touched, AgreesWithEnumeration) {
  EXPECT_TRUE(rc::check([] {
    const ConvAxis axis = {.in = *rc::gen::inRange(1, 24),
                           .filter = *rc::gen::inRange(1, 7),
                           .stride = *rc::gen::inRange(1, 9),
                           .dilation = *rc::gen::inRange(1, 7),
                           .pad_begin = *rc::gen::inRange(-2, 12),
                           .pad_end = *rc::gen::inRange(-2, 12)};
    RC_PRE(out_positions(axis, false) >= 1);
    RC_ASSERT(touched(axis) == count(axis, out_positions(axis, false)));
  }));
}

TEST(Touched, HugeAxesAreExactAndQuick) {
  constexpr std::int64_t k2p30 = std::int64_t{1} << 30;
  // Two windows of every second position, one position apart, touch the whole padded axis; half of it is padding.
  EXPECT_EQ(
      touched({.in = k2p30, .filter = k2p30, .stride = 1, .dilation = 2, .pad_begin = k2p30 / 2, .pad_end = k2p30 / 2}),
      k2p30);
  // Windows of 2^29 taps every 2^29 + 1 positions: 2^29 of padding hides the first, the second loses no tap.
  EXPECT_EQ(touched({.in = k2p30, .filter = k2p30 / 2, .stride = k2p30 / 2 + 1, .pad_begin = k2p30 / 2}), k2p30 / 2);
}

}  // namespace
}  // namespace rooftile
