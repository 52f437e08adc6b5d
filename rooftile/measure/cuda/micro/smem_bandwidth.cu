// Bytes per second of shared memory, loads and stores, with 4, 8 and 16 bytes a lane. A warp's lanes access consecutive
// places, so no two of them one bank at a time. Every warp has 4 KiB of its own, half of which it goes through at a
// step.
#include <string>
#include <vector>

#include "rooftile/measure/cuda/micro/device.cuh"
#include "rooftile/measure/cuda/micro/mover.hpp"

namespace rooftile::measure {
namespace {

constexpr int threads = 256;
constexpr int warps = threads / 32;
constexpr int words_per_warp = 1024;
constexpr int words = warps * words_per_warp;
constexpr std::uint32_t half_bytes = 2 * words_per_warp;  // of a warp's 4 KiB

template <int bytes>
__device__ std::uint32_t load_shared(std::uint32_t address) {
  std::uint32_t value[4] = {};
  if constexpr (bytes == 4) {
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value[0]) : "r"(address) : "memory");
  } else if constexpr (bytes == 8) {
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(value[0]), "=r"(value[1]) : "r"(address) : "memory");
  } else {
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(value[0]), "=r"(value[1]), "=r"(value[2]), "=r"(value[3])
                 : "r"(address)
                 : "memory");
  }
  return value[0] + value[1] + value[2] + value[3];
}

template <int bytes>
__device__ void store_shared(std::uint32_t address, const uint4& value) {
  if constexpr (bytes == 4) {
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(address), "r"(value.x) : "memory");
  } else if constexpr (bytes == 8) {
    asm volatile("st.shared.v2.u32 [%0], {%1, %2};" ::"r"(address), "r"(value.x), "r"(value.y) : "memory");
  } else {
    asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(value.x), "r"(value.y), "r"(value.z),
                 "r"(value.w)
                 : "memory");
  }
}

// `shift` is half_bytes, which only the host knows: the address of a step differs from that of the one before, so no
// access can be left out. Loads add up what they find, stores what they left at the end.
template <int bytes, bool store>
__global__ void __launch_bounds__(threads)
    move_shared(std::uint32_t shift, std::uint32_t steps, std::uint32_t* sum, Span* span) {
  __shared__ std::uint32_t data[words];
  for (std::uint32_t i = threadIdx.x; i < words; i += threads) {
    data[i] = store ? 1 : pattern_word(i);
  }
  __syncthreads();
  const Stamp stamp = stamp_now();
  const auto base = static_cast<std::uint32_t>(__cvta_generic_to_shared(data + threadIdx.x / 32 * words_per_warp)) +
                    threadIdx.x % 32 * bytes;
  const uint4 mine = make_uint4(pattern_word(4 * threadIdx.x), pattern_word(4 * threadIdx.x + 1),
                                pattern_word(4 * threadIdx.x + 2), pattern_word(4 * threadIdx.x + 3));
  std::uint32_t total = 0;
  std::uint32_t offset = 0;
#pragma unroll 1
  for (std::uint32_t step = 0; step < steps; ++step) {
#pragma unroll
    for (std::uint32_t i = 0; i < half_bytes / (32 * bytes); ++i) {
      if constexpr (store) {
        store_shared<bytes>(base + offset + i * 32 * bytes, mine);
      } else {
        total += load_shared<bytes>(base + offset + i * 32 * bytes);
      }
    }
    offset ^= shift;
  }
  leave_span(span, stamp);
  if constexpr (store) {
    __syncthreads();
    for (std::uint32_t i = threadIdx.x; i < words; i += threads) {
      total += data[i];
    }
  }
  atomicAdd(sum, total);
}

// Of one CTA, after an even number of steps.
template <int bytes, bool store>
std::uint32_t expected_sum(std::uint32_t steps) {
  if constexpr (!store) {
    return steps / 2 * pattern_sum(words);
  }
  std::uint32_t sum = 0;
  for (std::uint32_t thread = 0; thread < threads; ++thread) {
    sum += pattern_sum(4 * thread + bytes / 4) - pattern_sum(4 * thread);
  }
  return sum * (words_per_warp * 4 / (32 * bytes));
}

template <int bytes, bool store>
void time_shared(Bench& bench) {
  const auto kernel = move_shared<bytes, store>;
  bench.prefer_smem(kernel);
  const int ctas = bench.full_grid(kernel, threads);
  auto* sum = bench.allocate<std::uint32_t>(1);
  const std::string variant = store ? "smem_store" : "smem_load";
  Mover mover;
  mover.prepare = [&] { bench.clear(sum, sizeof(*sum)); };
  mover.run = [&](std::uint32_t steps) {
    bench.launch(variant, kernel, {ctas, threads}, half_bytes, steps, sum, bench.span());
  };
  mover.check = [&](std::uint32_t steps) {
    expect_sum(bench, sum, static_cast<std::uint32_t>(ctas) * expected_sum<bytes, store>(steps), variant);
  };
  mover.bytes_per_step = 1.0 * ctas * warps * half_bytes;
  time_mover(bench, variant, bytes, mover);
}

}  // namespace

std::vector<Part> smem_bandwidth_parts() {
  return {time_shared<4, false>, time_shared<8, false>, time_shared<16, false>,
          time_shared<4, true>,  time_shared<8, true>,  time_shared<16, true>};
}

}  // namespace rooftile::measure
