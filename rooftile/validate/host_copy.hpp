// The copy of a network's inputs from the host, where a measured time includes it.
#pragma once

#include <algorithm>

#include "rooftile/base/units.hpp"
#include "rooftile/gpu/pcie.hpp"
#include "rooftile/predict/host.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {

// From memory that is not pinned, which a core of the host copies to some that is, part by part, before PCIe does. A
// network that is narrow throughout is fed narrow numbers, which the script made before (`img.half()`); under autocast
// it is fed FP32, and so is an engine, whose inputs stay FP32 unless it is built otherwise (TensorRT's builder).
inline Seconds copy_time(const Workload& workload, const PredictOptions& options, const Gpu& gpu) {
  // NVIDIA's bandwidthTest reaches 6 GB/s over PCIe 3 from such memory, where pinned memory reaches 12.6.
  constexpr BytesPerSecond kServersCopy(11.5e9);
  constexpr int kUsual = 3;
  const bool wide = options.execution == Execution::engine;
  const double narrow =
      wide ? 1 : std::min(1.0, size_of(trained_in({options.precision, options.autocast})) / size_of(DType::fp32));
  Bytes bytes;
  for (const TensorId id : workload.inputs) {
    const Tensor& input = workload.tensors[id];
    bytes += size_of(input) * (input.dtype == DType::fp32 ? narrow : 1);
  }
  const BytesPerSecond link = pcie_bandwidth(pcie_generation(gpu).value_or(kUsual)) * kCopyShare;
  return bytes / kServersCopy * host_ratio(options, gpu) + bytes / link;
}

}  // namespace rooftile
