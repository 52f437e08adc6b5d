// Every design of a grid, measured once: what a search is held against, and a problem that costs nothing to search.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "rooftile/cost/cost_data.hpp"
#include "rooftile/explore/evaluator.hpp"
#include "rooftile/explore/metric.hpp"
#include "rooftile/explore/optimise/search_problem.hpp"
#include "rooftile/explore/space.hpp"

namespace rooftile {

class DesignTable {
 public:
  // `space` is a grid, without regard to its constraints. Errors: what the cost table lacks of the GPU.
  static Result<DesignTable> make(const DesignSpace& space, const Evaluator& evaluator, const CostTable& costs);

  std::size_t size() const { return possible_.size(); }
  const std::vector<SearchAxis>& axes() const { return axes_; }
  bool possible(std::size_t design) const { return possible_[design]; }
  double value(Metric metric, std::size_t design) const;
  double base(Metric metric) const;  // of the GPU as it is
  std::size_t place_of(const SearchPoint& point) const;

 private:
  // Time and costs.
  static constexpr std::size_t kOutcomes = 1 + kCosts;
  static std::size_t outcome_of(Metric metric);

  std::vector<SearchAxis> axes_;
  std::vector<std::size_t> strides_;
  std::vector<bool> possible_;
  std::array<std::vector<double>, kOutcomes> values_;
  std::array<double, kOutcomes> base_{};
};

// The least of some outcomes of a table, each of others at most a bound.
class TableProblem : public SearchProblem {
 public:
  struct Bound {
    Metric metric = Metric::time;
    double most = 0;
  };
  // The table must outlive this.
  TableProblem(const DesignTable& table, std::vector<Metric> objectives, std::vector<Bound> bounds)
      : table_(table), objectives_(std::move(objectives)), bounds_(std::move(bounds)) {}

  const std::vector<SearchAxis>& axes() const override { return table_.axes(); }
  std::size_t objectives() const override { return objectives_.size(); }
  void evaluate(std::span<const SearchPoint> points, std::span<Trial> trials) override;

  Trial trial(std::size_t design) const;
  bool feasible(std::size_t design) const;

  // By trying all: the least of the first objective; none: nothing is feasible.
  std::optional<double> least() const;
  // By trying all: the designs that none other dominates.
  std::vector<Trial> front() const;

 private:
  const DesignTable& table_;
  std::vector<Metric> objectives_;
  std::vector<Bound> bounds_;
};

}  // namespace rooftile
