// One element of a tensor of any type, as a number.
#pragma once

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "rooftile/workload/dtype.hpp"

namespace rooftile::measure {

__device__ inline double element(const void* data, DType type, std::int64_t i) {
  switch (type) {
    case DType::fp64:
      return static_cast<const double*>(data)[i];
    case DType::fp32:
    case DType::tf32:
      return static_cast<const float*>(data)[i];
    case DType::fp16:
      return __half2float(static_cast<const __half*>(data)[i]);
    case DType::bf16:
      return __bfloat162float(static_cast<const __nv_bfloat16*>(data)[i]);
    case DType::fp8:
      return static_cast<float>(static_cast<const __nv_fp8_e4m3*>(data)[i]);
    case DType::int64:
      return static_cast<double>(static_cast<const std::int64_t*>(data)[i]);
    case DType::int32:
      return static_cast<const std::int32_t*>(data)[i];
    case DType::int16:
      return static_cast<const std::int16_t*>(data)[i];
    case DType::int8:
    case DType::boolean:
      return static_cast<const std::int8_t*>(data)[i];
    case DType::int4:  // no layer here has these
    case DType::q8_0:
    case DType::q4_0:
    case DType::q4_k_m:
      break;
  }
  return 0;
}

// Rounds to the type; only the types that inputs have.
__device__ inline void set_element(void* data, DType type, std::int64_t i, float value) {
  switch (type) {
    case DType::fp32:
    case DType::tf32:
      static_cast<float*>(data)[i] = value;
      return;
    case DType::fp16:
      static_cast<__half*>(data)[i] = __float2half(value);
      return;
    case DType::bf16:
      static_cast<__nv_bfloat16*>(data)[i] = __float2bfloat16(value);
      return;
    case DType::fp8:
      static_cast<__nv_fp8_e4m3*>(data)[i] = __nv_fp8_e4m3(value);
      return;
    case DType::int8:
      static_cast<std::int8_t*>(data)[i] = static_cast<std::int8_t>(rintf(value * 127));
      return;
    default:
      return;
  }
}

// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014) of a counter.
__device__ inline std::uint64_t hash(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// The sum over the threads of a CTA of up to 1024, a multiple of 32, in every thread.
template <class T>
__device__ inline T cta_sum(T value) {
  __shared__ T partial[32];
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(0xffffffffU, value, offset);
  }
  if (threadIdx.x % 32 == 0) {
    partial[threadIdx.x / 32] = value;
  }
  __syncthreads();
  T sum = 0;
  for (unsigned warp = 0; warp < blockDim.x / 32; ++warp) {
    sum += partial[warp];
  }
  __syncthreads();
  return sum;
}

template <class T>
__device__ inline T cta_max(T value) {
  __shared__ T partial[32];
  for (int offset = 16; offset > 0; offset /= 2) {
    const T other = __shfl_xor_sync(0xffffffffU, value, offset);
    value = other > value ? other : value;
  }
  if (threadIdx.x % 32 == 0) {
    partial[threadIdx.x / 32] = value;
  }
  __syncthreads();
  T largest = partial[0];
  for (unsigned warp = 1; warp < blockDim.x / 32; ++warp) {
    largest = partial[warp] > largest ? partial[warp] : largest;
  }
  __syncthreads();
  return largest;
}

}  // namespace rooftile::measure
