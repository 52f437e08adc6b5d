// The time of one operator with its breakdown and what limits it.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "rooftile/base/units.hpp"

namespace rooftile {

// What limits an operator. The order breaks ties: the first of equals wins.
// A kernel's are the first kBottlenecks; `link` limits collectives, which have no cases.
enum class Bottleneck { compute, smem, latency, l1, l2, dram, power, launch, link };
constexpr std::size_t kBottlenecks = 8;
std::string_view name_of(Bottleneck bottleneck);

// How an estimate was made. The first four can be asked for; stream and none are what operators other than convolution
// and GEMM get, whatever was asked for.
enum class Method {
  delta,     // DeLTA as published
  rooftile,  // refined
  roofline,  // arithmetic or bytes
  prior,     // DeLTA with fixed miss rates
  stream,    // bytes, arithmetic or the launch
  none,      // moves nothing, costs nothing
};
std::string_view name_of(Method method);

// The time if only one thing limited the operator, for each of them; zero where it plays no part.
struct TimeBounds {
  std::array<Seconds, kBottlenecks> by{};

  Seconds& operator[](Bottleneck which) { return by[static_cast<std::size_t>(which)]; }
  Seconds operator[](Bottleneck which) const { return by[static_cast<std::size_t>(which)]; }
};

// The largest case.
Bottleneck largest(const TimeBounds& cases);

}  // namespace rooftile
