#include "rooftile/learn/constants/middle_harness.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

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
  OverheadRange range{first.overhead, first.overhead,      first.floor,
                      first.floor,    first.step_launches, first.step_launches};
  for (const Harness& harness : harnesses) {
    range.overhead_low = std::min(range.overhead_low, harness.overhead);
    range.overhead_high = std::max(range.overhead_high, harness.overhead);
    range.floor_low = std::min(range.floor_low, harness.floor);
    range.floor_high = std::max(range.floor_high, harness.floor);
    range.launches_low = std::min(range.launches_low, harness.step_launches);
    range.launches_high = std::max(range.launches_high, harness.step_launches);
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
          .flushes = harnesses.front().flushes,  // as all of that name
          .range = range_of(harnesses)};
}

}  // namespace

std::vector<Harness> middle_harnesses(std::string_view vendor, const std::vector<MeasuredHarness>& measured) {
  std::map<std::string_view, std::vector<Harness>> by_name;
  for (const MeasuredHarness& one : measured) {
    if (one.vendor != vendor) continue;
    for (const std::string_view name : names_of_call(one.harness.family, one.harness.framework)) {
      by_name[name].push_back(one.harness);
    }
  }
  std::vector<Harness> middles;
  for (const auto& [name, harnesses] : by_name) middles.push_back(middle(std::string(name), harnesses));
  return middles;
}

}  // namespace rooftile
