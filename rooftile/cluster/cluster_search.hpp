// A search of ways to spread a training step by many ranks: each tries its share, rank 0 puts the shares together. The
// result is that of search_ways(), however many ranks there are and whichever of them are lost.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "rooftile/cluster/worker.hpp"
#include "rooftile/explore/fingerprint.hpp"
#include "rooftile/parallel/search.hpp"

namespace rooftile::cluster {

// What each rank has made for itself, from the same files. All must outlive the search.
struct WaySearch {
  const ParallelNetwork& network;
  const std::vector<Parallelism>& ways;
  const GpuCluster& cluster;
  const Gpu& gpu;
  const SearchOptions& options;  // `stop` is asked on every rank, `progress` on rank 0 of its own share

  // What ranks must agree on; `version` is that of the program.
  Fingerprint fingerprint(std::string_view version) const;
};

struct SearchedByRanks {
  Result<std::vector<WayTried>> tried;
  bool rank_lost = false;  // then nobody may wait for the others
};

// Rank 0. One that is silent for `patience` seconds is lost, and rank 0 does its share. `notice` gets lines for a
// person. Errors: of any rank; a rank that would try other ways.
SearchedByRanks search_by_ranks(const WaySearch& search, const Fingerprint& fingerprint, Transport& ranks,
                                double patience, const std::function<void(const std::string&)>& notice);

// Any other rank, until rank 0 says that it is over.
Result<Finish> help_search(const WaySearch& search, const Fingerprint& fingerprint, Transport& ranks,
                           const WorkerSettings& settings);

}  // namespace rooftile::cluster
