// The least of one objective: descents from many starts, each by ever shorter steps of one and two variables at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "rooftile/explore/optimise/trials.hpp"

namespace rooftile {

// What of a possible trial is to be small.
using Aim = std::function<double(const Trial&)>;

struct LocalSearchOptions {
  std::uint64_t seed = 1;
  std::size_t samples = 0;               // spread evenly first
  std::vector<SearchPoint> starts = {};  // besides them
  bool one_descent = false;              // from the best start alone; else until the trials are used up
};

// Returns the place of the best among all trials. None: no trial was left.
std::optional<std::size_t> local_search(Trials& trials, const Aim& aim, const LocalSearchOptions& options);

}  // namespace rooftile
