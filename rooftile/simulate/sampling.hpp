// Replays all CTAs of a kernel, or a sample of its waves with a standard error.
//
// What is sampled are windows of neighbouring waves, each after a warm-up that fills the L2. Waves differ by what they
// re-read, so they are sorted into strata first: the first wave; waves in which a column of tiles begins, which meet
// new filters; waves inside a column; the last two apart for a last column that is not full; a last wave that is not
// full. Where the L2 may keep the activations from one column to the next, nothing shorter than all columns is
// representative: one group is replayed whole, and only groups are sampled.
#pragma once

#include <cstdint>
#include <vector>

#include "rooftile/simulate/simulate.hpp"

namespace rooftile {

class Sampler {
 public:
  Sampler(const Im2col& gemm, const Plan& plan, const Gpu& gpu, const ReplayOptions& options);

  // Warp requests that run() replays, or somewhat less: how long it takes the L2 to fill shows only then.
  double least_requests(bool warm, double exact_up_to) const;

  // `exact_up_to`: warp requests up to which every CTA is replayed. Fills all but `compulsory` and `l1_capacity`.
  Simulation run(bool warm, double exact_up_to);
  // CTAs that run() replays, some several times, as far as it knows by now.
  double expected_ctas() const { return expected_; }
  bool stopped() const { return replay_.stopped(); }  // what run() returned is of no use

 private:
  // Waves that resemble each other, and the windows to replay for them.
  struct Stratum {
    double ctas = 0;                    // in all waves of the stratum
    std::vector<std::int64_t> windows;  // first wave of each
    std::int64_t waves = 1;             // of a window
  };

  bool small_enough(double exact_up_to) const;
  static double replayed_waves(const std::vector<Stratum>& strata, std::int64_t fill);
  Simulation run_all(bool warm);
  std::vector<Stratum> strata(std::int64_t windows) const;
  std::vector<Stratum> column_strata(std::int64_t windows) const;
  void add_columns(std::int64_t first, std::int64_t width, std::int64_t windows, std::vector<Stratum>& result) const;
  std::vector<Stratum> periodic_strata(std::int64_t windows) const;
  std::int64_t waves_to_fill();
  void fill_before(std::int64_t wave, std::int64_t fill, bool warm);
  void add_stratum(const Stratum& stratum, std::int64_t fill, bool warm, Simulation& result);
  LevelBytes run_waves(std::int64_t first, std::int64_t last);
  std::int64_t start_of(std::int64_t wave) const { return wave < waves_ ? wave * wave_ : ctas_; }

  Replay replay_;
  std::int64_t rows_, columns_, ctas_, wave_, waves_, full_waves_;
  bool last_column_partial_;
  bool columns_share_;  // the L2 may keep a group's activations from one column to the next
  double requests_, inputs_, l2_capacity_;
  double expected_ = 0;
};

}  // namespace rooftile
