// What constraints are worth at an optimum: how much lower the objective gets when a limit is looser.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "rooftile/explore/optimise/trials.hpp"

namespace rooftile {

struct LimitWorth {
  double excess = 0;  // at the optimum; negative: its slack, as a share of the bound
  // The least objective found with the bound looser by 1 % and by 10 % (nothing changes of a limit that only says yes
  // or no), and without it.
  double looser_1 = 0, looser_10 = 0, without = 0;

  // Whether the objective would be lower without it.
  bool binds(double objective) const;
};

struct WorthOptions {
  std::size_t evaluations = 1000;  // for each change of a limit
  std::uint64_t seed = 1;
  const std::atomic<bool>* stop = nullptr;
};

// Of the first objective at `best`, a feasible entry of `trials`. Each change of a limit is solved anew from the best
// of what was tried, so the answers are as good as the search is. One a limit. `tried` grows by the trials made.
std::vector<LimitWorth> limit_worths(const Trials& trials, std::size_t best, const WorthOptions& options,
                                     std::size_t& tried);

// The coordinate one value on; of a continuous axis a hundredth of its range. None: there is no other.
std::optional<double> neighbour_of(const SearchAxis& axis, double coordinate, bool up);

}  // namespace rooftile
