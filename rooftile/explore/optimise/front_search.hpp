// Several objectives at once: the trials that no other beats in all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rooftile/explore/optimise/trials.hpp"

namespace rooftile {

struct FrontSearchOptions {
  std::uint64_t seed = 1;
  std::size_t samples = 0;               // spread evenly first
  std::vector<SearchPoint> starts = {};  // besides them
};

// Whether `a` is as good as `b` in every objective and better in one.
bool dominates(const Trial& a, const Trial& b);

// The least of each objective alone (local_search()) with a third of the trials, then neighbours of designs of the
// front, of those first that stand apart (Pareto local search; Paquete, Chiarandini and Stützle, 2004; crowding as in
// NSGA-II), until the trials are used up. Returns places of feasible trials that none other dominates; of equal ones
// the first. Sorted by the first objective.
std::vector<std::size_t> front_search(Trials& trials, const FrontSearchOptions& options);

}  // namespace rooftile
