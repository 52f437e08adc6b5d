// A design space as a problem to search: its axes vary, metrics are what is to be small, constraints are limits.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "rooftile/cost/cost_data.hpp"
#include "rooftile/explore/design_evaluation.hpp"
#include "rooftile/explore/optimise/limit.hpp"
#include "rooftile/explore/optimise/search_problem.hpp"
#include "rooftile/explore/space.hpp"

namespace rooftile {

// A design with all that is known of it.
struct MeasuredDesign {
  DesignPoint point{};
  Unfit unfit = Unfit::none;
  MetricValues metrics{};                     // costs are zero without a cost table
  std::array<double, kBottlenecks> shares{};  // of the time, in seconds
};

class DesignProblem : public SearchProblem {
 public:
  // Constraints: those of the space, then the others. A null table: no costs. `threads` share large blocks of designs.
  // The evaluator must outlive this. Errors: a constraint that cannot be read; what the table lacks of the GPU.
  static Result<DesignProblem> make(const DesignSpace& space, const Evaluator& evaluator,
                                    std::vector<Metric> objectives, const std::vector<std::string>& constraints,
                                    const CostTable* costs, unsigned threads);

  const std::vector<SearchAxis>& axes() const override { return axes_; }
  std::size_t objectives() const override { return objectives_.size(); }
  void evaluate(std::span<const SearchPoint> points, std::span<Trial> trials) override;

  const Limits& limits() const { return limits_; }
  DesignPoint design_of_point(const SearchPoint& point) const;
  SearchPoint point_of_design(const DesignPoint& design) const;  // the nearest that there is
  MeasuredDesign measure(const DesignPoint& design);
  std::vector<double> excess(const MeasuredDesign& design);

 private:
  DesignProblem(const DesignSpace& space, Limits limits, std::vector<Metric> objectives);
  void measure(std::span<const DesignPoint> designs, std::span<MeasuredDesign> measured);

  std::vector<Parameter> parameters_;  // of the axes
  std::vector<SearchAxis> axes_;
  DesignPoint base_;
  std::vector<Metric> objectives_;
  Limits limits_;
  std::vector<DesignEvaluation> evaluations_;  // one a thread
};

// The coordinates that an axis of a space is searched by.
SearchAxis search_axis_of(const DesignAxis& axis);

}  // namespace rooftile
