// A rank's part: says what it would compute, then does the chunks that rank 0 hands it until there are no more.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "rooftile/base/error.hpp"
#include "rooftile/cluster/messages.hpp"
#include "rooftile/cluster/transport.hpp"

namespace rooftile::cluster {

struct WorkerSettings {
  double alive_every = 1;  // seconds between two words to rank 0
  double patience = 60;    // seconds without a word from rank 0 after which it counts as lost
};

// The results of the first blocks of a range: all of them unless `stop` is set meanwhile.
struct Part {
  std::uint64_t blocks = 0;
  std::string results = {};  // results_bytes()
};
using Compute = std::function<Result<Part>(BlockRange blocks, const std::atomic<bool>& stop)>;

// Chunks are computed on a thread of their own while this one listens and speaks; only this one uses `transport`. Ends
// when rank 0 says so, with what it said. `interrupted`: of this rank; what is begun is then sent as far as it is.
// Errors: those of `compute`, which rank 0 hears too; rank 0 is silent.
Result<Finish> work_for(Transport& transport, const Hello& hello, const Compute& compute,
                        const std::atomic<bool>& interrupted, const WorkerSettings& settings = {});

// Rank 0 hears what keeps this rank from working. Ends when rank 0 says so or is silent.
Finish report_failure(Transport& transport, const Failed& failed, const WorkerSettings& settings = {});

}  // namespace rooftile::cluster
