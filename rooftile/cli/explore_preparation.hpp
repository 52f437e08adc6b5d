// An exploration as the command line asks for it, read and checked: what explore's parts share.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/cli/format.hpp"
#include "rooftile/cli/prediction_options.hpp"
#include "rooftile/cluster/ranks.hpp"
#include "rooftile/cost/cost_data.hpp"
#include "rooftile/explore/design_evaluation.hpp"
#include "rooftile/explore/evaluator.hpp"
#include "rooftile/explore/results.hpp"
#include "rooftile/explore/space.hpp"

namespace rooftile::cli {

struct ExploreArguments {
  std::string space;               // the space file
  PredictionArguments prediction;  // method and precision
  std::int64_t best = 10;
  std::string rank_by = "time";       // an axis, or what comes of a design
  std::vector<std::string> pareto;    // the same
  std::string costs;                  // a cost file, or "builtin"; empty: none, unless something asks for them
  std::vector<std::string> heat_map;  // two axes, or none
  std::string csv, rows;              // files for all designs; empty: none
  bool layer_times = false;           // in the CSV too
  std::string checkpoint;             // a file of what is done; empty: none
  std::optional<std::int64_t> threads;
  std::string folder;               // empty: what is printed alone
  Format format = Format::table;    // of what is printed
  cluster::Ranks* ranks = nullptr;  // null: this program alone
  double rank_timeout = 30;         // seconds without a word after which a rank counts as lost
};

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

}  // namespace rooftile::cli
