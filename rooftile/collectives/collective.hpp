// What GPUs exchange, all of them at once: the operations of NCCL.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/units.hpp"
#include "rooftile/workload/dtype.hpp"

namespace rooftile {

enum class CollectiveKind { all_reduce, reduce_scatter, all_gather, all_to_all, broadcast, send };
std::string_view name_of(CollectiveKind kind);  // "all_reduce"
std::vector<std::string> collective_kind_names();
std::optional<CollectiveKind> parse_collective_kind(std::string_view name);  // also "alltoall", "send_recv"

struct Collective {
  CollectiveKind kind = CollectiveKind::all_reduce;
  int gpus = 2;
  Bytes bytes{1};  // of the whole: what an all-reduce sums, an all-gather results in, a reduce-scatter starts from
  DType dtype = DType::fp32;
  // Of an all-to-all: to how many parts each item goes, which the bytes count so often; those that share a GPU, or a
  // node behind a network, get it once.
  int copies = 1;
  // Of an all-reduce: kernels of a serving engine's own, which read the other GPUs' memory, may do it instead of NCCL.
  bool reads_peers = false;

  bool operator==(const Collective&) const = default;
};

// Steps that follow one another around a ring, and what of the bytes each GPU sends; of all-to-all and send in one.
int rounds_of(const Collective& collective);
// What of an all-to-all's bytes goes to others of so many GPUs, or of so many nodes.
double share_of_others(const Collective& collective, int parts);
double share_sent(const Collective& collective);

}  // namespace rooftile
