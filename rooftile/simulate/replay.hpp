// Replays CTAs of an implicit GEMM through the L1 of each SM and the shared L2, and counts sectors.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "rooftile/gpu/gpu.hpp"
#include "rooftile/ops/conv.hpp"
#include "rooftile/plan/plan.hpp"
#include "rooftile/simulate/addresses.hpp"
#include "rooftile/simulate/cache.hpp"

namespace rooftile {

// Bytes, whole sectors of the level that serves them.
struct LevelBytes {
  double l1 = 0;        // loads that warps ask of the L1
  double l1_lines = 0;  // the same in whole requests of Gpu::l1_request
  double l2 = 0;        // loads that the L1 misses
  double dram = 0;      // loads that the L2 misses
  double store_l2 = 0;
  double store_dram = 0;  // written back, each dirty sector once

  LevelBytes& operator+=(const LevelBytes& other);
  LevelBytes operator-(const LevelBytes& other) const;
  LevelBytes operator*(double factor) const;
};

struct ReplayOptions {
  Replacement policy = Replacement::lru;
  std::optional<unsigned> ways = {};  // of both caches, 0: fully associative; else those of the GPU's levels
  bool l1 = true;                     // false: loads bypass the L1
  Bytes l1_capacity;                  // of one SM
  Bytes element;
  const std::atomic<bool>* stop = nullptr;         // once true, run() returns early
  std::function<void(double ctas)> replayed = {};  // told again and again of parts of CTAs that were
};

// Plan and GPU must be valid, sectors and lines powers of two with at most eight sectors a line.
class Replay {
 public:
  Replay(const Im2col& gemm, const Plan& plan, const Gpu& gpu, const ReplayOptions& options);

  // Runs CTAs `first` to `last` (exclusive) of the column-wise order: all rows of a column of tiles, then the next
  // column, then the next group. Waves of SMs x active CTAs start at `first`; neighbouring CTAs go to neighbouring SMs,
  // and all CTAs of a wave take each main-loop step together, one after another.
  void run(std::int64_t first, std::int64_t last);

  // A new kernel: the L1s are empty; the L2 keeps what it has, and has written it back.
  void start_kernel();
  void clear();

  const LevelBytes& counted() const { return counted_; }
  bool stopped() const { return stop_ != nullptr && *stop_; }

 private:
  struct Cta {
    CtaPlace place;
    std::size_t sm = 0;
    std::vector<Addresses::Stretch> stretches;
  };
  void run_wave(std::int64_t first, std::int64_t last);
  void load(std::size_t sm, const Accesses& accesses);
  void store(const CtaPlace& place);
  Accesses in_l2_lines(const Access& access) const;
  template <class Visit>
  void for_each_l2_line(const Access& access, const Visit& visit) const {
    if (equal_lines_) return visit(access);
    for (const Access& in_l2 : in_l2_lines(access)) visit(in_l2);
  }
  CtaPlace place_of(std::int64_t cta) const;

  Addresses addresses_;
  std::int64_t rows_, columns_, steps_, wave_;
  bool use_l1_;
  const std::atomic<bool>* stop_;
  std::function<void(double)> replayed_;
  double l1_sector_, l2_sector_, l1_request_;  // bytes
  unsigned sectors_a_request_;
  // log2 of bytes
  unsigned l1_line_shift_, l2_line_shift_, l1_sector_shift_, l2_sector_shift_;
  bool equal_lines_;
  std::vector<SectoredCache> l1_;
  SectoredCache l2_;
  LevelBytes counted_;
  std::vector<Cta> ctas_;
  std::vector<Addresses::Tap> taps_;
  Accesses accesses_;
};

}  // namespace rooftile
