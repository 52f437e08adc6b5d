// How long GPUs take to exchange data.
//
// NCCL has three protocols, of which the fastest counts, each
//
//   t = (start + rounds x round) / clock + sent / (efficiency x link) + own / (copy x DRAM)
//
// LL sends every word with a flag (short rounds, little bandwidth), LL128 every line, Simple whole chunks behind a
// fence (long rounds, most bandwidth). `own` is a GPU's own part, which it copies in its memory. From eight GPUs on
// switches of Hopper and later sum floating-point numbers on their way (NVLS): each GPU sends its data once. The seven
// times are cycles of the GPU's clock: kernels poll memory. tools/fit_collectives.py fits the constants and prints
// their errors, with GPUs, sizes and numbers of GPUs left out (docs/planning.md).
//
// Serving engines sum less than 8 MB by kernels of their own (reads_peers): in one shot every GPU reads all of the
// others' data, in two shots each sums its share and reads the others' sums,
//
//   t = shots x start + read / bandwidth
//
// Over several nodes some rounds go through the network, by a ring or, of an all-reduce, by a tree over the nodes; what
// takes longer, links or network, is what takes the time. Latencies and shares of the line rate are those that NCCL
// itself chooses its algorithms by (src/graph/tuning.cc of NCCL 2.18).
//
//     #include "rooftile/gpu/catalogue.hpp"
//
//     const Gpu gpu = find_gpu("a100-sxm4-80gb").value();
//     const Collective sum = {.kind = CollectiveKind::all_reduce, .gpus = 8, .bytes = Bytes(1 << 29)};
//     assert(collective_time(sum, gpu, *link_of(gpu, 8)).protocol == Protocol::simple);
#pragma once

#include <string_view>

#include "rooftile/collectives/collective.hpp"
#include "rooftile/fabric/group.hpp"
#include "rooftile/gpu/gpu.hpp"
#include "rooftile/gpu/link.hpp"

namespace rooftile {

// Nine of ten rows of a GPU that the fit has not seen are within this factor (tools/fit_collectives.py).
inline constexpr double kCollectiveSpread = 1.31;

enum class Protocol { ll, ll128, simple, nvls, one_shot, two_shots };
std::string_view name_of(Protocol protocol);

struct CollectiveTime {
  Protocol protocol = Protocol::ll;
  Seconds latency, transfer, copy;  // whose sum it is
  Seconds time;
  Seconds low, high;     // 90 %, of a GPU that the constants have not seen
  bool network = false;  // is slower than the links within a node
};

// Of at least two GPUs of one node, which the link joins.
CollectiveTime collective_time(const Collective& collective, const Gpu& gpu, const Link& link);

// Of as many GPUs as the group has; a single one exchanges nothing.
CollectiveTime collective_time(const Collective& collective, const Gpu& gpu, const Group& group);

}  // namespace rooftile
