// How many cycles a load takes that must wait for the one before: one thread follows pointers through lines of 128
// bytes in random order.
//
// What state that measures: one load in flight on an idle GPU; each line visited once before any is visited again, so
// the curve steps up where a level is full. Lines are random over the whole set, in memory of cudaMalloc (2 MiB pages):
// as the set grows, misses of the TLBs add to those of the caches, and the curve of `global` shows both. Published DRAM
// latencies of one GPU differ by a factor of 1.9 by how much memory was walked and with which stride, so one number
// without its working set says little. The wall between L2 and DRAM is soft: the L2 does not evict the oldest line
// first, and where it has two parts (A100, H100) a line may be in either. Of sets beyond twice the L2, nothing is in
// the L2 at first and no line is visited again before as much as the L2 holds has passed: every load comes from DRAM.
#include <algorithm>
#include <string>
#include <vector>

#include "rooftile/measure/cuda/micro/benchmarks.hpp"
#include "rooftile/measure/cuda/micro/device.cuh"

namespace rooftile::measure {
namespace {

constexpr std::uint32_t unrolled = 32;
constexpr std::uint32_t most_lines = 1U << 22;  // of a chase: 512 MiB, more than any L2
constexpr std::uint32_t smem_words = 2048;

struct Chased {
  std::uint64_t end;  // the address after the last load
  std::int64_t cycles;
};

// First `warm_steps` loads, then `steps` timed ones by the same instructions, so that those are in the instruction
// cache; both multiples of `unrolled`.
template <Caching caching>
__global__ void chase_global(std::uint64_t address, std::uint32_t warm_steps, std::uint32_t steps, Chased* chased,
                             Span* span) {
  __shared__ std::uint64_t scratch;
  std::int64_t begin = 0;
  Stamp stamp{};
  std::uint32_t left = warm_steps;
#pragma unroll 1
  for (int timed = 0; timed < 2; ++timed) {
    stamp = stamp_now();
    begin = cycles_after(address, &scratch);
#pragma unroll 1
    for (; left > 0; left -= unrolled) {
#pragma unroll
      for (std::uint32_t i = 0; i < unrolled; ++i) {
        address = load_u64<caching>(address);
      }
    }
    left = steps;
  }
  const std::int64_t end = cycles_after(address, &scratch);
  leave_span(span, stamp);
  chased->end = address;
  chased->cycles = end - begin;
}

// The same in shared memory: next[i] is the index of the word that follows word i.
__global__ void chase_shared(const std::uint32_t* next, std::uint32_t warm_steps, std::uint32_t steps, Chased* chased,
                             Span* span) {
  __shared__ std::uint32_t words[smem_words];
  __shared__ std::uint64_t scratch;
  const auto base = static_cast<std::uint32_t>(__cvta_generic_to_shared(words));
  for (std::uint32_t i = 0; i < smem_words; ++i) {
    words[i] = base + 4 * next[i];
  }
  __syncthreads();
  std::uint32_t address = base;
  std::int64_t begin = 0;
  Stamp stamp{};
  std::uint32_t left = warm_steps;
#pragma unroll 1
  for (int timed = 0; timed < 2; ++timed) {
    stamp = stamp_now();
    begin = cycles_after(address, &scratch);
#pragma unroll 1
    for (; left > 0; left -= unrolled) {
#pragma unroll
      for (std::uint32_t i = 0; i < unrolled; ++i) {
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(address) : "r"(address) : "memory");
      }
    }
    left = steps;
  }
  const std::int64_t end = cycles_after(address, &scratch);
  leave_span(span, stamp);
  chased->end = (address - base) / 4;
  chased->cycles = end - begin;
}

constexpr std::uint32_t whole(std::uint64_t steps) {
  return static_cast<std::uint32_t>((steps + unrolled - 1) / unrolled * unrolled);
}

// What a chase needs of the device.
struct ChaseMemory {
  std::byte* lines = nullptr;
  std::uint32_t* order = nullptr;
  Chased* chased = nullptr;
  std::byte* other = nullptr;  // read to push everything else out of the L2; null where no set is that large
  std::uint64_t other_bytes = 0;
};

// One working set. Sets up to twice the L2 are walked once by the same thread beforehand, larger ones are not in the
// L2.
template <Caching caching>
void chase_set(Bench& bench, std::string_view variant, const ChaseMemory& memory, std::uint64_t bytes,
               std::uint32_t steps) {
  const std::uint64_t lines = bytes / chase_line_bytes;
  const std::vector<std::uint32_t> order = chase_order(lines, most_lines, bytes);
  bench.upload(memory.order, order);
  bench.launch("linking", link_lines, {4 * bench.chip().sm_count, 256}, memory.lines, memory.order,
               static_cast<std::uint32_t>(order.size()));

  const bool walk_once = bytes <= 2 * bench.chip().l2_bytes;
  if (!walk_once) {
    warm_l2(bench, memory.other, memory.other_bytes);
  }
  const auto line_address = [&](std::uint64_t visit) {
    return reinterpret_cast<std::uint64_t>(memory.lines) +
           std::uint64_t{order[visit % order.size()]} * chase_line_bytes;
  };

  std::vector<double> cycles;
  std::uint64_t visit = 0;
  for (int repeat = 0; repeat < bench.repeats() && bench.go(); ++repeat) {
    // The L1 is empty at the start of a kernel, the L2 is not.
    const bool first = repeat == 0;
    const bool in_l1 = caching == Caching::l1_and_l2;
    const std::uint32_t warm_steps = whole(walk_once && (first || in_l1) ? order.size() : unrolled);
    bench.launch("chase", chase_global<caching>, {1, 1}, line_address(visit), warm_steps, steps, memory.chased,
                 bench.span());
    visit += warm_steps + steps;
    const Chased result = bench.download(memory.chased, 1).front();
    if (bench.go() && result.end != line_address(visit)) {
      bench.refuse(Refusal::wrong_result, "the chase through " + std::to_string(bytes) + " B ended at another line");
    }
    bench.note_clock();
    cycles.push_back(static_cast<double>(result.cycles) / steps);
  }
  bench.add(variant, static_cast<double>(bytes), cycles, "cycles");
}

template <Caching caching>
void chase_sets(Bench& bench, std::string_view variant, const std::vector<std::uint64_t>& sets, std::uint32_t steps) {
  if (sets.empty()) {
    return;
  }
  ChaseMemory memory;
  memory.lines = bench.allocate<std::byte>(sets.back());
  memory.order = bench.allocate<std::uint32_t>(std::min<std::uint64_t>(sets.back() / chase_line_bytes, most_lines));
  memory.chased = bench.allocate<Chased>(1);
  if (sets.back() > 2 * bench.chip().l2_bytes) {
    memory.other_bytes = 4 * bench.chip().l2_bytes;
    memory.other = reinterpret_cast<std::byte*>(make_pattern(bench, memory.other_bytes / (4 * segment_words)));
  }
  bench.prefer_l1(chase_global<caching>);
  for (const std::uint64_t bytes : sets) {
    chase_set<caching>(bench, variant, memory, bytes, steps);
  }
}

void chase_l1(Bench& bench) {
  const std::uint64_t l1 = bench.chip().smem_per_sm_bytes;
  chase_sets<Caching::l1_and_l2>(
      bench, "l1", working_sets(1024, 4 * l1, bench.options().quick ? 1 : 4, {l1}, chase_line_bytes), 1 << 16);
}

void chase_l2_and_dram(Bench& bench) {
  const bool quick = bench.options().quick;
  const std::uint64_t most = std::min<std::uint64_t>(std::uint64_t{quick ? 1U : 4U} << 30, bench.chip().free_bytes / 2);
  chase_sets<Caching::l2_only>(
      bench, "global", working_sets(1024, most, quick ? 1 : 4, {bench.chip().l2_bytes}, chase_line_bytes), 1 << 13);
}

void chase_smem(Bench& bench) {
  const std::vector<std::uint32_t> order = chase_order(smem_words, smem_words, 1);
  std::vector<std::uint32_t> next(smem_words);
  for (std::uint32_t i = 0; i < smem_words; ++i) {
    next[order[i]] = order[(i + 1) % smem_words];
  }
  auto* device_next = bench.allocate<std::uint32_t>(smem_words);
  bench.upload(device_next, next);
  auto* chased = bench.allocate<Chased>(1);
  const std::uint32_t steps = 1 << 17;
  const std::uint32_t warm_steps = unrolled;
  const auto from = static_cast<std::uint32_t>(std::find(order.begin(), order.end(), 0U) - order.begin());
  const std::uint32_t expected = order[(from + warm_steps + steps) % smem_words];

  std::vector<double> cycles;
  for (int repeat = 0; repeat < bench.repeats() && bench.go(); ++repeat) {
    bench.launch("chase", chase_shared, {1, 1}, device_next, warm_steps, steps, chased, bench.span());
    const Chased result = bench.download(chased, 1).front();
    if (bench.go() && result.end != expected) {
      bench.refuse(Refusal::wrong_result, "the chase through shared memory ended at another word");
    }
    bench.note_clock();
    cycles.push_back(static_cast<double>(result.cycles) / steps);
  }
  bench.add("smem", 4.0 * smem_words, cycles, "cycles");
}

}  // namespace

Outcome<std::vector<Point>> run_latency(const Device&, const MicroOptions& options) {
  return run_parts("latency", options, {chase_l1, chase_l2_and_dram, chase_smem});
}

}  // namespace rooftile::measure
