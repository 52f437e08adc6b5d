// How fast a GPU's board talks to others in the same machine.
#pragma once

#include <optional>
#include <string>

#include "rooftile/gpu/gpu.hpp"

namespace rooftile {

struct Link {
  std::string name;          // "NVLink", "Infinity Fabric", "PCIe 4"
  BytesPerSecond bandwidth;  // one direction, of all the board's links of that kind together, as the vendor quotes it
};

// What a ring over `gpus` boards uses. NVLink and Infinity Fabric join all modules of a machine; on a card they are a
// bridge between two (MI100: four), and more use PCIe. Nothing where the catalogue knows no link that reaches so far.
std::optional<Link> link_of(const Gpu& gpu, int gpus);

// Through the memory of the host, where GPUs may not reach one another's: NCCL_P2P_DISABLE=1, and many virtual
// machines.
Link host_memory_link();

}  // namespace rooftile
