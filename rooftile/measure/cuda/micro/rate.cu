// Operations per second of the arithmetic units and, through mma.sync, of the tensor units. wgmma, which alone reaches
// Hopper's peak, is in rate_wgmma.cu; Blackwell's tcgen05 is not measured.
//
// Every thread runs 8 chains of multiply-adds that do not wait for one another, with as many warps as fit. Operands
// stay in registers and are the same for all lanes: few bits change from one operation to the next, so the power limit
// seldom lowers the clock, and the figure is what the units can do. The point `clock` tells the clock it was reached
// at; a GEMM on real data on a GPU at its power limit runs slower.
#include <cmath>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <string>
#include <vector>

#include "rooftile/measure/cuda/micro/benchmarks.hpp"
#include "rooftile/measure/cuda/micro/device.cuh"
#include "rooftile/measure/cuda/micro/operands.hpp"
#include "rooftile/measure/cuda/micro/rate.hpp"

namespace rooftile::measure {
namespace {

constexpr int chains = 8;
constexpr int unrolled = 16;

// x <- x a + b, with a = 1 and b = 1: a chain counts its operations, exactly in each of these types.
template <class Number>
struct OneToARegister {
  using Value = Number;
  static constexpr int lanes = 1;
  static constexpr bool counts = true;
  static constexpr bool on(int /*capability*/) { return true; }
  static __device__ Value make(float value) { return static_cast<Value>(value); }
  static __device__ double sum(Value value) { return value; }
};

struct Fp64 : OneToARegister<double> {
  static constexpr const char* name = "fp64";
  static __device__ void step(Value& x, Value a, Value b) {
    asm volatile("fma.rn.f64 %0, %0, %1, %2;" : "+d"(x) : "d"(a), "d"(b));
  }
};

struct Fp32 : OneToARegister<float> {
  static constexpr const char* name = "fp32";
  static __device__ void step(Value& x, Value a, Value b) {
    asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x) : "f"(a), "f"(b));
  }
};

