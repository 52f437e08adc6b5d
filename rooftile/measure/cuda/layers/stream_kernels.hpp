// Own kernels of streaming layers, written as frameworks write them: 16 bytes an access where rows allow it, sums in
// fp32, one CTA a row for what reads a row twice. Named rooftile_stream_….
#pragma once

#include <algorithm>
#include <cstdint>
#include <cuda_runtime_api.h>

#include "rooftile/ops/stream_layer.hpp"
#include "rooftile/workload/dtype.hpp"
#include "rooftile/workload/op.hpp"

#ifdef __CUDACC__
#define ROOFTILE_ANYWHERE __host__ __device__
#else
#define ROOFTILE_ANYWHERE
#endif

namespace rooftile::measure {

inline constexpr double kNormEpsilon = 1e-5;

// fp32, tf32 (as fp32), fp16 or bf16. `first` and `second`: the other input, or weight and bias of a norm.
// gated_activation has one input with 2 x columns a row: gates, then what they gate.
void launch_stream(const StreamLayer& layer, DType precision, const void* input, const void* first, const void* second,
                   void* output, cudaStream_t stream);

// Keys that a query sees, [begin, end).
struct KeyRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

// Of query `row`; the last query stands at the last key.
ROOFTILE_ANYWHERE inline KeyRange keys_of(const Attention& attention, std::int64_t row) {
  const std::int64_t at = attention.kv_len - attention.q_len + row;
  const std::int64_t end = attention.causal && at + 1 < attention.kv_len ? at + 1 : attention.kv_len;
  const std::int64_t first = at + 1 - attention.window;
  return {attention.window > 0 && first > 0 ? first : 0, end};
}

// Softmax of each row of scores in place, keys that a query does not see get 0. Scores are batch x heads x q_len x
// kv_len.
void launch_masked_softmax(const Attention& attention, DType precision, void* scores, cudaStream_t stream);

}  // namespace rooftile::measure
