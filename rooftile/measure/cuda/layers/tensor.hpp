// Operands of a layer in device memory: filling, poisoning and checking them. The kernels behind these are named
// rooftile_setup_… and rooftile_check_…, so that a profiler's list tells them from what is measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <vector>

#include "rooftile/measure/cuda/handles.hpp"
#include "rooftile/measure/refused.hpp"
#include "rooftile/workload/dtype.hpp"

namespace rooftile::measure {

struct TensorSpec {
  DType type = DType::fp32;
  std::int64_t count = 0;
  double scale = 1;          // of inputs: uniform in [-scale, scale]; int8 is uniform in -127 … 127
  bool accumulated = false;  // of outputs: the layer adds to what is there, so it starts from zeros
};

struct Tensor {
  TensorSpec spec;
  void* data = nullptr;
};

std::size_t bytes_of(const TensorSpec& spec);

// Different numbers for each seed, the same at each call.
Outcome<void> fill(const Tensor& tensor, std::uint64_t seed, cudaStream_t stream);

// NaN in every floating-point element.
Outcome<void> poison(const Tensor& tensor, cudaStream_t stream);

// Elements that are NaN or infinite; waits for the stream.
Outcome<std::uint64_t> count_not_finite(const Tensor& tensor, cudaStream_t stream);

// The elements at `positions` (on the device); waits for the stream.
Outcome<std::vector<double>> gather(const Tensor& tensor, const Buffer<std::int64_t>& positions, cudaStream_t stream);

// `values` on the device; waits for the stream.
Outcome<Buffer<std::int64_t>> upload(const std::vector<std::int64_t>& values, cudaStream_t stream);
Outcome<std::vector<double>> download(const Buffer<double>& values, cudaStream_t stream);

}  // namespace rooftile::measure
