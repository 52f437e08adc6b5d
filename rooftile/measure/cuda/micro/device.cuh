// Pieces of device code that several microbenchmarks share: clocks, loads by cache operator, and the walk over an array
// that micro_plan.hpp describes.
//
// Every load is an asm volatile, so that the compiler neither drops, merges nor moves it; ptxas could still merge two
// plain loads of one address, so no loop loads an address twice without the address having changed in between.
#pragma once

#include <cstdint>

#include "rooftile/measure/cuda/micro/bench.hpp"
#include "rooftile/measure/micro_plan.hpp"

namespace rooftile::measure {

struct Stamp {
  std::int64_t cycles;
  std::int64_t nanoseconds;
};

__device__ inline std::int64_t cycles_now() {
  std::int64_t cycles;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(cycles)::"memory");
  return cycles;
}

__device__ inline std::int64_t nanoseconds_now() {
  std::int64_t nanoseconds;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds)::"memory");
  return nanoseconds;
}

// The clock once `value` is there: instructions issue in order, and the store has to wait for it.
__device__ inline std::int64_t cycles_after(std::uint64_t value, std::uint64_t* shared) {
  std::int64_t cycles;
  asm volatile(
      "st.volatile.shared.u64 [%1], %2;\n\t"
      "mov.u64 %0, %%clock64;"
      : "=l"(cycles)
      : "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(shared))), "l"(value)
      : "memory");
  return cycles;
}

__device__ inline Stamp stamp_now() { return {cycles_now(), nanoseconds_now()}; }

// By the first thread of the first CTA: how long it has been since `begin`.
__device__ inline void leave_span(Span* span, const Stamp& begin) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    const Stamp end = stamp_now();
    span->cycles = end.cycles - begin.cycles;
    span->nanoseconds = end.nanoseconds - begin.nanoseconds;
  }
}

__device__ inline std::uint32_t sm_now() {
  std::uint32_t sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  return sm;
}

// Where a load may be cached: in L1 and L2, or in L2 only (PTX: .ca and .cg).
enum class Caching { l1_and_l2, l2_only };

template <Caching caching>
__device__ inline std::uint64_t load_u64(std::uint64_t address) {
  std::uint64_t value;
  if constexpr (caching == Caching::l1_and_l2) {
    asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(value) : "l"(address) : "memory");
  } else {
    asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(value) : "l"(address) : "memory");
  }
  return value;
}

template <Caching caching>
__device__ inline uint4 load_uint4(const uint4* address) {
  uint4 value;
  if constexpr (caching == Caching::l1_and_l2) {
    asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
                 : "l"(address)
                 : "memory");
  } else {
    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
                 : "l"(address)
                 : "memory");
  }
  return value;
}

inline constexpr int loads_per_segment = segment_words / (32 * 4);  // of 16 bytes, by each lane of a warp

// The sum of one lane's part of a segment, modulo 2^32.
template <Caching caching>
__device__ inline std::uint32_t segment_sum(const uint4* segment_lane) {
  uint4 values[loads_per_segment];
#pragma unroll
  for (int i = 0; i < loads_per_segment; ++i) {
    values[i] = load_uint4<caching>(segment_lane + i * 32);
  }
  std::uint32_t even = 0;
  std::uint32_t odd = 0;
#pragma unroll
  for (int i = 0; i < loads_per_segment; ++i) {
    even += values[i].x + values[i].y;
    odd += values[i].z + values[i].w;
  }
  return even + odd;
}

// Which segment a warp visits, and which next: `walkers` further, around the end.
struct Walk {
  std::uint32_t segment;
  std::uint32_t stride;
  std::uint32_t segments;

  __device__ Walk(std::uint32_t walker, std::uint32_t walkers, std::uint32_t count)
      : segment(walker % count), stride(walkers % count), segments(count) {}
  __device__ void next() {
    segment += stride;
    segment -= segment >= segments ? segments : 0;
  }
};

// Writes a pattern's words, and `flip` over them.
__global__ void fill_pattern(uint4* to, std::uint64_t vectors, std::uint32_t flip);
// Adds up `vectors` x 4 words into *sum.
__global__ void sum_words(const uint4* from, std::uint64_t vectors, std::uint32_t* sum);
// Puts a pointer to the line order[i + 1] into the line order[i], and so around: lines of chase_line_bytes from `base`.
__global__ void link_lines(std::byte* base, const std::uint32_t* order, std::uint32_t count);

inline constexpr std::uint32_t chase_line_bytes = 128;  // a line of the L2 and of the L1, of four sectors

// A buffer of segments filled with the pattern. Null after a failure.
uint4* make_pattern(Bench& bench, std::uint64_t segments);
// Reads a range once by the whole GPU through the L2, so that as much of it is there as fits, and nothing else is.
void warm_l2(Bench& bench, const void* from, std::uint64_t bytes);

}  // namespace rooftile::measure
