#include "rooftile/measure/cuda/layers/element.cuh"
#include "rooftile/measure/cuda/layers/stream_kernels.hpp"

namespace rooftile::measure {
namespace {

constexpr unsigned kFlatThreads = 256;
constexpr unsigned kMostThreads = 1024;

__device__ inline float to_float(float x) { return x; }
__device__ inline float to_float(__half x) { return __half2float(x); }
__device__ inline float to_float(__nv_bfloat16 x) { return __bfloat162float(x); }
template <class T>
__device__ inline T from_float(float x);
template <>
__device__ inline float from_float<float>(float x) {
  return x;
}
template <>
__device__ inline __half from_float<__half>(float x) {
  return __float2half(x);
}
template <>
__device__ inline __nv_bfloat16 from_float<__nv_bfloat16>(float x) {
  return __float2bfloat16(x);
}

// N elements in one access.
template <class T, int N>
struct alignas(sizeof(T) * N) Pack {
  T at[N];
};

template <class T, int N>
__device__ inline Pack<T, N> load(const T* from, std::int64_t pack) {
  return reinterpret_cast<const Pack<T, N>*>(from)[pack];
}
template <class T, int N>
__device__ inline void store(T* to, std::int64_t pack, const Pack<T, N>& values) {
  reinterpret_cast<Pack<T, N>*>(to)[pack] = values;
}

__device__ inline float silu(float x) { return x / (1 + __expf(-x)); }

template <StreamKind kind>
__device__ inline float flat(float x, float other) {
  if constexpr (kind == StreamKind::gelu) {
    return 0.5F * x * (1 + erff(x * 0.70710678F));
  } else if constexpr (kind == StreamKind::activation) {
    return silu(x);
  } else if constexpr (kind == StreamKind::gated_activation) {
    return silu(x) * other;
  } else {
    return x + other;
  }
}

// One pack a thread. `columns` is 0 unless the two inputs lie next to each other in each row.
template <StreamKind kind, class T, int N>
__global__ void rooftile_stream_flat(const T* input, const T* second, T* output, std::int64_t packs,
                                     std::int64_t columns) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= packs) {
    return;
  }
  Pack<T, N> a;
  Pack<T, N> b{};
  if constexpr (kind == StreamKind::gated_activation) {
    const std::int64_t row_packs = columns / N;
    const std::int64_t gate = i / row_packs * 2 * row_packs + i % row_packs;
    a = load<T, N>(input, gate);
    b = load<T, N>(input, gate + row_packs);
  } else {
    a = load<T, N>(input, i);
    if constexpr (kind == StreamKind::add) {
      b = load<T, N>(second, i);
    }
  }
  Pack<T, N> out;
#pragma unroll
  for (int j = 0; j < N; ++j) {
    out.at[j] = from_float<T>(flat<kind>(to_float(a.at[j]), to_float(b.at[j])));
  }
  store<T, N>(output, i, out);
}

// RMS norm, or layer norm where `centred`: sums of the row, then the row again, from the L1 or L2 by then.
template <bool centred, class T, int N>
__global__ void rooftile_stream_norm(const T* input, const T* weight, const T* bias, T* output, std::int64_t columns) {
  const T* row = input + blockIdx.x * columns;
  const std::int64_t packs = columns / N;
  // The sum and the sum of squares, both around the first element, so that a common offset costs no digits.
  const float shift = centred ? to_float(row[0]) : 0;
  float sum = 0;
  float squares = 0;
  for (std::int64_t i = threadIdx.x; i < packs; i += blockDim.x) {
    const Pack<T, N> x = load<T, N>(row, i);
#pragma unroll
    for (int j = 0; j < N; ++j) {
      const float off = to_float(x.at[j]) - shift;
      sum += off;
      squares += off * off;
    }
  }
  squares = cta_sum(squares) / static_cast<float>(columns);
  float mean = 0;
  if constexpr (centred) {
    mean = cta_sum(sum) / static_cast<float>(columns);
    squares = fmaxf(squares - mean * mean, 0);
    mean += shift;
  }
  const float scale = rsqrtf(squares + static_cast<float>(kNormEpsilon));
  for (std::int64_t i = threadIdx.x; i < packs; i += blockDim.x) {
    const Pack<T, N> x = load<T, N>(row, i);
    const Pack<T, N> w = load<T, N>(weight, i);
    Pack<T, N> b{};
    if constexpr (centred) {
      b = load<T, N>(bias, i);
    }
    Pack<T, N> out;
#pragma unroll
    for (int j = 0; j < N; ++j) {
      out.at[j] = from_float<T>((to_float(x.at[j]) - mean) * scale * to_float(w.at[j]) + to_float(b.at[j]));
    }
    store<T, N>(output + blockIdx.x * columns, i, out);
  }
}

