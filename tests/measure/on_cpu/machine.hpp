// The GPU that on_cpu.hpp runs kernels on: the answers it gives to a benchmark are known beforehand. Latencies are in
// cycles of a clock so slow that what is timed for milliseconds takes few instructions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace on_cpu {

struct Model {
  static constexpr int sms = 2;
  static constexpr int major = 8, minor = 0;  // no fp8, no wgmma
  static constexpr std::size_t threads_per_sm = 1024;
  static constexpr std::size_t registers_per_sm = 65536;
  static constexpr std::size_t l1_bytes = 32 << 10;  // and shared memory of an SM
  static constexpr std::size_t l2_bytes = 256 << 10;
  static constexpr std::size_t memory_bytes = 64 << 20;
  static constexpr std::size_t line_bytes = 128, sector_bytes = 32;
  static constexpr double hertz = 1e6;
  static constexpr double smem_cycles = 23, l1_cycles = 32, near_l2_cycles = 200, far_l2_cycles = 240,
                          dram_cycles = 600;
  // Bytes a cycle: of one SM's L1, of the L2, of DRAM.
  static constexpr double l1_rate = 128, l2_rate = 128, dram_rate = 32;
  static constexpr int loads_in_flight = 8;  // of a thread
};

// Least recently used lines go first, among 16 that a line may replace; a line has four sectors.
class Cache {
 public:
  explicit Cache(std::size_t bytes);
  // Whether the sector was there; it is afterwards.
  bool touch(std::uint64_t address);
  void clear();

 private:
  struct Line {
    std::uint64_t number = ~std::uint64_t{0};
    unsigned sectors = 0;
    std::uint64_t used = 0;
  };
  static constexpr std::size_t ways = 16;
  std::vector<Line> lines_;
  std::uint64_t time_ = 0;
};

// The caches of the whole GPU, and how busy each level was since the start of the kernel.
class Machine {
 public:
  Machine();
  void begin_kernel();  // empties the L1s, and the counts
  // Cycles that a load of `bytes` takes.
  double load(int sm, std::uint64_t address, std::size_t bytes, bool l1);
  void store(std::uint64_t address, std::size_t bytes);
  double busiest_cycles() const;

 private:
  std::vector<Cache> l1_;
  std::vector<double> l1_bytes_;
  Cache l2_;
  double l2_bytes_ = 0;
  double dram_bytes_ = 0;
};

}  // namespace on_cpu
