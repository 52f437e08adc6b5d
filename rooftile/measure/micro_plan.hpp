// What the microbenchmarks measure and what must come out, worked out on the host: working sets, orders of pointer
// chases, sums of the data that a kernel reads. Nothing here needs a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rooftile::measure {

// Working sets in bytes from `low` to `high`: `per_octave` to a doubling, twice as many within a factor of two of a
// capacity. Whole multiples of `multiple`, ascending, none twice; empty where low > high.
std::vector<std::uint64_t> working_sets(std::uint64_t low, std::uint64_t high, int per_octave,
                                        const std::vector<std::uint64_t>& capacities, std::uint64_t multiple);

// 64 well-mixed bits from a counter (splitmix64, Steele, Lea and Flood, OOPSLA 2014).
constexpr std::uint64_t mix(std::uint64_t counter) {
  std::uint64_t z = counter * 0x9e3779b97f4a7c15ULL + 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

// A pointer chase through `lines` lines in random order: the line visited first, second, …, and after the last the
// first again. With more than `most` lines, one line at a random place in each of at most `most` equal groups, so that
// the pages of the whole range are still visited. At most 2^32 lines.
std::vector<std::uint32_t> chase_order(std::uint64_t lines, std::uint64_t most, std::uint64_t seed);

// The data that bandwidth kernels read: word i of an array. Odd, so never zero.
constexpr std::uint32_t pattern_word(std::uint64_t i) { return 2 * (static_cast<std::uint32_t>(i) * 2654435761U) + 1; }

// The sum of the first `words` words, modulo 2^32.
std::uint32_t pattern_sum(std::uint64_t words);

// Bandwidth kernels read an array in segments of this many words (4 KiB): each warp one, 8 loads of 16 bytes a lane.
inline constexpr std::uint32_t segment_words = 1024;

// The sum, modulo 2^32, that `walkers` warps find that read `steps` segments each: warp w reads segments w, w +
// walkers, w + 2 walkers, …, each modulo `segments`.
std::uint32_t walk_sum(std::uint64_t walkers, std::uint64_t steps, std::uint64_t segments);

// How many steps take about `target` seconds, when `steps` took `seconds`: at least `steps`, at most `most`.
std::uint32_t grown_steps(std::uint32_t steps, double seconds, double target, std::uint32_t most);

}  // namespace rooftile::measure
