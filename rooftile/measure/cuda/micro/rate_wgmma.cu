// Operations per second of Hopper's tensor units, which only wgmma reaches: a warpgroup (4 warps) multiplies A (64 x K)
// and B (K x 128) from shared memory into 64 accumulators a thread, K being 32 bytes deep.
//
// Needs code for sm_90a, which runs on no other chip; the rest of the program is built for others too. Operands are one
// value each, as in rate.cu, so how they lie in shared memory does not change the result. They lie as without swizzle:
// blocks of 8 rows x 16 bytes, each contiguous, so no two rows share a bank. Chains of 16 products start anew, because
// the accumulators of fp8 keep few bits.
#include <string>
#include <vector>

#include "rooftile/measure/cuda/micro/device.cuh"
#include "rooftile/measure/cuda/micro/operands.hpp"
#include "rooftile/measure/cuda/micro/rate.hpp"

namespace rooftile::measure {
namespace {

constexpr int products = 16;      // in one chain
constexpr int accumulators = 64;  // of a thread: 64 x 128 / 128 threads
constexpr std::uint32_t a_bytes = 64 * 32;
constexpr std::uint32_t b_bytes = 128 * 32;

// Where a matrix begins, and how far apart its blocks of 16 bytes x 8 rows are along K (128 B) and along the rows
// (256 B), all in units of 16 bytes (PTX ISA, "Matrix Descriptor Format" of wgmma).
__device__ std::uint64_t descriptor(const void* shared) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
  return std::uint64_t{(address & 0x3ffff) >> 4} | std::uint64_t{128 >> 4} << 16 | std::uint64_t{256 >> 4} << 32;
}

// clang-format off
#define ROOFTILE_ACCUMULATORS \
  "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15," \
  "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31," \
  "%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47," \
  "%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63}"
#define ROOFTILE_8(kind, d, i) \
  kind(d[i]), kind(d[i + 1]), kind(d[i + 2]), kind(d[i + 3]), kind(d[i + 4]), kind(d[i + 5]), kind(d[i + 6]), kind(d[i + 7])
#define ROOFTILE_64(kind, d) \
  ROOFTILE_8(kind, d, 0), ROOFTILE_8(kind, d, 8), ROOFTILE_8(kind, d, 16), ROOFTILE_8(kind, d, 24), \
  ROOFTILE_8(kind, d, 32), ROOFTILE_8(kind, d, 40), ROOFTILE_8(kind, d, 48), ROOFTILE_8(kind, d, 56)
// d = A B + (add != 0 ? d : 0); `shape` with the types, `scales` what follows the predicate.
#define ROOFTILE_WGMMA(kind, shape, scales) \
  asm volatile("{\n\t.reg .pred add;\n\tsetp.ne.b32 add, %66, 0;\n\t" \
               "wgmma.mma_async.sync.aligned." shape " " ROOFTILE_ACCUMULATORS ", %64, %65, add" scales ";\n\t}" \
               : ROOFTILE_64(kind, d) \
               : "l"(a), "l"(b), "r"(add))
// clang-format on

struct WgmmaFp16 : Fp16Operands {
  static constexpr const char* name = "wgmma_fp16";
  static __device__ void multiply(Sum (&d)[accumulators], std::uint64_t a, std::uint64_t b, int add) {
    ROOFTILE_WGMMA("+f", "m64n128k16.f32.f16.f16", ", 1, 1, 0, 0");
  }
};

struct WgmmaBf16 : Bf16Operands {
  static constexpr const char* name = "wgmma_bf16";
  static __device__ void multiply(Sum (&d)[accumulators], std::uint64_t a, std::uint64_t b, int add) {
    ROOFTILE_WGMMA("+f", "m64n128k16.f32.bf16.bf16", ", 1, 1, 0, 0");
  }
};

struct WgmmaTf32 : Tf32Operands {
  static constexpr const char* name = "wgmma_tf32";
  static __device__ void multiply(Sum (&d)[accumulators], std::uint64_t a, std::uint64_t b, int add) {
    ROOFTILE_WGMMA("+f", "m64n128k8.f32.tf32.tf32", ", 1, 1");
  }
};

struct WgmmaFp8 : Fp8Operands {
  static constexpr const char* name = "wgmma_fp8";
  static __device__ void multiply(Sum (&d)[accumulators], std::uint64_t a, std::uint64_t b, int add) {
    ROOFTILE_WGMMA("+f", "m64n128k32.f32.e4m3.e4m3", ", 1, 1");
  }
};

struct WgmmaInt8 : Int8Operands {
  static constexpr const char* name = "wgmma_int8";
  static __device__ void multiply(Sum (&d)[accumulators], std::uint64_t a, std::uint64_t b, int add) {
    ROOFTILE_WGMMA("+r", "m64n128k32.s32.s8.s8", "");
  }
};

template <class Type>
__global__ void __launch_bounds__(rate_threads, 2) multiply_groups(std::uint32_t steps, double* out, Span* span) {
  __shared__ alignas(1024) std::uint32_t a[a_bytes / 4];
  __shared__ alignas(1024) std::uint32_t b[b_bytes / 4];
  for (std::uint32_t i = threadIdx.x; i < a_bytes / 4; i += rate_threads) {
    a[i] = Type::a_value;
  }
  for (std::uint32_t i = threadIdx.x; i < b_bytes / 4; i += rate_threads) {
    b[i] = Type::b_value;
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // what was written is for wgmma to read
  __syncthreads();
  const std::uint64_t a_descriptor = descriptor(a);
  const std::uint64_t b_descriptor = descriptor(b);
  typename Type::Sum d[accumulators] = {};
  const Stamp stamp = stamp_now();
#pragma unroll 1
  for (std::uint32_t step = 0; step < steps; ++step) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int i = 0; i < products; ++i) {
      Type::multiply(d, a_descriptor, b_descriptor, i);
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  }
  leave_span(span, stamp);
  typename Type::Sum sum = 0;  // small whole numbers: exact
#pragma unroll
  for (int i = 0; i < accumulators; ++i) {
    sum += d[i];
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

template <class Type>
void time_groups(Bench& bench) {
  RateLoop loop;
  loop.variant = Type::name;
  loop.exists = bench.chip().compute_capability() == 90;
  if (!loop.exists) {
    time_rate(bench, loop);  // says why not; no code to ask for the number of CTAs that fit
    return;
  }
  const auto kernel = multiply_groups<Type>;
  loop.ctas = bench.full_grid(kernel, rate_threads);
  loop.operations_per_step = 2.0 * 64 * 128 * Type::k * products * (rate_threads / 128) * loop.ctas;
  loop.launch = [&](std::uint32_t steps, double* out) {
    bench.launch(Type::name, kernel, {loop.ctas, rate_threads}, steps, out, bench.span());
  };
  loop.expected = [](std::uint32_t) { return accumulators * products * Type::k * Type::product; };
  time_rate(bench, loop);
}

}  // namespace

std::vector<Part> wgmma_parts() {
  return {time_groups<WgmmaFp16>, time_groups<WgmmaBf16>, time_groups<WgmmaTf32>, time_groups<WgmmaFp8>,
          time_groups<WgmmaInt8>};
}

}  // namespace rooftile::measure
