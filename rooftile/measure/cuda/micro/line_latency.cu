// How far each of many L2 lines is from one SM. Where the L2 has two parts (A100, H100), lines of the far one take
// longer, and the points fall into two groups.
//
// One thread of SM 0 reads a line that points to itself, 32 times in a dependent chain, L2 hits all. The lines stand at
// random places in a quarter of the L2's capacity, because which part a line belongs to is a hash of its address.
#include <algorithm>
#include <string>
#include <vector>

#include "rooftile/measure/cuda/micro/benchmarks.hpp"
#include "rooftile/measure/cuda/micro/device.cuh"

namespace rooftile::measure {
namespace {

constexpr std::uint32_t chosen_sm = 0;
constexpr std::uint32_t loads = 32;
constexpr std::uint32_t line_count = 512;

// `cycles[i]`: of `loads` loads of line order[i]. The first CTA to arrive on the chosen SM does it, the others leave.
__global__ void time_lines(const std::byte* base, const std::uint32_t* order, std::uint32_t count, std::uint32_t rounds,
                           std::int64_t* cycles, std::uint32_t* taken, std::uint32_t* wrong, Span* span) {
  __shared__ std::uint64_t scratch;
  if (sm_now() != chosen_sm || atomicExch(taken, 1U) != 0) {
    return;
  }
  const Stamp stamp = stamp_now();
  for (std::uint32_t round = 0; round < rounds; ++round) {  // the first warms up; the last counts
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint64_t line = reinterpret_cast<std::uint64_t>(base) + std::uint64_t{order[i]} * chase_line_bytes;
      std::uint64_t address = load_u64<Caching::l2_only>(line);
      const std::int64_t begin = cycles_after(address, &scratch);
#pragma unroll
      for (std::uint32_t load = 0; load < loads; ++load) {
        address = load_u64<Caching::l2_only>(address);
      }
      cycles[i] = cycles_after(address, &scratch) - begin;
      *wrong += address != line ? 1 : 0;
    }
  }
  const Stamp end = stamp_now();
  span->cycles = end.cycles - stamp.cycles;
  span->nanoseconds = end.nanoseconds - stamp.nanoseconds;
}

__global__ void point_to_self(std::byte* base, const std::uint32_t* order, std::uint32_t count) {
  for (std::uint32_t i = threadIdx.x; i < count; i += blockDim.x) {
    const std::uint64_t line = reinterpret_cast<std::uint64_t>(base) + std::uint64_t{order[i]} * chase_line_bytes;
    *reinterpret_cast<std::uint64_t*>(line) = line;
  }
}

void time_all_lines(Bench& bench) {
  const std::uint64_t bytes = std::max<std::uint64_t>(bench.chip().l2_bytes / 4, line_count * chase_line_bytes);
  const std::uint32_t wanted = bench.options().quick ? line_count / 4 : line_count;
  const std::vector<std::uint32_t> order = chase_order(bytes / chase_line_bytes, wanted, 1);
  const auto count = static_cast<std::uint32_t>(order.size());

  auto* base = bench.allocate<std::byte>(bytes);
  auto* device_order = bench.allocate<std::uint32_t>(count);
  auto* cycles = bench.allocate<std::int64_t>(count);
  auto* flags = bench.allocate<std::uint32_t>(2);
  bench.upload(device_order, order);
  bench.launch("setting up lines", point_to_self, {1, 512}, base, device_order, count);

  std::vector<std::vector<double>> per_load(count);
  for (int repeat = 0; repeat < bench.repeats() && bench.go(); ++repeat) {
    bench.clear(flags, 2 * sizeof(std::uint32_t));
    bench.launch("reading lines", time_lines, {4 * bench.chip().sm_count, 1}, base, device_order, count, 2U, cycles,
                 flags, flags + 1, bench.span());
    const auto result = bench.download(cycles, count);
    const auto flag = bench.download(flags, 2);
    if (bench.go() && flag[0] == 0) {
      bench.refuse(Refusal::unsupported, "no CTA ran on SM " + std::to_string(chosen_sm));
    }
    if (bench.go() && flag[1] != 0) {
      bench.refuse(Refusal::wrong_result, "a line held something else than its address");
    }
    bench.note_clock();
    for (std::uint32_t i = 0; i < count; ++i) {
      per_load[i].push_back(static_cast<double>(result[i]) / loads);
    }
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    bench.add("global", i, per_load[i], "cycles");
  }
}

}  // namespace

Outcome<std::vector<Point>> run_line_latency(const Device&, const MicroOptions& options) {
  return run_parts("line_latency", options, {time_all_lines});
}

}  // namespace rooftile::measure
