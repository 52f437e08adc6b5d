#include "rooftile/explore/design_evaluation.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"

namespace rooftile {
namespace {

void clear(OutcomeBlock& outcome) {
  std::fill(outcome.unfit.begin(), outcome.unfit.end(), Unfit::none);
  std::fill(outcome.time.begin(), outcome.time.end(), 0);
  for (std::vector<double>& share : outcome.shares) std::fill(share.begin(), share.end(), 0);
  std::fill(outcome.layers.begin(), outcome.layers.end(), 0);
  for (std::vector<double>& cost : outcome.costs) std::fill(cost.begin(), cost.end(), 0);
  std::fill(outcome.work.begin(), outcome.work.end(), RunWork{});
}

std::vector<double>& column(OutcomeBlock& outcome, Cost cost) { return outcome.costs[static_cast<std::size_t>(cost)]; }

DesignOutcome first_of(const OutcomeBlock& outcome) {
  DesignOutcome result = {.unfit = outcome.unfit[0], .time = outcome.time[0], .shares = {}, .costs = {}, .layers = {}};
  for (std::size_t b = 0; b < kBottlenecks; ++b) result.shares[b] = outcome.shares[b][0];
  for (std::size_t c = 0; c < kCosts && outcome.has_costs(); ++c) result.costs[c] = outcome.costs[c][0];
  for (std::size_t l = 0; l < outcome.layers.size(); l += outcome.stride) result.layers.push_back(outcome.layers[l]);
  return result;
}

}  // namespace

Result<DesignEvaluation> DesignEvaluation::make(const Evaluator& evaluator, const Gpu& base,
                                                const std::vector<std::string>& constraints, const CostTable* costs) {
  auto parsed = TRY(Constraints::parse(constraints));
  if (costs == nullptr) {
    for (const Metric metric : parsed.metrics()) {
      if (!as_cost(metric)) continue;
      return fail(ErrorCode::bad_input, fmt::format("a constraint names {}, but no costs are given", name_of(metric)));
    }
    return DesignEvaluation(evaluator, std::move(parsed), std::nullopt);
  }
  auto model = TRY(cost_model_of(*costs, base));
  Costing costing = {.model = model, .base = base, .design = {}, .before = design_of(base), .rates = {}};
  costing.base.facts.clear();  // so that a copy is cheap
  costing.base.note.clear();
  return DesignEvaluation(evaluator, std::move(parsed), std::move(costing));
}

OutcomeBlock DesignEvaluation::outcome(bool layers, std::size_t designs) const {
  OutcomeBlock outcome(layers ? evaluator_->layers().size() : 0, designs);
  if (costing_) outcome.want_costs();
  return outcome;
}

void DesignEvaluation::evaluate(const DesignBlock& block, OutcomeBlock& outcome) {
  clear(outcome);
  constraints_.apply(ConstraintStage::parameters, block, outcome);
  if (costing_) {
    add_costs(block, outcome);
    constraints_.apply(ConstraintStage::costs, block, outcome);
  }
  evaluator_->evaluate(block, outcome);
  if (costing_) add_energies(block, outcome);
  constraints_.apply(ConstraintStage::times, block, outcome);
}

void DesignEvaluation::add_costs(const DesignBlock& block, OutcomeBlock& outcome) {
  costing_->rates.resize(block.count);
  for (std::size_t i = 0; i < block.count; ++i) {
    if (outcome.unfit[i] != Unfit::none) continue;
    costing_->design = costing_->base;
    write_design(costing_->design, costing_->before, block.point(i));
    const HardwareCost cost = cost_of(costing_->design, costing_->model);
    column(outcome, Cost::area)[i] = cost.area.total();
    column(outcome, Cost::power)[i] = cost.power().value();
    column(outcome, Cost::manufacturing_cost)[i] = cost.price().value();
    costing_->rates[i] = energy_rates(evaluator_->precision(), costing_->design, costing_->model, cost);
  }
}

void DesignEvaluation::add_energies(const DesignBlock& block, OutcomeBlock& outcome) const {
  for (std::size_t i = 0; i < block.count; ++i) {
    if (outcome.unfit[i] != Unfit::none) continue;
    column(outcome, Cost::energy)[i] =
        energy_of(outcome.work[i], Seconds(outcome.time[i]), costing_->rates[i]).total().value();
  }
}

DesignBlock block_of(const DesignPoint& point) {
  DesignBlock block;
  block.count = 1;
  for (std::size_t p = 0; p < kParameters; ++p) block.values[p].assign(1, point[p]);
  return block;
}

DesignOutcome evaluate_one(DesignEvaluation& evaluation, const DesignPoint& point) {
  OutcomeBlock outcome = evaluation.outcome(true, 1);
  evaluation.evaluate(block_of(point), outcome);
  return first_of(outcome);
}

DesignOutcome evaluate_one(const Evaluator& evaluator, const DesignPoint& point) {
  OutcomeBlock outcome(evaluator.layers().size(), 1);
  evaluator.evaluate(block_of(point), outcome);
  return first_of(outcome);
}

}  // namespace rooftile
