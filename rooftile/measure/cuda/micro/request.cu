// How many cycles one SM's L1 takes for a load of a warp that hits, by how far apart the lanes' addresses are: lane i
// loads at i x stride x (bytes a lane). Stride 0: all lanes the same word.
//
// Sixteen warps of one CTA load at the same time, each with several loads in flight (at least 3 of 16 bytes a lane, as
// ptxas orders them for 9.0), so that the figure is what the L1 can do and not one load's latency. All they read (at
// most 32 KiB) was read once before.
#include <string>
#include <vector>

#include "rooftile/measure/cuda/micro/benchmarks.hpp"
#include "rooftile/measure/cuda/micro/device.cuh"

namespace rooftile::measure {
namespace {

constexpr std::uint32_t warps = 16;
constexpr std::uint32_t unrolled = 16;
constexpr std::uint32_t window = 32 * 32 * 16;  // bytes: 32 lanes, stride 32, 16 bytes a lane
constexpr std::uint32_t line_bytes = 128;
constexpr std::uint32_t strides[] = {0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32};

template <int bytes>
__device__ std::uint32_t load_sum(std::uint64_t address) {
  std::uint32_t value[4] = {};
  if constexpr (bytes == 4) {
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(value[0]) : "l"(address) : "memory");
  } else if constexpr (bytes == 8) {
    asm volatile("ld.global.ca.v2.u32 {%0, %1}, [%2];" : "=r"(value[0]), "=r"(value[1]) : "l"(address) : "memory");
  } else {
    asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(value[0]), "=r"(value[1]), "=r"(value[2]), "=r"(value[3])
                 : "l"(address)
                 : "memory");
  }
  return value[0] + value[1] + value[2] + value[3];
}

// Each warp issues steps x unrolled loads. Load j of them is at the lane's place + j x 128 B, modulo the window: the
// lanes lie to the lines as in load 0, and no load repeats the address of the one before.
template <int bytes>
__global__ void request(std::uint64_t base, std::uint32_t stride, std::uint32_t steps, std::int64_t* cycles,
                        std::uint32_t* sums, Span* span) {
  const std::uint32_t lane = threadIdx.x % 32;
  const std::uint64_t lane_base = base + lane * stride * bytes;
  std::uint32_t sum = 0;
  std::int64_t begin = 0;
  Stamp stamp{};
#pragma unroll 1
  for (int timed = 0; timed < 2; ++timed) {  // the first walk fills the L1 with all of the window
    sum = 0;
    __syncthreads();
    stamp = stamp_now();
    begin = stamp.cycles;
    std::uint32_t offset = 0;
#pragma unroll 1
    for (std::uint32_t step = 0; step < steps; ++step) {
#pragma unroll
      for (std::uint32_t i = 0; i < unrolled; ++i) {
        sum += load_sum<bytes>(lane_base + offset + i * line_bytes);
      }
      offset = (offset + unrolled * line_bytes) % window;
    }
    sums[threadIdx.x] = sum;  // waits for the loads
    __syncthreads();
  }
  const std::int64_t end = cycles_now();
  leave_span(span, stamp);
  if (threadIdx.x == 0) {
    *cycles = end - begin;
  }
}

template <int bytes>
std::uint32_t expected_sum(std::uint32_t lane, std::uint32_t stride, std::uint32_t steps) {
  std::uint32_t sum = 0;
  for (std::uint32_t load = 0; load < steps * unrolled; ++load) {
    const std::uint64_t first = (lane * stride * bytes + load * line_bytes % window) / 4;
    sum += pattern_sum(first + bytes / 4) - pattern_sum(first);
  }
  return sum;
}

template <int bytes>
void time_strides(Bench& bench) {
  const uint4* data = make_pattern(bench, 2 * window / (4 * segment_words));
  auto* cycles = bench.allocate<std::int64_t>(1);
  auto* sums = bench.allocate<std::uint32_t>(32 * warps);
  bench.prefer_l1(request<bytes>);
  const std::uint32_t steps = bench.options().quick ? 256 : 4096;
  for (const std::uint32_t stride : strides) {
    std::vector<std::uint32_t> expected;
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      expected.push_back(expected_sum<bytes>(lane, stride, steps));
    }
    for (std::uint32_t thread = 32; thread < 32 * warps; ++thread) {  // every warp reads the same
      expected.push_back(expected[thread - 32]);
    }
    std::vector<double> per_request;
    for (int repeat = 0; repeat < bench.repeats() && bench.go(); ++repeat) {
      bench.launch("loads of the L1", request<bytes>, {1, 32 * warps}, reinterpret_cast<std::uint64_t>(data), stride,
                   steps, cycles, sums, bench.span());
      const double taken = static_cast<double>(bench.download(cycles, 1).front());
      if (bench.download(sums, 32 * warps) != expected && bench.go()) {
        bench.refuse(Refusal::wrong_result, "loads with stride " + std::to_string(stride) + " gave another sum");
      }
      bench.note_clock();
      per_request.push_back(taken / (static_cast<double>(steps) * unrolled * warps));
    }
    bench.add("load_" + std::to_string(bytes), stride, per_request, "cycles");
  }
}

}  // namespace

Outcome<std::vector<Point>> run_request(const Device&, const MicroOptions& options) {
  return run_parts("request", options, {time_strides<4>, time_strides<8>, time_strides<16>});
}

}  // namespace rooftile::measure
