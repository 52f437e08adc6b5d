#include "rooftile/explore/optimise/design_table.hpp"

#include <algorithm>
#include <utility>

#include "rooftile/base/try.hpp"
#include "rooftile/explore/design_evaluation.hpp"
#include "rooftile/explore/optimise/design_problem.hpp"
#include "rooftile/explore/optimise/front_search.hpp"

namespace rooftile {

std::size_t DesignTable::outcome_of(Metric metric) {
  return static_cast<std::size_t>(metric) - static_cast<std::size_t>(Metric::time);
}

Result<DesignTable> DesignTable::make(const DesignSpace& space, const Evaluator& evaluator, const CostTable& costs) {
  auto evaluation = TRY(DesignEvaluation::make(evaluator, space.base, {}, &costs));
  DesignTable table;
  const auto size = static_cast<std::size_t>(space.size());
  table.strides_.resize(space.axes.size());
  std::size_t stride = 1;
  for (std::size_t a = space.axes.size(); a-- > 0;) {
    table.strides_[a] = stride;
    stride *= space.axes[a].values.size();
  }
  for (const DesignAxis& axis : space.axes) table.axes_.push_back(search_axis_of(axis));
  table.possible_.resize(size);
  for (std::vector<double>& values : table.values_) values.resize(size);
  DesignBlock block = empty_block(space);
  OutcomeBlock outcome = evaluation.outcome();
  for (std::size_t first = 0; first < size; first += kBlockDesigns) {
    block.count = std::min(kBlockDesigns, size - first);
    fill(space, first, block);
    evaluation.evaluate(block, outcome);
    for (std::size_t o = 0; o < kOutcomes; ++o) {
      const auto metric = static_cast<Metric>(static_cast<std::size_t>(Metric::time) + o);
      std::copy_n(column_of(metric, block, outcome).begin(), block.count,
                  table.values_[o].begin() + static_cast<std::ptrdiff_t>(first));
    }
    for (std::size_t i = 0; i < block.count; ++i) table.possible_[first + i] = outcome.unfit[i] == Unfit::none;
  }
  const DesignOutcome base = evaluate_one(evaluation, design_of(space.base));
  table.base_[0] = base.time;
  std::copy(base.costs.begin(), base.costs.end(), table.base_.begin() + 1);
  return table;
}

double DesignTable::value(Metric metric, std::size_t design) const { return values_[outcome_of(metric)][design]; }
double DesignTable::base(Metric metric) const { return base_[outcome_of(metric)]; }

std::size_t DesignTable::place_of(const SearchPoint& point) const {
  std::size_t place = 0;
  for (std::size_t a = 0; a < point.size(); ++a) place += strides_[a] * static_cast<std::size_t>(point[a]);
  return place;
}

Trial TableProblem::trial(std::size_t design) const {
  Trial trial;
  trial.possible = table_.possible(design);
  for (const Metric metric : objectives_) trial.objectives.push_back(table_.value(metric, design));
  for (const Bound& bound : bounds_) trial.excess.push_back(table_.value(bound.metric, design) / bound.most - 1);
  return trial;
}

bool TableProblem::feasible(std::size_t design) const {
  return table_.possible(design) && std::all_of(bounds_.begin(), bounds_.end(), [&](const Bound& bound) {
           return table_.value(bound.metric, design) / bound.most - 1 <= 0;
         });
}

void TableProblem::evaluate(std::span<const SearchPoint> points, std::span<Trial> trials) {
  for (std::size_t i = 0; i < points.size(); ++i) trials[i] = trial(table_.place_of(points[i]));
}

std::optional<double> TableProblem::least() const {
  std::optional<double> least;
  for (std::size_t design = 0; design < table_.size(); ++design) {
    if (!feasible(design)) continue;
    const double value = table_.value(objectives_.front(), design);
    if (!least || value < *least) least = value;
  }
  return least;
}

std::vector<Trial> TableProblem::front() const {
  std::vector<std::size_t> order;
  for (std::size_t design = 0; design < table_.size(); ++design) {
    if (feasible(design)) order.push_back(design);
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return table_.value(objectives_.front(), a) < table_.value(objectives_.front(), b);
  });
  std::vector<Trial> front;
  for (const std::size_t design : order) {
    Trial one = trial(design);
    const bool beaten = std::any_of(front.rbegin(), front.rend(), [&](const Trial& other) {
      return other.objectives == one.objectives || dominates(other, one);
    });
    if (beaten) continue;
    std::erase_if(front, [&](const Trial& other) { return dominates(one, other); });
    front.push_back(std::move(one));
  }
  return front;
}

}  // namespace rooftile
