// What a miss of the L1 brings along: one thread loads 4 bytes of a line that is not in the L1 (ld.ca), and once they
// are there, 4 bytes at an offset from them. A hit means that the first load fetched those too: the sector (32 bytes),
// more sectors of the line, or the next line.
//
// All lines are in the L2 beforehand, the L1 is empty at the start of a kernel, and lines are 1 KiB apart. The cost of
// reading the clock, taken in the same way around nothing, is subtracted.
#include <string>
#include <vector>

#include "rooftile/measure/cuda/micro/benchmarks.hpp"
#include "rooftile/measure/cuda/micro/device.cuh"

namespace rooftile::measure {
namespace {

constexpr std::uint32_t line_count = 64;  // 64 KiB: the L1 holds what is loaded of them
constexpr std::uint32_t apart = 1024;
constexpr std::uint32_t last_offset = 256;

__device__ std::uint32_t load_ca(const std::byte* address) {
  std::uint32_t value;
  asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
  return value;
}

// `zero` is 0, which only the host knows: with it, the second address waits for the first value. The first round, past
// the lines that count, brings the instructions into their cache.
__global__ void time_second(const std::byte* data, std::uint32_t offset, std::uint32_t zero, std::int64_t* cycles,
                            std::uint32_t* sum) {
  __shared__ std::uint64_t scratch;
  std::uint32_t total = 0;
#pragma unroll 1
  for (std::uint32_t i = 0; i <= line_count; ++i) {
    const std::byte* line = data + ((i + line_count) % (line_count + 1)) * apart;
    const std::uint32_t first = load_ca(line);
    const std::byte* second_address = line + offset + (first & zero);
    const std::int64_t begin = cycles_after(reinterpret_cast<std::uint64_t>(second_address), &scratch);
    const std::int64_t nothing = cycles_after(reinterpret_cast<std::uint64_t>(second_address), &scratch);
    const std::uint32_t second = load_ca(second_address);
    const std::int64_t end = cycles_after(second, &scratch);
    if (i > 0) {
      cycles[i - 1] = (end - nothing) - (nothing - begin);
      total += first + second;
    }
  }
  *sum = total;
}

void time_offset(Bench& bench, const std::byte* data, std::uint32_t offset, std::int64_t* cycles, std::uint32_t* sum) {
  std::uint32_t expected = 0;
  for (std::uint32_t i = 0; i < line_count; ++i) {
    expected += pattern_word(i * apart / 4) + pattern_word((i * apart + offset) / 4);
  }
  std::vector<double> all;
  for (int repeat = 0; repeat < bench.repeats() && bench.go(); ++repeat) {
    bench.launch("two loads", time_second, {1, 1}, data, offset, 0U, cycles, sum);
    const auto result = bench.download(cycles, line_count);
    if (bench.download(sum, 1).front() != expected && bench.go()) {
      bench.refuse(Refusal::wrong_result, "loads at offset " + std::to_string(offset) + " gave another sum");
    }
    all.insert(all.end(), result.begin(), result.end());
  }
  bench.add("l1", offset, all, "cycles");
}

void time_offsets(Bench& bench) {
  const std::uint64_t bytes = (line_count + 1) * apart;
  const uint4* data = make_pattern(bench, (bytes + 4 * segment_words - 1) / (4 * segment_words));
  auto* cycles = bench.allocate<std::int64_t>(line_count);
  auto* sum = bench.allocate<std::uint32_t>(1);
  bench.prefer_l1(time_second);
  warm_l2(bench, data, bytes);
  for (std::uint32_t offset = 0; offset < last_offset; offset += bench.options().quick ? 32 : 8) {
    time_offset(bench, reinterpret_cast<const std::byte*>(data), offset, cycles, sum);
  }
}

}  // namespace

Outcome<std::vector<Point>> run_sector(const Device&, const MicroOptions& options) {
  return run_parts("sector", options, {time_offsets});
}

}  // namespace rooftile::measure
