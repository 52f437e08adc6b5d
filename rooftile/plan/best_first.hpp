// The kernels and splits of a product in the order of what they take at least.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <limits>

#include "rooftile/base/units.hpp"

namespace rooftile {

class BestFirst {
 public:
  struct Candidate {
    std::size_t kernel;
    int split;
  };

  // No array is cleared, which takes as long as the search.
  BestFirst() {}  // NOLINT(modernize-use-equals-default,cppcoreguidelines-pro-type-member-init)

  void add(Seconds least, const Candidate& candidate) {
    assert(count_ < kMost);
    least_[count_] = least.value();
    candidates_[count_++] = candidate;
  }

  // Calls `visit` with one after the other, of equals with the first first, until all that are left take no less than
  // it returned last.
  template <class Visit>
  void visit(const Visit& visit) {
    Seconds limit(kDone);
    for (std::size_t left = count_; left > 0; --left) {
      const double* next = std::min_element(least_.data(), least_.data() + count_);
      if (*next >= limit.value()) return;
      const auto which = static_cast<std::size_t>(next - least_.data());
      least_[which] = kDone;
      limit = visit(candidates_[which]);
    }
  }

 private:
  static constexpr std::size_t kMost = 256;
  static constexpr double kDone = std::numeric_limits<double>::infinity();

  std::array<double, kMost> least_;
  std::array<Candidate, kMost> candidates_;
  std::size_t count_ = 0;
};

}  // namespace rooftile
