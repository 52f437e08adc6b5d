// Evaluates every design of a space on all cores and keeps what ResultOptions ask for; rows can be written on the way.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "rooftile/error/error.hpp"
#include "rooftile/explore/design_evaluation.hpp"
#include "rooftile/explore/evaluator.hpp"
#include "rooftile/explore/ordered_writer.hpp"
#include "rooftile/explore/results.hpp"
#include "rooftile/explore/space.hpp"

namespace rooftile {

struct ExploreOptions {
  ResultOptions results;
  const CostTable* costs = nullptr;  // null: no costs are computed
  unsigned threads = 1;
  std::vector<RowSink*> sinks = {};
  const std::atomic<bool>* stop = nullptr;                   // set: finish the blocks begun and return
  std::function<void(std::uint64_t designs)> progress = {};  // designs done so far; any thread, one at a time
};

// The designs done are the first ones of the space, all of them unless stopped. Memory does not grow with the space.
// Errors: those of a sink; of DesignEvaluation::make().
Result<ExploreResults> explore(const DesignSpace& space, const Evaluator& evaluator, const ExploreOptions& options);

}  // namespace rooftile
