#include "rooftile/learn/constants/middle_harness.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>

namespace rooftile {
namespace {

// The geometric mean, of what is less than `least` as of `least` more. An arithmetic one would fit nobody: one
// machine's calls take 87 us, two others' less than 1.
template <class Field>
Field middle_of(const std::vector<Harness>& harnesses, Field Harness::*field, Field least) {
  double sum = 0;
  for (const Harness& harness : harnesses) sum += std::log((harness.*field + least) / least);
  return least * (std::exp(sum / static_cast<double>(harnesses.size())) - 1);
}

bool most_rotate(const std::vector<Harness>& harnesses) {
  const auto rotating = std::count_if(harnesses.begin(), harnesses.end(), [](const Harness& h) { return h.rotates; });
  return 2 * static_cast<std::size_t>(rotating) > harnesses.size();
}

OverheadRange range_of(const std::vector<Harness>& harnesses) {
  const Harness& first = harnesses.front();
  OverheadRange range{first.overhead, first.overhead, first.floor, first.floor};
  for (const Harness& harness : harnesses) {
    range.overhead_low = std::min(range.overhead_low, harness.overhead);
    range.overhead_high = std::max(range.overhead_high, harness.overhead);
    range.floor_low = std::min(range.floor_low, harness.floor);
    range.floor_high = std::max(range.floor_high, harness.floor);
  }
  return range;
}

Harness middle(const std::string& framework, const std::vector<Harness>& harnesses) {
  constexpr Seconds kMicro(1e-6);
  constexpr double kSets = 1, kLaunches = 0.1;
  return {.family = harnesses.front().family,
          .framework = framework,
          .gpu = "",
          .overhead = middle_of(harnesses, &Harness::overhead, kMicro),
          .floor = middle_of(harnesses, &Harness::floor, kMicro),
          .weight_sets = middle_of(harnesses, &Harness::weight_sets, kSets),
          .rotates = most_rotate(harnesses),
          .step_launches = middle_of(harnesses, &Harness::step_launches, kLaunches),
          .range = range_of(harnesses)};
}

}  // namespace

std::vector<Harness> middle_harnesses(const std::vector<Harness>& measured) {
  std::map<std::string, std::vector<Harness>> by_framework;
  for (const Harness& harness : measured) {
    by_framework[harness.framework].push_back(harness);
    const std::size_t slash = harness.framework.find('/');
    if (slash != std::string::npos) by_framework[harness.framework.substr(0, slash)].push_back(harness);
  }
  std::vector<Harness> middles;
  for (const auto& [framework, harnesses] : by_framework) middles.push_back(middle(framework, harnesses));
  return middles;
}

Harness foreign_harness(const Harness& own, const std::vector<Harness>& measured) {
  std::vector<Harness> others, same;
  for (const Harness& harness : measured) {
    if (harness.framework == own.framework) (harness.gpu == own.gpu ? same : others).push_back(harness);
  }
  return middle(own.framework, others.empty() ? same : others);
}

}  // namespace rooftile
