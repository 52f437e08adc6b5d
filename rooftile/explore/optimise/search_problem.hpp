// What an optimiser solves: variables, and a function that tries blocks of points.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "rooftile/explore/optimise/search_axis.hpp"

namespace rooftile {

// What came of a point.
struct Trial {
  std::vector<double> objectives;  // to be made small; finite where `possible`
  // Of each constraint how far the point is beyond it, as a share of the bound; negative is slack. A constraint that
  // only says yes or no has -1 and 1.
  std::vector<double> excess;
  bool possible = false;  // objectives and excess are known

  // By how much constraints are broken together; zero: the point is feasible.
  double violation() const {
    if (!possible) return std::numeric_limits<double>::infinity();
    return std::accumulate(excess.begin(), excess.end(), 0.0,
                           [](double sum, double one) { return sum + std::max(one, 0.0); });
  }
  bool feasible() const { return violation() == 0; }
};

// Feasible points before others, those by their objective, the others by how far they are from feasible (Deb, "An
// efficient constraint handling method for genetic algorithms", 2000).
inline bool better(const Trial& a, const Trial& b, std::size_t objective) {
  const double a_violation = a.violation(), b_violation = b.violation();
  if (a_violation != b_violation) return a_violation < b_violation;
  return a.possible && a.objectives[objective] < b.objectives[objective];
}

class SearchProblem {
 public:
  virtual ~SearchProblem() = default;
  virtual const std::vector<SearchAxis>& axes() const = 0;
  virtual std::size_t objectives() const = 0;
  // One trial a point. Not for two threads at once; what comes of a point depends on nothing else.
  virtual void evaluate(std::span<const SearchPoint> points, std::span<Trial> trials) = 0;
};

}  // namespace rooftile
