// Points of a unit cube by their index: random ones, and those of a Sobol sequence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rooftile {

// Coordinate `dimension` of the random points [first, first + places.size()), each from 0 to 1 exclusive. A point is a
// function of seed and index alone (SplitMix64's finaliser; Steele, Lea and Flood, OOPSLA 2014).
void random_places(std::uint64_t seed, std::size_t dimension, std::uint64_t first, std::span<double> places);

// Points [first, first + count) of a Sobol sequence (Boost.Random's, with the direction numbers of Joe and Kuo).
class SobolPoints {
 public:
  SobolPoints(std::size_t dimensions, std::uint64_t first, std::size_t count);

  // Coordinate `dimension` of all points, from 0 to 1 exclusive. Seeds other than 0 shift them digit by digit, which
  // keeps their evenness and makes another sequence.
  void coordinates(std::size_t dimension, std::uint64_t seed, std::span<double> places) const;

 private:
  std::size_t dimensions_;
  std::vector<std::uint64_t> bits_;  // point after point
};

}  // namespace rooftile
