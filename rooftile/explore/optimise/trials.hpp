// The points that a search has tried: none twice, and no more than it may.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "rooftile/explore/optimise/search_problem.hpp"

namespace rooftile {

class Trials {
 public:
  struct Entry {
    SearchPoint point;
    Trial trial;
  };

  // `stop`, where set, ends the search as a budget does.
  Trials(SearchProblem& problem, std::size_t most, const std::atomic<bool>* stop = nullptr,
         std::function<void(std::size_t)> progress = {});

  // The places of the points among entries(); of those beyond what may be tried none.
  std::vector<std::optional<std::size_t>> add(std::span<const SearchPoint> points);

  // How many more may be tried. None where points were asked for many times more often: what is left is not found.
  std::size_t left() const;
  std::size_t most() const { return most_; }
  void set_most(std::size_t most) { most_ = most; }
  std::size_t size() const { return entries_.size(); }
  const std::vector<Entry>& entries() const { return entries_; }
  const Trial& trial(std::size_t entry) const { return entries_[entry].trial; }
  const SearchPoint& point(std::size_t entry) const { return entries_[entry].point; }
  SearchProblem& problem() const { return problem_; }

  // The best entry by better(); none: nothing was tried.
  std::optional<std::size_t> best(std::size_t objective) const;

 private:
  struct Hash {
    std::size_t operator()(const SearchPoint& point) const;
  };
  SearchProblem& problem_;
  std::size_t most_;
  const std::atomic<bool>* stop_;
  std::function<void(std::size_t)> progress_;
  std::size_t asked_ = 0;
  std::vector<Entry> entries_;
  std::unordered_map<SearchPoint, std::size_t, Hash> places_;
};

}  // namespace rooftile
