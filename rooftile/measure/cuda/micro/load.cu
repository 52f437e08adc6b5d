// The loads under which sustained.cpp watches the clocks: multiply-adds and tensor products as in rate.cu, but operands
// are random, differ from lane to lane and change from one operation to the next, as in real work. What a GPU draws
// depends on how many bits change: with one value everywhere it would stay below its power limit, and its clock high.
#include "rooftile/measure/cuda/micro/device.cuh"
#include "rooftile/measure/cuda/micro/rate.hpp"

namespace rooftile::measure {
namespace {

constexpr int chains = 8;
constexpr int unrolled = 16;

__device__ std::uint64_t random_bits(std::uint32_t number) {
  return mix((std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x) << 8 | number);
}

// Between 1 and 2, of either sign: one, and two halves.
__device__ float random_float(std::uint64_t bits) {
  return __uint_as_float((static_cast<std::uint32_t>(bits) & 0x807fffffU) | 0x3f800000U);
}
__device__ std::uint32_t random_halves(std::uint64_t bits) {
  return (static_cast<std::uint32_t>(bits) & 0x83ff83ffU) | 0x3c003c00U;
}

__device__ void multiply_add(float& x, float a, float b) {
  asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x) : "f"(a), "f"(b));
}

// x becomes x a + b and, up to rounding, x again: whatever the number of steps, it stays of the order of one.
__global__ void __launch_bounds__(rate_threads) load_fp32(std::uint32_t steps, double* out, Span* span) {
  const float a = random_float(random_bits(0));
  const float b = random_float(random_bits(1));
  const float back_a = 1 / a;
  const float back_b = -b / a;
  float x[chains];
#pragma unroll
  for (int chain = 0; chain < chains; ++chain) {
    x[chain] = random_float(random_bits(2 + chain));
  }
  const Stamp stamp = stamp_now();
#pragma unroll 1
  for (std::uint32_t step = 0; step < steps; ++step) {
#pragma unroll
    for (int i = 0; i < unrolled; ++i) {
#pragma unroll
      for (int chain = 0; chain < chains; ++chain) {
        multiply_add(x[chain], i % 2 == 0 ? a : back_a, i % 2 == 0 ? b : back_b);
      }
    }
  }
  leave_span(span, stamp);
  double sum = 0;
#pragma unroll
  for (int chain = 0; chain < chains; ++chain) {
    sum += x[chain];
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__device__ void multiply_tile(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
#if __CUDA_ARCH__ >= 800
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else  // Turing: half as deep
  for (int half = 0; half < 2; ++half) {
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[2 * half]), "r"(a[2 * half + 1]), "r"(b[half]));
  }
#endif
}

__global__ void __launch_bounds__(rate_threads) load_fp16(std::uint32_t steps, double* out, Span* span) {
  std::uint32_t a[2][4];
  std::uint32_t b[2][2];
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    a[i / 4][i % 4] = random_halves(random_bits(i));
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    b[i / 2][i % 2] = random_halves(random_bits(8 + i));
  }
  float d[chains][4] = {};
  const Stamp stamp = stamp_now();
#pragma unroll 1
  for (std::uint32_t step = 0; step < steps; ++step) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
      for (int chain = 0; chain < chains; ++chain) {
        multiply_tile(d[chain], a[(i + chain) % 2], b[i / 2]);
      }
    }
  }
  leave_span(span, stamp);
  double sum = 0;
#pragma unroll
  for (int chain = 0; chain < chains; ++chain) {
    for (int i = 0; i < 4; ++i) {
      sum += d[chain][i];
    }
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

}  // namespace

void launch_fp32_load(Bench& bench, std::uint32_t steps, double* out) {
  bench.launch("fp32 load", load_fp32, {bench.full_grid(load_fp32, rate_threads), rate_threads}, steps, out,
               bench.span());
}

void launch_fp16_load(Bench& bench, std::uint32_t steps, double* out) {
  bench.launch("fp16 load", load_fp16, {bench.full_grid(load_fp16, rate_threads), rate_threads}, steps, out,
               bench.span());
}

}  // namespace rooftile::measure
