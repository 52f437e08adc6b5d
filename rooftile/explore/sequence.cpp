#include "rooftile/explore/sequence.hpp"

#include <boost/random/sobol.hpp>

namespace rooftile {
namespace {

// The upper 53 bits as a fraction of one.
double fraction(std::uint64_t bits) {
  constexpr double kUnit = 0x1p-53;
  return static_cast<double>(bits >> 11U) * kUnit;
}

std::uint64_t mixed(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15U;
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}

}  // namespace

void random_places(std::uint64_t seed, std::size_t dimension, std::uint64_t first, std::span<double> places) {
  const std::uint64_t stream = mixed(mixed(seed) + dimension);
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = fraction(mixed(stream ^ (first + i)));
}

SobolPoints::SobolPoints(std::size_t dimensions, std::uint64_t first, std::size_t count)
    : dimensions_(dimensions), bits_(dimensions * count) {
  if (dimensions == 0) return;
  boost::random::sobol engine(dimensions);
  engine.seed(first);
  for (std::uint64_t& bits : bits_) bits = engine();
}

void SobolPoints::coordinates(std::size_t dimension, std::uint64_t seed, std::span<double> places) const {
  const std::uint64_t shift = seed == 0 ? 0 : mixed(mixed(seed) + dimension);
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = fraction(bits_[i * dimensions_ + dimension] ^ shift);
}

}  // namespace rooftile
