// The copy of a network's inputs from the host, where a measured time includes it.
#pragma once

#include "rooftile/base/units.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {

// From memory that is not pinned.
inline Seconds copy_time(const Workload& workload) {
  constexpr BytesPerSecond kPageable(6e9);  // what NVIDIA's bandwidthTest reaches over PCIe 3 x16
  Bytes bytes;
  for (const TensorId id : workload.inputs) bytes += size_of(workload.tensors[id]);
  return bytes / kPageable;
}

}  // namespace rooftile
