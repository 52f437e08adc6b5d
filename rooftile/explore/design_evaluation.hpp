// All that is to be known of a block of designs, from an index or not: whether they are designs at all, their times
// and, if asked for, their costs.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/cost/cost.hpp"
#include "rooftile/cost/energy.hpp"
#include "rooftile/explore/constraint.hpp"
#include "rooftile/explore/evaluator.hpp"

namespace rooftile {

// For one thread: each makes its own. What comes of a design depends on no other, nor on its place in a block.
class DesignEvaluation {
 public:
  // Times are those of `evaluator`, which must outlive this; costs those of the table, of designs made from `base`. A
  // null table: no costs. Errors: a constraint that cannot be read, or names a cost without a table; what the table
  // lacks of the GPU.
  static Result<DesignEvaluation> make(const Evaluator& evaluator, const Gpu& base,
                                       const std::vector<std::string>& constraints, const CostTable* costs);

  // Room for what evaluate() writes, and for the time of each layer if `layers`.
  OutcomeBlock outcome(bool layers = false, std::size_t designs = kBlockDesigns) const;

  // The designs of a block; what stood in `outcome`, made by outcome(), goes. A design that is none has the reason; its
  // time and energy are zero unless a constraint on just these excludes it.
  void evaluate(const DesignBlock& block, OutcomeBlock& outcome);

 private:
  struct Costing {
    CostModel model;
    Gpu base, design;  // without what costs do not read; `design` is room for one
    DesignPoint before{};
    std::vector<EnergyRates> rates;  // of each design of the block
  };
  DesignEvaluation(const Evaluator& evaluator, Constraints constraints, std::optional<Costing> costing)
      : evaluator_(&evaluator), constraints_(std::move(constraints)), costing_(std::move(costing)) {}
  void add_costs(const DesignBlock& block, OutcomeBlock& outcome);
  void add_energies(const DesignBlock& block, OutcomeBlock& outcome) const;

  const Evaluator* evaluator_;
  Constraints constraints_;
  std::optional<Costing> costing_;
};

// The outcome of one design alone; `unfit` says if it is none.
struct DesignOutcome {
  Unfit unfit = Unfit::none;
  double time = 0;
  std::array<double, kBottlenecks> shares{};
  std::array<double, kCosts> costs{};  // by Cost; zero if not asked for
  std::vector<double> layers;
};
DesignOutcome evaluate_one(DesignEvaluation& evaluation, const DesignPoint& point);

// Its times alone, without constraints.
DesignOutcome evaluate_one(const Evaluator& evaluator, const DesignPoint& point);

// A block of one design.
DesignBlock block_of(const DesignPoint& point);

}  // namespace rooftile
