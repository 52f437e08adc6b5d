// An exploration as the command line asks for it, read and checked: what explore's parts share.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/cli/commands.hpp"
#include "rooftile/cost/cost_data.hpp"
#include "rooftile/explore/design_evaluation.hpp"
#include "rooftile/explore/evaluator.hpp"
#include "rooftile/explore/results.hpp"
#include "rooftile/explore/space.hpp"

namespace rooftile::cli {

// An exploration that is ready to begin, made of files alone.
struct Prepared {
  DesignSpace space;
  ResultOptions results;
  std::vector<Metric> weighed;
  PredictOptions predicted;
  std::unique_ptr<const Evaluator> evaluator;
  std::optional<CostTable> costs;
  DesignOutcome base;  // the GPU as it is

  const CostTable* table() const { return costs ? &*costs : nullptr; }
};

// Errors: files that cannot be read; options that the space does not have.
Result<Prepared> prepare(const ExploreArguments& arguments);

// One workload of a space.
Result<WeightedWorkload> load(const WorkloadChoice& choice, const PredictionArguments& prediction);

// The scaling study of the paper, in place of a space.
Result<void> explore_scaling(const ExploreArguments& arguments);

}  // namespace rooftile::cli
