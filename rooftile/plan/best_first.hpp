// The kernels and splits of a product in the order of what they take at least.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <limits>

#include "rooftile/base/rounded.hpp"
#include "rooftile/base/units.hpp"
#include "rooftile/plan/split_counts.hpp"
#include "rooftile/plan/tile_least.hpp"

namespace rooftile {

// A split that is likely to be fast is visited first, and nothing is counted of those that then cannot be faster.
class BestFirst {
 public:
  struct Candidate {
    std::size_t kernel;
    int split;
  };

  // No array is cleared, which takes as long as the search.
  explicit BestFirst(const SplitCounts& splits) : splits_(splits) {}  // NOLINT(cppcoreguidelines-pro-type-member-init)

  // A kernel that has `ctas`, each of which goes through the main loop `loops` times with `depth` steps of k, and whose
  // k can be split into as many parts as the first of `splits`, or any that follows up to `most`.
  void add(std::size_t kernel, const TileLeast& least, double ctas, double loops, double depth, double most) {
    assert(kernel_count_ < kMostKernels);
    const std::size_t splits = std::max<std::size_t>(splits_.up_to(most), 1);
    kernels_[kernel_count_++] = {kernel, least, ctas, loops, depth, loops * depth, splits};
  }

  // Calls `visit` with one after the other, of equals with the first first, until all that are left take no less than
  // it returned last.
  template <class Visit>
  void visit(const Visit& visit) {
    assert(kernel_count_ > 0);
    const Place first = guess();
    Seconds limit = visit(candidate_at(first));
    find_below(limit, first);
    for (std::size_t left = count_; left > 0; --left) {
      const double* next = std::min_element(least_.data(), least_.data() + count_);
      if (*next >= limit.value()) return;
      const auto which = static_cast<std::size_t>(next - least_.data());
      least_[which] = kDone;
      limit = visit(candidates_[which]);
    }
  }

 private:
  static constexpr std::size_t kMost = 256, kMostKernels = 16;
  static constexpr double kDone = std::numeric_limits<double>::infinity();

  struct Kernel {  // NOLINT(cppcoreguidelines-pro-type-member-init): by add(), of those that there are
    std::size_t index;
    TileLeast least;
    double ctas, loops, depth, steps;
    std::size_t splits;  // that it may have

    Seconds at(double parts, Seconds limit) const {
      return least.at(ctas * parts, rounded_up(loops / parts) * depth, parts, limit);
    }
  };

  struct Place {
    std::size_t kernel = 0, split = 0;  // of kernels_; of its splits
  };
  Candidate candidate_at(const Place& place) const {
    const Kernel& kernel = kernels_[place.kernel];
    return {kernel.index, splits_[place.split]};
  }

  // Of each kernel a split that is likely to take little, of the best of them those beside it.
  Place guess() const {
    Place best;
    Seconds least = kNoLimit;
    const auto consider = [&](const Place& place) {
      const Seconds time = kernels_[place.kernel].at(splits_[place.split], least);
      if (time >= least) return false;
      least = time;
      best = place;
      return true;
    };
    for (std::size_t i = 0; i < kernel_count_; ++i) {
      const Kernel& kernel = kernels_[i];
      const std::size_t likely = splits_.up_to(kernel.least.likely_split(kernel.ctas, kernel.steps));
      consider({i, std::clamp<std::size_t>(likely, 1, kernel.splits) - 1});
    }
    const Place start = best;
    while (best.split + 1 < kernels_[best.kernel].splits && consider({best.kernel, best.split + 1})) continue;
    if (best.split != start.split) return best;
    while (best.split > 0 && consider({best.kernel, best.split - 1})) continue;
    return best;
  }

  void find_below(Seconds limit, const Place& visited) {
    count_ = 0;
    for (std::size_t i = 0; i < kernel_count_; ++i) {
      const Kernel& kernel = kernels_[i];
      const TileLeast::Splits range = kernel.least.splits_below(limit, kernel.ctas, kernel.steps);
      const std::size_t end = std::min(splits_.up_to(range.most), kernel.splits);
      for (std::size_t split = splits_.below(range.least); split < end; ++split) {
        if (i == visited.kernel && split == visited.split) continue;
        const Seconds time = kernel.at(splits_[split], limit);
        if (time >= limit) continue;
        assert(count_ < kMost);
        least_[count_] = time.value();
        candidates_[count_++] = candidate_at({i, split});
      }
    }
  }

  const SplitCounts& splits_;
  std::array<Kernel, kMostKernels> kernels_;
  std::size_t kernel_count_ = 0;
  std::array<double, kMost> least_;
  std::array<Candidate, kMost> candidates_;
  std::size_t count_ = 0;
};

}  // namespace rooftile
