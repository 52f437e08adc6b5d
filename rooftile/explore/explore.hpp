// Evaluates every design of a space on all cores and keeps what ResultOptions ask for; rows can be written on the way.
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
//     const ExploreResults results = explore(space, *evaluator, {}).value();
//     assert(results.designs == 3);
//     assert(results.best.designs().front().index == 2);  // of 60 SMs
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/explore/design_evaluation.hpp"
#include "rooftile/explore/evaluator.hpp"
#include "rooftile/explore/explore_state.hpp"
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
  // How far it has come, at the end and so often that about this share of the time goes to saving; any thread, one at a
  // time.
  std::function<void(const ExploreState&)> save = {};
  double save_share = 0.01;
};

// The designs done are the first ones of the space, all of them unless stopped. Memory does not grow with the space.
// Errors: those of a sink; of DesignEvaluation::make().
Result<ExploreResults> explore(const DesignSpace& space, const Evaluator& evaluator, const ExploreOptions& options);

// The blocks of a set, of which `from` has none, on top of what is done there; those done are the first ones of the
// set. Errors: those of explore().
Result<ExploreState> explore_blocks(const DesignSpace& space, const Evaluator& evaluator, const ExploreOptions& options,
                                    const BlockSet& blocks, ExploreState from);

}  // namespace rooftile
