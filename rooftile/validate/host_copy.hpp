// The copy of a network's inputs from the host, where a measured time includes it.
#pragma once

#include <algorithm>

#include "rooftile/base/units.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {

// From memory that is not pinned. A network that is narrow throughout is fed narrow numbers, which the script made
// before (`img.half()`); under autocast it is fed FP32.
inline Seconds copy_time(const Workload& workload, const PredictOptions& options) {
  constexpr BytesPerSecond kPageable(6e9);  // what NVIDIA's bandwidthTest reaches over PCIe 3 x16
  const double narrow =
      std::min(1.0, size_of(trained_in({options.precision, options.autocast})) / size_of(DType::fp32));
  Bytes bytes;
  for (const TensorId id : workload.inputs) {
    const Tensor& input = workload.tensors[id];
    bytes += size_of(input) * (input.dtype == DType::fp32 ? narrow : 1);
  }
  return bytes / kPageable;
}

}  // namespace rooftile
