#include "rooftile/measure/micro_plan.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace rooftile::measure {
namespace {

bool near(double bytes, const std::vector<std::uint64_t>& capacities) {
  return std::any_of(capacities.begin(), capacities.end(), [&](std::uint64_t capacity) {
    return bytes >= 0.5 * static_cast<double>(capacity) && bytes <= 2.0 * static_cast<double>(capacity);
  });
}

}  // namespace

std::vector<std::uint64_t> working_sets(std::uint64_t low, std::uint64_t high, int per_octave,
                                        const std::vector<std::uint64_t>& capacities, std::uint64_t multiple) {
  std::vector<std::uint64_t> sets;
  const int fine = 2 * per_octave;
  for (int i = 0;; ++i) {
    const double exact = static_cast<double>(low) * std::exp2(static_cast<double>(i) / fine);
    const auto bytes = static_cast<std::uint64_t>(std::llround(exact / static_cast<double>(multiple))) * multiple;
    if (bytes > high) {
      return sets;
    }
    const bool wanted = i % 2 == 0 || near(exact, capacities);
    if (wanted && bytes > 0 && (sets.empty() || bytes > sets.back())) {
      sets.push_back(bytes);
    }
  }
}

std::vector<std::uint32_t> chase_order(std::uint64_t lines, std::uint64_t most, std::uint64_t seed) {
  const std::uint64_t group = (lines + most - 1) / most;
  std::vector<std::uint32_t> order;
  order.reserve(group == 0 ? 0 : lines / group);
  for (std::uint64_t first = 0; first + group <= lines && group > 0; first += group) {
    order.push_back(static_cast<std::uint32_t>(first + mix(seed ^ first) % group));
  }
  // Shuffling the order of visits gives each cyclic permutation the same chance, as Sattolo's algorithm does.
  for (std::size_t left = order.size(); left > 1; --left) {
    std::swap(order[left - 1], order[mix(seed + left) % left]);
  }
  return order;
}

std::uint32_t pattern_sum(std::uint64_t words) {
  // Sum of 2 a i + 1 over i < words: a words (words - 1) + words.
  return static_cast<std::uint32_t>(2654435761U * (words * (words - 1)) + words);
}

std::uint32_t walk_sum(std::uint64_t walkers, std::uint64_t steps, std::uint64_t segments) {
  // Together the warps visit the segments 0, 1, 2, … up to walkers x steps, again and again.
  const std::uint64_t visits = walkers * steps;
  const auto passes = static_cast<std::uint32_t>(visits / segments);
  return passes * pattern_sum(segments * segment_words) + pattern_sum(visits % segments * segment_words);
}

std::uint32_t grown_steps(std::uint32_t steps, double seconds, double target, std::uint32_t most) {
  const double wanted = seconds > 0 ? std::ceil(steps * target / seconds) : most;
  return static_cast<std::uint32_t>(
      std::clamp(wanted, static_cast<double>(std::min(steps, most)), static_cast<double>(most)));
}

}  // namespace rooftile::measure
