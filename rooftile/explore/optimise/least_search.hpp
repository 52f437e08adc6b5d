// The least of one objective by two searches that fail on different problems: NLopt's controlled random search, then
// descents from the best it found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "rooftile/explore/optimise/local_search.hpp"
#include "rooftile/explore/optimise/trials.hpp"

namespace rooftile {

struct LeastSearchOptions {
  std::uint64_t seed = 1;
  std::vector<SearchPoint> starts = {};  // tried first
};

// Uses up the trials. Three quarters of them go to CRS2 (Kaelo and Ali, "Some variants of the controlled random search
// algorithm", 2006; NLopt's) on coordinates rounded to what there is and limits as penalties, started anew when it has
// converged; half to local_search(). The place of the best; none: no trial was left. `aim` is positive.
std::optional<std::size_t> least_search(Trials& trials, const Aim& aim, const LeastSearchOptions& options);

}  // namespace rooftile