struct Int32 : OneToARegister<std::int32_t> {
  static constexpr const char* name = "int32";
  static __device__ void step(Value& x, Value a, Value b) {
    asm volatile("mad.lo.s32 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b));
  }
};

// These cannot count far: with a = -1 and b = 3, x becomes 3 - x and x again.
struct TwoToARegister {
  using Value = std::uint32_t;
  static constexpr int lanes = 2;
  static constexpr bool counts = false;
};

struct Fp16 : TwoToARegister {
  static constexpr const char* name = "fp16";
  static constexpr bool on(int /*capability*/) { return true; }
  static __device__ Value make(float value) {
    const std::uint32_t bits = __half_as_ushort(__float2half_rn(value));
    return bits << 16 | bits;
  }
  static __device__ double sum(Value value) {
    return __half2float(__ushort_as_half(static_cast<unsigned short>(value & 0xffff))) +
           __half2float(__ushort_as_half(static_cast<unsigned short>(value >> 16)));
  }
  static __device__ void step(Value& x, Value a, Value b) {
    asm volatile("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b));
  }
};

struct Bf16 : TwoToARegister {
  static constexpr const char* name = "bf16";
  static constexpr bool on(int capability) { return capability >= 80; }
  static __device__ Value make(float value) {
    const std::uint32_t bits = __float_as_uint(value) >> 16;  // small integers lose nothing
    return bits << 16 | bits;
  }
  static __device__ double sum(Value value) {
    return __uint_as_float(value << 16) + __uint_as_float(value & 0xffff0000U);
  }
  static __device__ void step(Value& x, Value a, Value b) {
#if __CUDA_ARCH__ >= 800
    asm volatile("fma.rn.bf16x2 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b));
#endif
  }
};

template <class Type>
__global__ void __launch_bounds__(rate_threads)
    multiply_add(float a_value, float b_value, std::uint32_t steps, double* out, Span* span) {
  const typename Type::Value a = Type::make(a_value);
  const typename Type::Value b = Type::make(b_value);
  typename Type::Value x[chains];
#pragma unroll
  for (int chain = 0; chain < chains; ++chain) {
    x[chain] = Type::make(static_cast<float>(chain + 1));
  }
  const Stamp stamp = stamp_now();
#pragma unroll 1
  for (std::uint32_t step = 0; step < steps; ++step) {
#pragma unroll
    for (int i = 0; i < unrolled; ++i) {
#pragma unroll
      for (int chain = 0; chain < chains; ++chain) {
        Type::step(x[chain], a, b);
      }
    }
  }
  leave_span(span, stamp);
  double sum = 0;
#pragma unroll
  for (int chain = 0; chain < chains; ++chain) {
    Type::step(x[chain], a, b);  // makes the count odd
    sum += Type::sum(x[chain]);
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

template <class Type>
double expected_sum(std::uint32_t steps) {
  double sum = 0;
  for (int chain = 0; chain < chains; ++chain) {
    const double first = chain + 1;
    sum += Type::lanes * (Type::counts ? first + (static_cast<double>(steps) * unrolled + 1) : 3 - first);
  }
  return sum;
}

template <class Type>
void time_type(Bench& bench) {
  const auto kernel = multiply_add<Type>;
  RateLoop loop;
  loop.variant = Type::name;
  loop.ctas = bench.full_grid(kernel, rate_threads);
  loop.operations_per_step = 2.0 * Type::lanes * unrolled * chains * rate_threads * loop.ctas;
  loop.exists = Type::on(bench.chip().compute_capability()) && Type::on(bench.built_for(kernel));
  loop.launch = [&](std::uint32_t steps, double* out) {
    const float a = Type::counts ? 1.0F : -1.0F;
    const float b = Type::counts ? 1.0F : 3.0F;
    bench.launch(Type::name, kernel, {loop.ctas, rate_threads}, a, b, steps, out, bench.span());
  };
  loop.expected = expected_sum<Type>;
  time_rate(bench, loop);
}

// One m16n8 tile a warp, its depth `k`. Accumulators of fp8 keep few bits, so the sign of A alternates and the sum
// stays small; the last product, positive, is what is left.
//
// The instruction for a shape and its types; a macro, since asm takes literals alone. `kind` is the accumulators' kind
// of register. Before 8.0 there are only smaller tiles.
#define ROOFTILE_MMA(shape, types, kind, d, a4, b2)                                                                 \
  asm volatile("mma.sync.aligned." shape ".row.col." types " {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%5,%5}, {%0,%1,%2,%3};" \
               : "+" kind(d[0]), "+" kind(d[1]), "+" kind(d[2]), "+" kind(d[3])                                     \
               : "r"(a4), "r"(b2))

struct MmaFp16 : Fp16Operands {
  static constexpr const char* name = "mma_fp16";
  static constexpr bool on(int capability) { return capability >= 75; }
  static __device__ void mma(Sum (&d)[4], std::uint32_t a4, std::uint32_t b2) {
#if __CUDA_ARCH__ >= 800
    ROOFTILE_MMA("m16n8k16", "f32.f16.f16.f32", "f", d, a4, b2);
#else  // Turing: half as deep
    for (int half = 0; half < 2; ++half) {
      asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4}, {%5}, {%0,%1,%2,%3};"
                   : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                   : "r"(a4), "r"(b2));
    }
#endif
  }
};

struct MmaBf16 : Bf16Operands {
  static constexpr const char* name = "mma_bf16";
  static constexpr bool on(int capability) { return capability >= 80; }
  static __device__ void mma(Sum (&d)[4], std::uint32_t a4, std::uint32_t b2) {
#if __CUDA_ARCH__ >= 800
    ROOFTILE_MMA("m16n8k16", "f32.bf16.bf16.f32", "f", d, a4, b2);
#endif
  }
};

struct MmaTf32 : Tf32Operands {
  static constexpr const char* name = "mma_tf32";
  static constexpr bool on(int capability) { return capability >= 80; }
  static __device__ void mma(Sum (&d)[4], std::uint32_t a4, std::uint32_t b2) {
#if __CUDA_ARCH__ >= 800
    ROOFTILE_MMA("m16n8k8", "f32.tf32.tf32.f32", "f", d, a4, b2);
#endif
  }
};

struct MmaFp8 : Fp8Operands {
  static constexpr const char* name = "mma_fp8";
  // Chips whose tensor units multiply fp8 through wgmma or tcgen05 alone (9.0, 10.x, 11.0) have no such instruction:
  // ptxas takes it apart into conversions, fp16 products and additions, and leaves out the products that are equal.
  static constexpr bool on(int capability) { return capability == 89 || capability >= 120; }
  static __device__ void mma(Sum (&d)[4], std::uint32_t a4, std::uint32_t b2) {
#if __CUDA_ARCH__ == 890 || __CUDA_ARCH__ >= 1200
    ROOFTILE_MMA("m16n8k32", "f32.e4m3.e4m3.f32", "f", d, a4, b2);
#endif
  }
};

struct MmaInt8 : Int8Operands {
  static constexpr const char* name = "mma_int8";
  static constexpr bool on(int capability) { return capability >= 75; }
  static __device__ void mma(Sum (&d)[4], std::uint32_t a4, std::uint32_t b2) {
#if __CUDA_ARCH__ >= 800
    ROOFTILE_MMA("m16n8k32", "s32.s8.s8.s32", "r", d, a4, b2);
#else  // Turing: a quarter at a time
    for (int quarter = 0; quarter < 4; ++quarter) {
      const int row = 2 * (quarter % 2);
      asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0,%1}, {%2}, {%3}, {%0,%1};"
                   : "+r"(d[row]), "+r"(d[row + 1])
                   : "r"(a4), "r"(b2));
    }
#endif
  }
};

#undef ROOFTILE_MMA

// a, b: from the host, so that the compiler does not know them.
template <class Type>
__global__ void __launch_bounds__(rate_threads)
    multiply_tiles(std::uint32_t a, std::uint32_t negative_a, std::uint32_t b, std::uint32_t steps, double* out,
                   Span* span) {
  typename Type::Sum d[chains][4] = {};
  const Stamp stamp = stamp_now();
#pragma unroll 1
  for (std::uint32_t step = 0; step < steps; ++step) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
      for (int chain = 0; chain < chains; ++chain) {
        Type::mma(d[chain], i % 2 == 0 ? a : negative_a, b);
      }
    }
  }
  leave_span(span, stamp);
  double sum = 0;
