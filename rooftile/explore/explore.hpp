// Evaluates every design of a space on all cores and keeps what ResultOptions ask for; rows can be written on the way.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/error/error.hpp"
#include "rooftile/explore/design_evaluation.hpp"
#include "rooftile/explore/evaluator.hpp"
#include "rooftile/explore/results.hpp"
#include "rooftile/explore/space.hpp"

namespace rooftile {

// Where all designs go, block after block in the order of their index.
class RowSink {
 public:
  virtual ~RowSink() = default;
  virtual bool wants_layers() const = 0;
  // A block as it is to be written; any thread, several at once.
  virtual void encode(const DesignBlock& block, const OutcomeBlock& outcome, std::string& bytes) const = 0;
  // One thread at a time. Errors stop the exploration.
  virtual Result<void> write(std::string_view bytes) = 0;
};

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
