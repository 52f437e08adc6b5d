#include "rooftile/measure/cuda/micro/device.cuh"

namespace rooftile::measure {

__global__ void fill_pattern(uint4* to, std::uint64_t vectors, std::uint32_t flip) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < vectors; i += step) {
    to[i] = make_uint4(pattern_word(4 * i) ^ flip, pattern_word(4 * i + 1) ^ flip, pattern_word(4 * i + 2) ^ flip,
                       pattern_word(4 * i + 3) ^ flip);
  }
}

__global__ void sum_words(const uint4* from, std::uint64_t vectors, std::uint32_t* sum) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  std::uint32_t mine = 0;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < vectors; i += step) {
    const uint4 value = load_uint4<Caching::l2_only>(from + i);
    mine += value.x + value.y + value.z + value.w;
  }
  atomicAdd(sum, mine);
}

__global__ void link_lines(std::byte* base, const std::uint32_t* order, std::uint32_t count) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    const std::uint64_t next = i + 1 == count ? 0 : i + 1;
    *reinterpret_cast<std::uint64_t*>(base + std::uint64_t{order[i]} * chase_line_bytes) =
        reinterpret_cast<std::uint64_t>(base) + std::uint64_t{order[next]} * chase_line_bytes;
  }
}

uint4* make_pattern(Bench& bench, std::uint64_t segments) {
  auto* data = reinterpret_cast<uint4*>(bench.allocate<std::uint32_t>(segments * segment_words));
  bench.launch("fill", fill_pattern, {8 * bench.chip().sm_count, 256}, data, segments * segment_words / 4, 0U);
  bench.wait("fill");
  return data;
}

void warm_l2(Bench& bench, const void* from, std::uint64_t bytes) {
  auto* sum = bench.allocate<std::uint32_t>(1);
  bench.launch("warm-up", sum_words, {4 * bench.chip().sm_count, 512}, static_cast<const uint4*>(from), bytes / 16,
               sum);
}

}  // namespace rooftile::measure