// The largest value and the sum of exponentials in one pass over [begin, end), then the second pass writes.
template <class T, int N>
__device__ inline void softmax_row(const T* row, T* output, std::int64_t begin, std::int64_t end) {
  const std::int64_t first = begin / N;
  const std::int64_t past = (end + N - 1) / N;
  float largest = -INFINITY;
  float sum = 0;
  for (std::int64_t i = first + threadIdx.x; i < past; i += blockDim.x) {
    const Pack<T, N> x = load<T, N>(row, i);
    float local = -INFINITY;
#pragma unroll
    for (int j = 0; j < N; ++j) {
      local = i * N + j >= begin && i * N + j < end ? fmaxf(local, to_float(x.at[j])) : local;
    }
    const float next = fmaxf(largest, local);
    sum *= __expf(largest - next);
#pragma unroll
    for (int j = 0; j < N; ++j) {
      sum += i * N + j >= begin && i * N + j < end ? __expf(to_float(x.at[j]) - next) : 0;
    }
    largest = next;
  }
  const float top = cta_max(largest);
  sum = cta_sum(largest == -INFINITY ? 0 : sum * __expf(largest - top));
  const float scale = 1 / sum;
  for (std::int64_t i = first + threadIdx.x; i < past; i += blockDim.x) {
    const Pack<T, N> x = load<T, N>(row, i);
    Pack<T, N> out;
#pragma unroll
    for (int j = 0; j < N; ++j) {
      const bool seen = i * N + j >= begin && i * N + j < end;
      out.at[j] = from_float<T>(seen ? __expf(to_float(x.at[j]) - top) * scale : 0);
    }
    store<T, N>(output, i, out);
  }
}

template <class T, int N>
__global__ void rooftile_stream_softmax(const T* input, T* output, std::int64_t columns) {
  softmax_row<T, N>(input + blockIdx.x * columns, output + blockIdx.x * columns, 0, columns);
}

template <class T, int N>
__global__ void rooftile_stream_masked_softmax(Attention attention, T* scores) {
  T* row = scores + blockIdx.x * attention.kv_len;
  const KeyRange seen = keys_of(attention, blockIdx.x % attention.q_len);
  softmax_row<T, N>(row, row, seen.begin, seen.end);
  const Pack<T, N> zeros{};
  for (std::int64_t i = threadIdx.x; i < attention.kv_len / N; i += blockDim.x) {
    if (i < seen.begin / N || i >= (seen.end + N - 1) / N) {
      store<T, N>(row, i, zeros);
    }
  }
}

// A thread for each pack of a row, in whole warps.
unsigned row_threads(std::int64_t packs) {
  return static_cast<unsigned>(std::min<std::int64_t>((packs + 31) / 32 * 32, kMostThreads));
}

template <StreamKind kind, class T, int N>
void launch_flat(const StreamLayer& layer, const void* input, const void* second, void* output, cudaStream_t stream) {
  const std::int64_t packs = layer.rows * layer.columns / N;
  const auto ctas = static_cast<unsigned>((packs + kFlatThreads - 1) / kFlatThreads);
  rooftile_stream_flat<kind, T, N><<<ctas, kFlatThreads, 0, stream>>>(
      static_cast<const T*>(input), static_cast<const T*>(second), static_cast<T*>(output), packs, layer.columns);
}

