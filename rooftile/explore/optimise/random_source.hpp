// Random numbers that are the same on every machine for a seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

namespace rooftile {

// The standard library's engines are alike everywhere, its distributions are not.
class RandomSource {
 public:
  explicit RandomSource(std::uint64_t seed) : engine_(seed) {}

  // From 0 to 1 exclusive.
  double place() { return static_cast<double>(engine_() >> 11U) * 0x1p-53; }
  // From 0 to count exclusive.
  std::size_t index(std::size_t count) { return static_cast<std::size_t>(place() * static_cast<double>(count)); }

 private:
  std::mt19937_64 engine_;
};

}  // namespace rooftile
