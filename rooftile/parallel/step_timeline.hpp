// When each GPU of a training step does what: what traces are made of.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/units.hpp"
#include "rooftile/collectives/collective.hpp"
#include "rooftile/execution/parallelism.hpp"
#include "rooftile/parallel/pass_kernel.hpp"
#include "rooftile/parallel/stream_graph.hpp"

namespace rooftile {

// GPUs that exchange something.
enum class RankGroup {
  tensor,
  context,
  expert,
  replicas,         // of the same weights: data and context parallel
  expert_replicas,  // of them, those with the same experts
  ends,             // the first and the last stage, of tied weights
  neighbour,        // one stage and the next or the one before
};

struct StepExchange {
  RankGroup among = RankGroup::tensor;
  CollectiveKind kind = CollectiveKind::all_reduce;
  Bytes bytes;          // of the whole, as Collective::bytes
  bool hidden = false;  // runs beside what is computed; the time is what that leaves
};

// What a pass of a block is made of: a kernel, or an exchange.
struct StepPiece {
  Seconds time;
  PassKernel kernel = {};
  std::optional<StepExchange> exchange = {};
};

// What a task of the step is.
struct StepTask {
  enum class Kind { forward, backward, gather, reduce, send, update, offload, fetch, host_update };
  Kind kind = Kind::forward;
  int micro_batch = 0, chunk = 0;
  int block = 0, blocks = 0;  // of the chunk: the first that runs, and how many
  bool backward = false;      // belongs to a backward pass
  Bytes bytes;                // that are exchanged
  Flops flops;
  std::optional<StepExchange> exchange = {};  // of gather, reduce and send
};

std::string_view name_of(StepTask::Kind kind);  // "forward"

struct StepTimeline {
  std::vector<StreamGraph::Task> tasks;
  std::vector<StepTask> what;  // of each
  StreamTimes times;
  std::vector<StreamGraph::Edge> edges;          // between any tasks: the second waits for the first
  std::vector<std::vector<std::size_t>> chunks;  // kinds of blocks, of chunk i; it is of stage i % pp
  struct Kind {
    std::string name;
    std::vector<StepPiece> forward, backward;
  };
  std::vector<Kind> kinds;
  std::vector<PassKernel> updates;  // of each stage
};

// The pieces of a forward or backward pass or of an update as they lie in it: stretched as the task is by collectives
// that run beside it, apart from each other where the host issues them slower than they run. None of other tasks. Of
// blocks that list no kernels all of a pass's are one.
struct PlacedPiece {
  StepPiece piece;
  int block = 0;  // of the chunk
  Seconds start, time;
};
std::vector<PlacedPiece> pieces_of(const StepTimeline& timeline, std::size_t task);

// The GPUs that exchange with `rank`, itself included, in order; numbered as Parallelism has it. None of a neighbour.
std::vector<int> ranks_of(const Parallelism& way, RankGroup group, int rank);

// GPUs of a stage, which all do the same.
inline int ranks_of_stage(const Parallelism& way) { return way.tp * way.cp * way.dp; }

}  // namespace rooftile
