// Latency of DRAM against the bandwidth that the rest of the GPU draws at the same time (DeLTA, Lym et al., ISPASS
// 2019, Fig 18): flat while there is room, rising steeply at the limit.
//
// One warp's first lane follows pointers through DRAM, alone on its SM, as in latency.cu. On every other SM 32 warps
// stream another array; each loads 2 KiB (4 loads of 16 bytes a lane), waits for them and then for `pause` cycles. The
// bandwidth is what those SMs counted over their own time, the latency that of the chase meanwhile.
//
// All CTAs have to run at once: one an SM, and nothing else on the GPU. The chase gives up waiting for the others after
// a second, so that a GPU which somebody else uses refuses this and does not hang.
#include <algorithm>
#include <string>
#include <vector>

#include "rooftile/measure/cuda/micro/benchmarks.hpp"
#include "rooftile/measure/cuda/micro/device.cuh"

namespace rooftile::measure {
namespace {

constexpr int threads = 1024;
constexpr std::uint32_t warps = threads / 32;
constexpr std::uint32_t chunk_loads = 4;
constexpr std::uint32_t chunk_vectors = 32 * chunk_loads;  // 2 KiB
constexpr std::uint32_t chase_steps = 4096;
constexpr std::uint32_t warm_steps = 256;
constexpr std::uint32_t patience = 1U << 14;          // cycles between looks at whether the chase is over
constexpr std::int64_t longest_wait = 1'000'000'000;  // ns

// What one CTA did: the first one the chase, the others the streaming.
struct Done {
  std::int64_t cycles;  // 0: the chase gave up
  std::int64_t nanoseconds;
  std::uint64_t chunks;
  std::uint64_t end;  // of the chase: the address
  std::uint32_t sum;
};

struct Shared {
  std::uint32_t started;  // streaming CTAs
  std::uint32_t over;     // the chase is
};

__device__ std::uint32_t look(const std::uint32_t* flag) {
  std::uint32_t value;
  asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
}

__device__ void chase(std::uint64_t address, Shared* shared, Done* done) {
  __shared__ std::uint64_t scratch;
  const std::int64_t deadline = nanoseconds_now() + longest_wait;
  while (look(&shared->started) + 1 < gridDim.x) {
    if (nanoseconds_now() > deadline) {
      done->cycles = 0;
      atomicExch(&shared->over, 1U);
      return;
    }
  }
#pragma unroll 1
  for (std::uint32_t step = 0; step < warm_steps; ++step) {
    address = load_u64<Caching::l2_only>(address);
  }
  const Stamp stamp = stamp_now();
  const std::int64_t begin = cycles_after(address, &scratch);
#pragma unroll 1
  for (std::uint32_t step = 0; step < chase_steps; step += 8) {
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      address = load_u64<Caching::l2_only>(address);
    }
  }
  const std::int64_t end = cycles_after(address, &scratch);
  const Stamp stop = stamp_now();
  atomicExch(&shared->over, 1U);
  done->cycles = end - begin;
  done->nanoseconds = stop.nanoseconds - stamp.nanoseconds;
  done->end = address;
}

// The count of chunks and the sum of their words, by one warp. The first warp begins with chunk `first`.
__device__ void stream(const uint4* data, std::uint32_t chunks, std::uint32_t first, std::uint32_t pause,
                       const Shared* shared, std::uint64_t& count, std::uint32_t& sum) {
  const std::uint32_t warp = (blockIdx.x - 1) * warps + threadIdx.x / 32;
  const std::uint32_t all_warps = (gridDim.x - 1) * warps;
  Walk walk(first + warp, all_warps, chunks);
  std::int64_t looked = cycles_now();
  // Warps start at different times of the pause, so that the stream is even.
  std::int64_t next = looked + static_cast<std::int64_t>(mix(warp) % (std::uint64_t{pause} + 1));
  bool go_on = true;
  while (go_on) {
    std::int64_t now = cycles_now();
    while (now < next && go_on) {
      if (now - looked > patience) {
        looked = now;
        go_on = look(&shared->over) == 0;
      }
      now = cycles_now();
    }
    uint4 values[chunk_loads];
    const uint4* from = data + std::uint64_t{walk.segment} * chunk_vectors + threadIdx.x % 32;
#pragma unroll
    for (std::uint32_t i = 0; i < chunk_loads; ++i) {
      values[i] = load_uint4<Caching::l2_only>(from + i * 32);
    }
#pragma unroll
    for (std::uint32_t i = 0; i < chunk_loads; ++i) {
      sum += values[i].x + values[i].y + values[i].z + values[i].w;
    }
    ++count;
    walk.next();
    now = cycles_now();
    next = now + pause;
    if (now - looked > patience) {
      looked = now;
      go_on = look(&shared->over) == 0;
    }
    go_on = __shfl_sync(0xffffffffU, go_on, 0);  // the first lane counts for all: none may run oftener
  }
}

__global__ void __launch_bounds__(threads)
    loaded_chase(std::uint64_t address, const uint4* data, std::uint32_t chunks, std::uint32_t first,
                 std::uint32_t pause, Shared* shared, Done* done) {
  extern __shared__ std::uint32_t unused[];  // as much as keeps a second CTA off the SM
  __shared__ unsigned long long cta_chunks;
  __shared__ std::uint32_t cta_sum;
  Done* mine = done + blockIdx.x;
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0) {
      chase(address, shared, mine);
    }
    return;
  }
  if (threadIdx.x == 0) {
    cta_chunks = 0;
    cta_sum = 0;
    atomicAdd(&shared->started, 1U);
  }
  __syncthreads();
  const Stamp begin = stamp_now();
  std::uint64_t count = 0;
  std::uint32_t sum = 0;
  stream(data, chunks, first, pause, shared, count, sum);
  if (threadIdx.x % 32 == 0) {
    atomicAdd(&cta_chunks, static_cast<unsigned long long>(count));
  }
  atomicAdd(&cta_sum, sum);
  __syncthreads();
  if (threadIdx.x == 0) {
    const Stamp end = stamp_now();
    mine->cycles = end.cycles - begin.cycles;
    mine->nanoseconds = end.nanoseconds - begin.nanoseconds;
    mine->chunks = cta_chunks;
    mine->sum = cta_sum;
  }
}

