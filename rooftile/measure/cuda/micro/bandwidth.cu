// Bytes per second of each level of the memory.
//
// Reads: warps walk over an array in segments of 4 KiB, 8 loads of 16 bytes a lane in flight each, again and again
// until it takes milliseconds; a set that fits into a level comes from there from the second time on.
//   l1       every CTA reads the same set by itself, so each SM's L1 holds it; loads may be cached in L1 (ld.ca)
//   l2_read  all CTAs together read the set once, interleaved by segment, then once more …; no load is cached in L1
//            (ld.cg), so beyond the L1's capacity too the figure is the L2's. The sweep runs to four times the L2,
//            where it falls to DRAM's; the method is that of gpu-l2-cache (RRZE, github.com/RRZE-HPC/gpu-benches),
//            which sweeps the set that all CTAs share, but here a set is shared out and not read whole by each CTA.
//   l2_write the same walk with stores
//   dram_…   the same with arrays of at least 16 times the L2 and 1 GiB, where memory allows
// As many CTAs of 512 threads as fit fill the chip. What was read and what was written is checked by its sum.
// Shared memory is in smem_bandwidth.cu.
#include <algorithm>
#include <string>
#include <vector>

#include "rooftile/measure/cuda/micro/benchmarks.hpp"
#include "rooftile/measure/cuda/micro/device.cuh"
#include "rooftile/measure/cuda/micro/mover.hpp"

