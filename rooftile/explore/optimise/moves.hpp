// Steps from a point to its neighbours: of one variable, and of two at once, which walk along a constraint that binds.
#pragma once

#include <span>
#include <vector>

#include "rooftile/explore/optimise/random_source.hpp"
#include "rooftile/explore/optimise/search_axis.hpp"

namespace rooftile {

// Steps of scale coarsest() go about half of each axis; each smaller scale halves them, down to the next value of a
// list or a whole number, and to about a ten-thousandth of a continuous range. So steps of one scale are like shares of
// their axes, and an axis of few values keeps stepping by one beside ever finer steps of others.
class Moves {
 public:
  explicit Moves(std::span<const SearchAxis> axes);

  int coarsest() const { return coarsest_; }  // beyond it steps only leave the space

  // Every neighbour one axis away at `scale`, and every one two axes away of which the longer step is of `scale` and
  // the other shorter by at most `spread` scales. In random order, each once, none is the point.
  std::vector<SearchPoint> neighbours(const SearchPoint& point, int scale, int spread, RandomSource& random) const;

 private:
  // The coordinate after a step; NaN where there is none.
  double moved(std::size_t axis, double coordinate, int scale, bool up) const;

  std::span<const SearchAxis> axes_;
  std::vector<int> scales_;  // of each axis, beyond the finest
  int coarsest_ = 0;
};

}  // namespace rooftile
