// How far measured times lie from predicted ones where the constants had not seen the rows.
//
//     assert(widened({.low = 0.8, .high = 1.25}, 1.25).high == std::exp(std::sqrt(2) * std::log(1.25)));
#pragma once

namespace rooftile {

// Measured over predicted time: bounds of the middle 90 %.
struct Spread {
  double low = 1, high = 1;
  double common = 1;  // the part of it, either way, by which all rows of a GPU are off together; the rest is each row's
  bool operator==(const Spread&) const = default;
};

// ln of the widest bounds: a calibration may say no more than a factor of 1000 either way.
inline constexpr double kWidestSpread = 6.9;

// With a further error of up to `factor` either way that all rows share and that has nothing to do with the others.
Spread widened(const Spread& spread, double factor);

}  // namespace rooftile