namespace rooftile::measure {
namespace {

constexpr int threads = 512;
constexpr int warps = threads / 32;
constexpr int segment_bytes = 4 * segment_words;
constexpr std::uint32_t flip = 0x5a5a5a5aU;  // what is in memory before a write test: the pattern, flipped

// In whole-grid walks every warp of the grid takes part in one walk, else every warp of a CTA.
template <Caching caching, bool whole_grid>
__global__ void __launch_bounds__(threads)
    read_segments(const uint4* from, std::uint32_t segments, std::uint32_t steps, std::uint32_t* sum, Span* span) {
  const Stamp stamp = stamp_now();
  const std::uint32_t warp = threadIdx.x / 32;
  Walk walk(whole_grid ? blockIdx.x * warps + warp : warp, whole_grid ? gridDim.x * warps : warps, segments);
  std::uint32_t mine = 0;
#pragma unroll 1
  for (std::uint32_t step = 0; step < steps; ++step) {
    mine += segment_sum<caching>(from + std::uint64_t{walk.segment} * (segment_words / 4) + threadIdx.x % 32);
    walk.next();
  }
  atomicAdd(sum, mine);
  leave_span(span, stamp);
}

__device__ void store_uint4(uint4* address, const uint4& value) {
  asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(address), "r"(value.x), "r"(value.y), "r"(value.z),
               "r"(value.w)
               : "memory");
}

// Writes the pattern over what there is.
__global__ void __launch_bounds__(threads)
    write_segments(uint4* to, std::uint32_t segments, std::uint32_t steps, Span* span) {
  const Stamp stamp = stamp_now();
  Walk walk(blockIdx.x * warps + threadIdx.x / 32, gridDim.x * warps, segments);
#pragma unroll 1
  for (std::uint32_t step = 0; step < steps; ++step) {
    const std::uint32_t vector = walk.segment * (segment_words / 4) + threadIdx.x % 32;
    uint4* place = to + std::uint64_t{walk.segment} * (segment_words / 4) + threadIdx.x % 32;
    const std::uint32_t word = pattern_word(std::uint64_t{4} * vector);
    constexpr std::uint32_t next = pattern_word(1) - pattern_word(0);
#pragma unroll
    for (std::uint32_t i = 0; i < loads_per_segment; ++i) {
      const std::uint32_t first = word + i * 128 * next;
      store_uint4(place + i * 32, make_uint4(first, first + next, first + 2 * next, first + 3 * next));
    }
    walk.next();
  }
  leave_span(span, stamp);
}

__global__ void __launch_bounds__(threads)
    copy_segments(const uint4* from, uint4* to, std::uint32_t segments, std::uint32_t steps, Span* span) {
  const Stamp stamp = stamp_now();
  Walk walk(blockIdx.x * warps + threadIdx.x / 32, gridDim.x * warps, segments);
#pragma unroll 1
  for (std::uint32_t step = 0; step < steps; ++step) {
    const std::uint64_t place = std::uint64_t{walk.segment} * (segment_words / 4) + threadIdx.x % 32;
    uint4 values[loads_per_segment];
#pragma unroll
    for (int i = 0; i < loads_per_segment; ++i) {
      values[i] = load_uint4<Caching::l2_only>(from + place + i * 32);
    }
#pragma unroll
    for (int i = 0; i < loads_per_segment; ++i) {
      store_uint4(to + place + i * 32, values[i]);
    }
    walk.next();
  }
  leave_span(span, stamp);
}

std::uint32_t steps_to_cover(std::uint64_t segments, std::uint64_t walkers) {
  return static_cast<std::uint32_t>((segments + walkers - 1) / walkers);
}

template <Caching caching, bool whole_grid>
void time_read(Bench& bench, std::string_view variant, const uint4* data, std::uint64_t bytes, std::uint32_t* sum) {
  const auto kernel = read_segments<caching, whole_grid>;
  const int ctas = bench.full_grid(kernel, threads);
  const auto segments = static_cast<std::uint32_t>(bytes / segment_bytes);
  const auto walkers = static_cast<std::uint32_t>(whole_grid ? ctas * warps : warps);
  Mover mover;
  mover.prepare = [&] { bench.clear(sum, sizeof(*sum)); };
  mover.run = [&](std::uint32_t steps) {
    bench.launch("reading", kernel, {ctas, threads}, data, segments, steps, sum, bench.span());
  };
  mover.check = [&](std::uint32_t steps) {
    const std::uint32_t walks = whole_grid ? 1 : static_cast<std::uint32_t>(ctas);
    expect_sum(bench, sum, walks * walk_sum(walkers, steps, segments), std::string(variant));
  };
  mover.bytes_per_step = 1.0 * ctas * warps * segment_bytes;
  mover.fewest_steps = steps_to_cover(segments, walkers);
  time_mover(bench, variant, static_cast<double>(bytes), mover);
}

// Before each launch the memory holds the flipped pattern, after it the pattern.
void expect_pattern(Bench& bench, Mover& mover, uint4* data, std::uint64_t bytes, std::uint32_t* sum,
                    const std::string& what) {
  mover.prepare = [=, &bench] {
    bench.launch("filling", fill_pattern, {8 * bench.chip().sm_count, 256}, data, bytes / 16, flip);
  };
  mover.check = [=, &bench](std::uint32_t) {
    bench.clear(sum, sizeof(*sum));
    bench.launch("adding up", sum_words, {4 * bench.chip().sm_count, 512}, data, bytes / 16, sum);
    expect_sum(bench, sum, pattern_sum(bytes / 4), what);
  };
}

void time_write(Bench& bench, std::string_view variant, uint4* data, std::uint64_t bytes, std::uint32_t* sum) {
  const int ctas = bench.full_grid(write_segments, threads);
  const auto segments = static_cast<std::uint32_t>(bytes / segment_bytes);
  Mover mover;
  expect_pattern(bench, mover, data, bytes, sum, std::string(variant));
  mover.run = [&](std::uint32_t steps) {
    bench.launch("writing", write_segments, {ctas, threads}, data, segments, steps, bench.span());
  };
  mover.bytes_per_step = 1.0 * ctas * warps * segment_bytes;
  mover.fewest_steps = steps_to_cover(segments, static_cast<std::uint64_t>(ctas) * warps);
  time_mover(bench, variant, static_cast<double>(bytes), mover);
}

void time_l1(Bench& bench) {
  const std::uint64_t l1 = bench.chip().smem_per_sm_bytes;
  const auto sets = working_sets(4 * segment_bytes, 2 * l1, bench.options().quick ? 1 : 4, {l1}, segment_bytes);
  const uint4* data = make_pattern(bench, sets.back() / segment_bytes);
  auto* sum = bench.allocate<std::uint32_t>(1);
  bench.prefer_l1(read_segments<Caching::l1_and_l2, false>);
  for (const std::uint64_t bytes : sets) {
    time_read<Caching::l1_and_l2, false>(bench, "l1", data, bytes, sum);
  }
}

std::vector<std::uint64_t> l2_sets(const Bench& bench) {
  const std::uint64_t l2 = bench.chip().l2_bytes;
  const std::uint64_t least = std::min<std::uint64_t>(1 << 20, l2 / 8);  // an L2 of 1 MiB has a plateau too
  return working_sets(least, 4 * l2, bench.options().quick ? 1 : 4, {l2}, segment_bytes);
}

void time_l2_read(Bench& bench) {
  const auto sets = l2_sets(bench);
  const uint4* data = make_pattern(bench, sets.back() / segment_bytes);
  auto* sum = bench.allocate<std::uint32_t>(1);
  for (const std::uint64_t bytes : sets) {
    time_read<Caching::l2_only, true>(bench, "l2_read", data, bytes, sum);
  }
}

void time_l2_write(Bench& bench) {
  const auto sets = l2_sets(bench);
  uint4* data = make_pattern(bench, sets.back() / segment_bytes);
  auto* sum = bench.allocate<std::uint32_t>(1);
  for (const std::uint64_t bytes : sets) {
    time_write(bench, "l2_write", data, bytes, sum);
  }
}

// Of one array, where `arrays` of them must fit into half of the free memory.
std::uint64_t dram_bytes(const Bench& bench, std::uint64_t arrays) {
  const std::uint64_t wanted = std::max<std::uint64_t>(16 * bench.chip().l2_bytes, std::uint64_t{1} << 30);
  return std::min<std::uint64_t>(wanted, bench.chip().free_bytes / 2 / arrays) / segment_bytes * segment_bytes;
}

// 8 times the L2 is the least that counts as DRAM.
bool enough_memory(Bench& bench, std::uint64_t bytes) {
  if (bench.go() && bytes < 8 * bench.chip().l2_bytes) {
    bench.refuse(Refusal::out_of_memory, "too little free memory for 8 times the L2");
  }
  return bench.go();
}

void time_dram_read(Bench& bench) {
  const std::uint64_t bytes = dram_bytes(bench, 1);
  if (enough_memory(bench, bytes)) {
    const uint4* data = make_pattern(bench, bytes / segment_bytes);
    time_read<Caching::l2_only, true>(bench, "dram_read", data, bytes, bench.allocate<std::uint32_t>(1));
  }
}

void time_dram_write(Bench& bench) {
  const std::uint64_t bytes = dram_bytes(bench, 1);
  if (enough_memory(bench, bytes)) {
    uint4* data = make_pattern(bench, bytes / segment_bytes);
    time_write(bench, "dram_write", data, bytes, bench.allocate<std::uint32_t>(1));
  }
}

void time_dram_copy(Bench& bench) {
  const std::uint64_t bytes = dram_bytes(bench, 2);
  if (!enough_memory(bench, bytes)) {
    return;
  }
  const auto segments = static_cast<std::uint32_t>(bytes / segment_bytes);
  const uint4* from = make_pattern(bench, segments);
  uint4* to = make_pattern(bench, segments);
  const int ctas = bench.full_grid(copy_segments, threads);
  Mover mover;
  expect_pattern(bench, mover, to, bytes, bench.allocate<std::uint32_t>(1), "dram_copy");
  mover.run = [&](std::uint32_t steps) {
    bench.launch("copying", copy_segments, {ctas, threads}, from, to, segments, steps, bench.span());
  };
  mover.bytes_per_step = 2.0 * ctas * warps * segment_bytes;  // read, and written
  mover.fewest_steps = steps_to_cover(segments, static_cast<std::uint64_t>(ctas) * warps);
  time_mover(bench, "dram_copy", 2.0 * static_cast<double>(bytes), mover);
}

}  // namespace

Outcome<std::vector<Point>> run_bandwidth(const Device&, const MicroOptions& options) {
  std::vector<Part> parts = {time_l1, time_l2_read, time_l2_write, time_dram_read, time_dram_write, time_dram_copy};
  const std::vector<Part> smem = smem_bandwidth_parts();
  parts.insert(parts.end(), smem.begin(), smem.end());
  return run_parts("bandwidth", options, parts);
}

}  // namespace rooftile::measure
