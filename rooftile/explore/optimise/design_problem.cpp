#include "rooftile/explore/optimise/design_problem.hpp"

#include <algorithm>
#include <utility>

#include "rooftile/base/threads.hpp"
#include "rooftile/base/try.hpp"

namespace rooftile {
namespace {

constexpr std::size_t kChunk = 64;  // designs evaluated at a time

void measure_chunk(DesignEvaluation& evaluation, std::span<const DesignPoint> designs,
                   std::span<MeasuredDesign> measured) {
  DesignBlock block;
  for (std::vector<double>& values : block.values) values.resize(designs.size());
  block.count = designs.size();
  for (std::size_t i = 0; i < designs.size(); ++i) {
    for (std::size_t p = 0; p < kParameters; ++p) block.values[p][i] = designs[i][p];
  }
  OutcomeBlock outcome = evaluation.outcome(false, designs.size());
  evaluation.evaluate(block, outcome);
  for (std::size_t i = 0; i < designs.size(); ++i) {
    MeasuredDesign& design = measured[i];
    design.point = designs[i];
    design.unfit = outcome.unfit[i];
    for (std::size_t m = 0; m < kMetrics; ++m) {
      const auto metric = static_cast<Metric>(m);
      if (!as_cost(metric) || outcome.has_costs()) design.metrics[m] = column_of(metric, block, outcome)[i];
    }
    for (std::size_t b = 0; b < kBottlenecks; ++b) design.shares[b] = outcome.shares[b][i];
  }
}

}  // namespace

SearchAxis search_axis_of(const DesignAxis& axis) {
  if (!axis.range) return SearchAxis::list(axis.values);
  if (row_of(axis.parameter).whole) return SearchAxis::whole_range(axis.values.front(), axis.values.back());
  return SearchAxis::range(axis.values.front(), axis.values.back(), axis.spacing == Spacing::geometric);
}

DesignProblem::DesignProblem(const DesignSpace& space, Limits limits, std::vector<Metric> objectives)
    : base_(rooftile::design_of(space.base)), objectives_(std::move(objectives)), limits_(std::move(limits)) {
  for (const DesignAxis& axis : space.axes) {
    parameters_.push_back(axis.parameter);
    axes_.push_back(search_axis_of(axis));
  }
}

Result<DesignProblem> DesignProblem::make(const DesignSpace& space, const Evaluator& evaluator,
                                          std::vector<Metric> objectives, const std::vector<std::string>& constraints,
                                          const CostTable* costs, unsigned threads) {
  std::vector<std::string> all = space.constraints;
  all.insert(all.end(), constraints.begin(), constraints.end());
  auto limits = TRY(Limits::parse(all));
  DesignProblem problem(space, std::move(limits), std::move(objectives));
  for (unsigned i = 0; i < std::max(1U, threads); ++i) {
    auto evaluation = TRY(DesignEvaluation::make(evaluator, space.base, {}, costs));
    problem.evaluations_.push_back(std::move(evaluation));
  }
  problem.limits_.set_scale(problem.measure(problem.base_).metrics);
  return problem;
}

void DesignProblem::evaluate(std::span<const SearchPoint> points, std::span<Trial> trials) {
  std::vector<DesignPoint> designs;
  designs.reserve(points.size());
  for (const SearchPoint& point : points) designs.push_back(design_of_point(point));
  std::vector<MeasuredDesign> measured(points.size());
  measure(designs, measured);
  for (std::size_t i = 0; i < points.size(); ++i) {
    trials[i].possible = measured[i].unfit == Unfit::none;
    for (const Metric objective : objectives_) trials[i].objectives.push_back(at(measured[i].metrics, objective));
    if (trials[i].possible) limits_.excess(measured[i].metrics, trials[i].excess);
  }
}

void DesignProblem::measure(std::span<const DesignPoint> designs, std::span<MeasuredDesign> measured) {
  const std::size_t workers = std::min(evaluations_.size(), designs.size());
  const auto work = [&](std::size_t worker) {
    const std::size_t from = designs.size() * worker / workers, to = designs.size() * (worker + 1) / workers;
    for (std::size_t first = from; first < to; first += kChunk) {
      const std::size_t count = std::min(kChunk, to - first);
      measure_chunk(evaluations_[worker], designs.subspan(first, count), measured.subspan(first, count));
    }
  };
  if (workers > 0) on_threads(workers, work);
}

DesignPoint DesignProblem::design_of_point(const SearchPoint& point) const {
  DesignPoint design = base_;
  for (std::size_t a = 0; a < axes_.size(); ++a) at(design, parameters_[a]) = axes_[a].value(point[a]);
  return design;
}

SearchPoint DesignProblem::point_of_design(const DesignPoint& design) const {
  SearchPoint point;
  for (std::size_t a = 0; a < axes_.size(); ++a) point.push_back(axes_[a].coordinate(at(design, parameters_[a])));
  return point;
}

MeasuredDesign DesignProblem::measure(const DesignPoint& design) {
  MeasuredDesign measured;
  measure(std::span(&design, 1), std::span(&measured, 1));
  return measured;
}

std::vector<double> DesignProblem::excess(const MeasuredDesign& design) {
  std::vector<double> result;
  limits_.excess(design.metrics, result);
  return result;
}

}  // namespace rooftile