#pragma unroll
  for (int chain = 0; chain < chains; ++chain) {
    Type::mma(d[chain], a, b);
    for (int i = 0; i < 4; ++i) {
      sum += d[chain][i];
    }
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

template <class Type>
void time_tiles(Bench& bench) {
  const auto kernel = multiply_tiles<Type>;
  RateLoop loop;
  loop.variant = Type::name;
  loop.ctas = bench.full_grid(kernel, rate_threads);
  loop.operations_per_step = 2.0 * 16 * 8 * Type::k * 4 * chains * (rate_threads / 32) * loop.ctas;
  loop.exists = Type::on(bench.chip().compute_capability()) && Type::on(bench.built_for(kernel));
  loop.launch = [&](std::uint32_t steps, double* out) {
    bench.launch(Type::name, kernel, {loop.ctas, rate_threads}, Type::a_value, Type::negative_a_value, Type::b_value,
                 steps, out, bench.span());
  };
  loop.expected = [](std::uint32_t) { return chains * 4 * Type::k * Type::product; };
  time_rate(bench, loop);
}

}  // namespace

Outcome<std::vector<Point>> run_rate(const Device&, const MicroOptions& options) {
  std::vector<Part> parts = {time_type<Fp64>,    time_type<Fp32>,     time_type<Fp16>,     time_type<Bf16>,
                             time_type<Int32>,   time_tiles<MmaFp16>, time_tiles<MmaBf16>, time_tiles<MmaTf32>,
                             time_tiles<MmaFp8>, time_tiles<MmaInt8>};
  const std::vector<Part> wgmma = wgmma_parts();
  parts.insert(parts.end(), wgmma.begin(), wgmma.end());
  return run_parts("rate", options, parts);
}

}  // namespace rooftile::measure