template <class T, int N>
void launch(const StreamLayer& layer, const void* input, const void* first, const void* second, void* output,
            cudaStream_t stream) {
  const auto rows = static_cast<unsigned>(layer.rows);
  const unsigned threads = row_threads(layer.columns / N);
  const auto* in = static_cast<const T*>(input);
  const auto* weight = static_cast<const T*>(first);
  const auto* bias = static_cast<const T*>(second);
  auto* out = static_cast<T*>(output);
  switch (layer.kind) {
    case StreamKind::norm:
      rooftile_stream_norm<false, T, N><<<rows, threads, 0, stream>>>(in, weight, bias, out, layer.columns);
      return;
    case StreamKind::layernorm:
      rooftile_stream_norm<true, T, N><<<rows, threads, 0, stream>>>(in, weight, bias, out, layer.columns);
      return;
    case StreamKind::softmax:
      rooftile_stream_softmax<T, N><<<rows, threads, 0, stream>>>(in, out, layer.columns);
      return;
    case StreamKind::gelu:
      launch_flat<StreamKind::gelu, T, N>(layer, input, first, output, stream);
      return;
    case StreamKind::activation:
      launch_flat<StreamKind::activation, T, N>(layer, input, first, output, stream);
      return;
    case StreamKind::gated_activation:
      launch_flat<StreamKind::gated_activation, T, N>(layer, input, first, output, stream);
      return;
    case StreamKind::add:
      launch_flat<StreamKind::add, T, N>(layer, input, first, output, stream);
      return;
  }
}

// Whether 16-byte packs fit: rows for the kinds that work by row, the whole tensor for the others.
bool packs_fit(const StreamLayer& layer, std::int64_t pack) {
  const bool flat_kind =
      layer.kind == StreamKind::gelu || layer.kind == StreamKind::activation || layer.kind == StreamKind::add;
  return (flat_kind ? layer.rows * layer.columns : layer.columns) % pack == 0;
}

template <class T>
void launch_typed(const StreamLayer& layer, const void* input, const void* first, const void* second, void* output,
                  cudaStream_t stream) {
  constexpr int kPack = 16 / sizeof(T);
  if (packs_fit(layer, kPack)) {
    launch<T, kPack>(layer, input, first, second, output, stream);
  } else {
    launch<T, 1>(layer, input, first, second, output, stream);
  }
}

template <class T>
void launch_masked(const Attention& attention, void* scores, cudaStream_t stream) {
  constexpr int kPack = 16 / sizeof(T);
  const auto rows = static_cast<unsigned>(attention.batch * attention.heads * attention.q_len);
  auto* typed = static_cast<T*>(scores);
  if (attention.kv_len % kPack == 0) {
    rooftile_stream_masked_softmax<T, kPack>
        <<<rows, row_threads(attention.kv_len / kPack), 0, stream>>>(attention, typed);
  } else {
    rooftile_stream_masked_softmax<T, 1><<<rows, row_threads(attention.kv_len), 0, stream>>>(attention, typed);
  }
}

}  // namespace

void launch_stream(const StreamLayer& layer, DType precision, const void* input, const void* first, const void* second,
                   void* output, cudaStream_t stream) {
  switch (precision) {
    case DType::fp16:
      return launch_typed<__half>(layer, input, first, second, output, stream);
    case DType::bf16:
      return launch_typed<__nv_bfloat16>(layer, input, first, second, output, stream);
    default:
      return launch_typed<float>(layer, input, first, second, output, stream);
  }
}

void launch_masked_softmax(const Attention& attention, DType precision, void* scores, cudaStream_t stream) {
  switch (precision) {
    case DType::fp16:
      return launch_masked<__half>(attention, scores, stream);
    case DType::bf16:
      return launch_masked<__nv_bfloat16>(attention, scores, stream);
    default:
      return launch_masked<float>(attention, scores, stream);
  }
}

}  // namespace rooftile::measure