// The same word everywhere: the sum of what was streamed follows from its size alone.
__global__ void fill_words(uint4* to, std::uint64_t vectors, std::uint32_t word) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < vectors; i += step) {
    to[i] = make_uint4(word, word, word, word);
  }
}

void sweep_pauses(Bench& bench) {
  constexpr std::uint32_t word = 0x9e3779b9U;
  const std::uint64_t least = 8 * bench.chip().l2_bytes;
  const std::uint64_t wanted = std::max<std::uint64_t>(2 * least, std::uint64_t{1} << 30);
  const std::uint64_t bytes = std::min<std::uint64_t>(wanted, bench.chip().free_bytes / 4) / 4096 * 4096;
  if (bench.go() && bytes < least) {
    bench.refuse(Refusal::out_of_memory, "too little free memory for 8 times the L2");
  }
  if (!bench.go()) {
    return;
  }
  const auto chunks = static_cast<std::uint32_t>(bytes / (16 * chunk_vectors));
  const std::vector<std::uint32_t> order = chase_order(bytes / chase_line_bytes, 1U << 22, 1);
  const auto lines = static_cast<std::uint32_t>(order.size());
  const int ctas = bench.chip().sm_count;

  auto* chased = bench.allocate<std::byte>(bytes);
  auto* device_order = bench.allocate<std::uint32_t>(lines);
  auto* streamed = reinterpret_cast<uint4*>(bench.allocate<std::byte>(bytes));
  auto* shared = bench.allocate<Shared>(1);
  auto* done = bench.allocate<Done>(static_cast<std::size_t>(ctas));
  bench.upload(device_order, order);
  bench.launch("linking", link_lines, {4 * ctas, 256}, chased, device_order, lines);
  bench.launch("filling", fill_words, {8 * ctas, 256}, streamed, bytes / 16, word);
  bench.wait("filling");
  if (!bench.go()) {
    return;
  }

  // Each launch goes on where the last one stopped, so that nothing it loads is in the L2 from before.
  std::uint64_t visit = 0;
  std::uint32_t first = 0;
  const auto line_address = [&] {
    return reinterpret_cast<std::uint64_t>(chased) + std::uint64_t{order[visit % lines]} * chase_line_bytes;
  };
  std::vector<std::uint32_t> pauses = {0};
  for (std::uint32_t pause = 128; pause <= 1U << 18; pause *= bench.options().quick ? 8 : 2) {
    pauses.insert(pauses.begin(), pause);
    if (!bench.options().quick) {  // most of the curve lies within a factor of four
      pauses.insert(pauses.begin(), pause + pause / 2);
    }
  }
  for (const std::uint32_t pause : pauses) {
    std::vector<double> rates;
    std::vector<double> latencies;
    for (int repeat = -1; repeat < bench.repeats() && bench.go(); ++repeat) {  // the first warms up
      bench.clear(shared, sizeof(Shared));
      bench.launch("loaded chase", loaded_chase, {ctas, threads, bench.chip().smem_per_sm_bytes / 2 + 1024},
                   line_address(), streamed, chunks, first, pause, shared, done);
      const std::vector<Done> result = bench.download(done, static_cast<std::size_t>(ctas));
      visit += warm_steps + chase_steps;
      if (!bench.go()) {
        break;
      }
      if (result.front().cycles == 0) {
        bench.refuse(Refusal::unsupported, "something else holds SMs of this GPU");
        break;
      }
      bool right = result.front().end == line_address();
      double rate = 0;
      for (std::size_t cta = 1; cta < result.size(); ++cta) {
        const Done& one = result[cta];
        right = right && one.chunks > 0 && one.sum == static_cast<std::uint32_t>(one.chunks) * chunk_vectors * 4 * word;
        first = static_cast<std::uint32_t>((first + one.chunks) % chunks);
        rate += static_cast<double>(one.chunks) * chunk_vectors * 16 / (static_cast<double>(one.nanoseconds) * 1e-9);
      }
      if (!right) {
        bench.refuse(Refusal::wrong_result, "the chase or a stream found other data");
      }
      if (repeat >= 0) {
        rates.push_back(rate);
        latencies.push_back(static_cast<double>(result.front().cycles) / chase_steps);
      }
    }
    bench.add("bandwidth", pause, rates, "B/s");
    bench.add("latency", pause, latencies, "cycles");
  }
}

}  // namespace

Outcome<std::vector<Point>> run_loaded_latency(const Device&, const MicroOptions& options) {
  return run_parts("loaded_latency", options, {sweep_pauses});
}

}  // namespace rooftile::measure
