// The best design of a space: the least of a metric, or the front of several, under constraints; with what each
// constraint and each resource is worth there.
//
//     #include "rooftile/explore/space_file.hpp"
//     #include "rooftile/ingest/model.hpp"
//
//     const DesignSpace space = parse_space(R"(
//       gpu = "titan-xp-delta"
//       [axes]
//       sm_count = { values = [15, 30, 60] }
//       [[workload]]
//       model = "alexnet"
//     )", "mine.toml").value();
//     const std::vector<WeightedWorkload> workloads = {{.workload = load_model("alexnet").value()}};
//     const auto evaluator = make_evaluator(space, workloads, {.method = Method::delta}).value();
//     const Optimum optimum = optimise(space, *evaluator, {.constraints = {"sm_count <= 40"}}).value();
//     assert(optimum.exact);
//     assert(optimum.designs.front().design.shares[0] > 0);  // seconds limited by arithmetic
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/cost/cost_data.hpp"
#include "rooftile/explore/evaluator.hpp"
#include "rooftile/explore/optimise/design_problem.hpp"
#include "rooftile/explore/space.hpp"

namespace rooftile {

// Designs that a search tries unless it is told otherwise.
constexpr std::size_t kUsualTrials = 10000;

struct OptimiseOptions {
  std::vector<Metric> objectives = {Metric::time};  // at least one, each once; all to be made small
  std::vector<std::string> constraints = {};        // besides the space's own
  const CostTable* costs = nullptr;                 // null: no costs are known
  std::size_t trials = kUsualTrials;                // designs tried at most; what explains the result comes on top
  std::uint64_t seed = 1;
  unsigned threads = 1;                     // that share a block of designs; the result does not depend on them
  const std::atomic<bool>* stop = nullptr;  // set: ends with the best so far, unexplained
  std::function<void(std::size_t tried)> progress = {};
};

// A design that was chosen.
struct ChosenDesign {
  MeasuredDesign design;
  std::vector<double> excess;  // of each constraint (limit.hpp)
};

// A constraint at the optimum.
struct LimitAnswer {
  double excess = 0;                                // negative: slack, as a share of the bound
  double looser_1 = 0, looser_10 = 0, without = 0;  // the objective with it 1 % and 10 % looser, and without it
  bool binds = false;
};

// What another value of one axis would change, all else left as it is.
struct StepAnswer {
  ChosenDesign design;
  std::vector<std::size_t> broken;  // constraints
};
struct AxisAnswer {
  std::optional<StepAnswer> less, more;  // one value on; of a continuous axis a hundredth of its range; none: its end
  // Where it stands at an end that was not all there could be: the objective's least if the range went one step on.
  std::optional<double> beyond_value, beyond;
};

struct Optimum {
  std::vector<Metric> objectives;
  std::vector<std::string> constraints;  // each with one comparison or none
  std::vector<bool> has_slack;           // of them; else they only say yes or no
  MeasuredDesign base;                   // the GPU as it is
  std::vector<ChosenDesign> designs;     // the best; of several objectives the front, by the first objective
  double size = 0;                       // designs of the space; infinite if an axis is continuous
  std::size_t trials = 0;                // designs tried by the search
  std::size_t more_trials = 0;           // and for the explanation
  bool exact = false;                    // all of the space was tried
  bool stopped = false;
  // Of one objective, unless stopped; empty else.
  std::vector<LimitAnswer> limits;
  std::vector<AxisAnswer> axes;
};

// Errors: a constraint that cannot be read; an objective that no axis changes; no design that meets all constraints,
// with the one that comes nearest; an objective or constraint that is a cost where none are known.
Result<Optimum> optimise(const DesignSpace& space, const Evaluator& evaluator, const OptimiseOptions& options);

}  // namespace rooftile
