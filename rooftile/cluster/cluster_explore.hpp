// An exploration by many ranks: rank 0 hands out and merges, all compute. The results are those of explore(), to the
// bit, however many ranks and threads there are and whichever of them are lost.
#pragma once

#include <functional>
#include <string>

#include "rooftile/cluster/coordinator.hpp"
#include "rooftile/cluster/transport.hpp"
#include "rooftile/cluster/worker.hpp"
#include "rooftile/explore/explore.hpp"
#include "rooftile/explore/fingerprint.hpp"

namespace rooftile::cluster {

// What each rank has made for itself, from the same files. All must outlive the exploration.
struct Exploration {
  const DesignSpace& space;
  const Evaluator& evaluator;
  const ExploreOptions& options;  // no sinks; `stop` is asked on every rank, `progress` and `save` only on rank 0
  const Fingerprint& fingerprint;
};

struct Coordinated {
  Result<ExploreState> state;
  bool rank_lost = false;  // then nobody may wait for the others
};

// Rank 0: goes on from `from`. `notice` gets lines for a person. Errors: of any rank, which ends the exploration; a
// rank that would compute other numbers; no rank left.
Coordinated coordinate(const Exploration& exploration, ExploreState from, Transport& ranks,
                       const CoordinatorSettings& settings, const std::function<void(const std::string&)>& notice);

// Any other rank, until rank 0 says that it is over.
Result<Finish> serve(const Exploration& exploration, Transport& ranks, const WorkerSettings& settings);

// The name of this machine, for messages.
std::string host_name();

}  // namespace rooftile::cluster
