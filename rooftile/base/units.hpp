// Quantities with their dimension in the type: adding bytes to seconds does not compile.
//
// A quantity is a double in base units (byte, second, FLOP, clock cycle, joule, US dollar). Products and ratios of
// quantities have the dimension that follows; a ratio of equals is a plain double.
//
//     const Seconds time = Bytes(1e9) / BytesPerSecond(500e9);
//     assert(time == Seconds(0.002));
//     assert(Flops(4e9) / time == FlopsPerSecond(2e12));
#pragma once

#include <compare>

namespace rooftile {

struct Dimension {
  int byte = 0, second = 0, flop = 0, cycle = 0, joule = 0, dollar = 0;
  constexpr bool operator==(const Dimension&) const = default;
};

constexpr Dimension operator*(Dimension a, Dimension b) {
  return {a.byte + b.byte,   a.second + b.second, a.flop + b.flop,
          a.cycle + b.cycle, a.joule + b.joule,   a.dollar + b.dollar};
}

constexpr Dimension operator/(Dimension a, Dimension b) {
  return {a.byte - b.byte,   a.second - b.second, a.flop - b.flop,
          a.cycle - b.cycle, a.joule - b.joule,   a.dollar - b.dollar};
}

template <Dimension D>
class Quantity {
 public:
  static constexpr Dimension dimension = D;

  constexpr Quantity() = default;
  constexpr explicit Quantity(double base_units) : value_(base_units) {}

  // The number of base units: bytes, seconds, FLOPs, cycles, and their ratios.
  constexpr double value() const { return value_; }

  constexpr Quantity& operator+=(Quantity other) { return value_ += other.value_, *this; }
  constexpr Quantity& operator-=(Quantity other) { return value_ -= other.value_, *this; }
  constexpr Quantity& operator*=(double factor) { return value_ *= factor, *this; }
  constexpr Quantity& operator/=(double divisor) { return value_ /= divisor, *this; }

  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity(a.value_ + b.value_); }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity(a.value_ - b.value_); }
  friend constexpr Quantity operator*(Quantity a, double factor) { return Quantity(a.value_ * factor); }
  friend constexpr Quantity operator*(double factor, Quantity a) { return Quantity(factor * a.value_); }
  friend constexpr Quantity operator/(Quantity a, double divisor) { return Quantity(a.value_ / divisor); }

  constexpr auto operator<=>(const Quantity&) const = default;

 private:
  double value_ = 0;
};

template <Dimension A, Dimension B>
constexpr auto operator*(Quantity<A> a, Quantity<B> b) {
  if constexpr (A * B == Dimension{}) {
    return a.value() * b.value();
  } else {
    return Quantity<A * B>(a.value() * b.value());
  }
}

template <Dimension A, Dimension B>
constexpr auto operator/(Quantity<A> a, Quantity<B> b) {
  if constexpr (A == B) {
    return a.value() / b.value();
  } else {
    return Quantity<A / B>(a.value() / b.value());
  }
}

using Bytes = Quantity<Dimension{.byte = 1}>;
using Seconds = Quantity<Dimension{.second = 1}>;
using Flops = Quantity<Dimension{.flop = 1}>;  // operations; a multiply-accumulate is two
using Cycles = Quantity<Dimension{.cycle = 1}>;
using Hertz = Quantity<Dimension{.second = -1, .cycle = 1}>;
using BytesPerSecond = Quantity<Dimension{.byte = 1, .second = -1}>;
using BytesPerCycle = Quantity<Dimension{.byte = 1, .cycle = -1}>;
using FlopsPerSecond = Quantity<Dimension{.second = -1, .flop = 1}>;
using FlopsPerCycle = Quantity<Dimension{.flop = 1, .cycle = -1}>;
using Watts = Quantity<Dimension{.second = -1, .joule = 1}>;
using Dollars = Quantity<Dimension{.dollar = 1}>;
using DollarsPerSecond = Quantity<Dimension{.second = -1, .dollar = 1}>;

}  // namespace rooftile
