// Intervals for rows of a group (a GPU, a harness, the large sizes) that no fit has seen, from groups that were left
// out of a fit one by one.
//
// ln(measured / predicted) of a row is its group's middle, by which all its rows are off together, and a rest. A new
// group's middle is drawn as those of the groups were: normal around 0, with a scale that few groups tell only roughly,
// whence Student's t. A row's rest is taken from the rests of all groups, each group with equal weight.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "rooftile/calibration/spread.hpp"

namespace rooftile {

using GroupResiduals = std::vector<std::vector<double>>;  // ln(measured / predicted), group by group

// Sum of the squares of what each of several groups is off by, and how many tell it.
struct Middles {
  double squares = 0;
  double count = 0;

  double scale() const;  // root mean square; 0 of none
  Middles& operator+=(const Middles& other);
};
Middles middles_of(const GroupResiduals& groups);

// The factor, either way, that holds nine of ten new groups. `usual` is what groups are off by elsewhere; it counts as
// two of them.
double common_factor(const Middles& middles, double usual);

// The interval of a row of a new group; none of fewer than 20 rows, which say nothing of tails. `rest_factor` widens
// the rests.
std::optional<Spread> spread_of(const GroupResiduals& groups, double common, double rest_factor = 1);

// By how much a scale that `count` groups tell has to be widened for one more.
double widening(double count);

}  // namespace rooftile
