// The addresses that a CTA of an im2col implicit GEMM touches, coalesced warp by warp into sectors.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "rooftile/ops/conv.hpp"
#include "rooftile/plan/plan.hpp"

namespace rooftile {

// Sectors of one line that one warp touches in one request.
struct Access {
  std::uint64_t line = 0;
  unsigned mask = 0;  // bit i: sector i
};
using Accesses = std::vector<Access>;

// Line and sector of a cache in powers of two of elements.
struct Granularity {
  unsigned sector_shift = 3;  // log2 of elements a sector
  unsigned line_shift = 2;    // log2 of sectors a line
};

// Which part of the GEMM a CTA computes: the tile at `row` and `column` of one group.
struct CtaPlace {
  std::int64_t group = 0, column = 0, row = 0;
};

// The tensors lie one after another, each at a multiple of 256 elements: activations (NCDHW), filters (K, C, taps) and
// outputs (NCDHW). A warp is 32 threads that each load or store one element, neighbours along the direction in which
// memory is contiguous: the output positions for activations and outputs, the reduction for filters and, where a sample
// has one output position (fully connected), for activations too. Positions in the padding load nothing.
class Addresses {
 public:
  Addresses(const Im2col& gemm, const Tile& tile, const Granularity& granularity);

  // Rows of a CTA's tile as stretches of output positions in one row of one sample; found once per CTA.
  struct Stretch {
    std::int64_t sample = 0;              // element of the sample's first channel of this group
    std::array<std::int64_t, 3> first{};  // input position of the first tap; may lie in the padding
    std::int64_t count = 0;               // output positions along the width
    bool starts_warp = false;
  };
  void stretches(const CtaPlace& place, std::vector<Stretch>& result) const;

  // Taps of one main-loop step, the same for all CTAs.
  struct Tap {
    std::int64_t offset = 0;  // of the channel, within the sample
    std::array<std::int64_t, 3> shift{};
  };
  void taps(std::int64_t step, std::vector<Tap>& result) const;

  // What the warps of a CTA load in one step, in the order of the requests.
  void load_activations(const std::vector<Stretch>& stretches, const std::vector<Tap>& taps, Accesses& result) const;
  void load_filters(const CtaPlace& place, std::int64_t step, Accesses& result) const;

  // What the warps store at the end.
  void store_outputs(const CtaPlace& place, Accesses& result) const;

  // One past the last element of the last tensor.
  double end() const { return end_; }

 private:
  void load_stretch(const Stretch& stretch, const Tap& tap, class Coalescer& coalescer) const;
  bool inside(const Stretch& stretch, const Tap& tap) const;

  std::int64_t in_channels_, out_channels_, groups_;
  std::array<std::int64_t, 3> in_{}, pad_{}, filter_{}, dilation_{}, stride_{}, out_{};
  std::int64_t m_, n_, k_;
  std::int64_t in_volume_, out_volume_, taps_;
  std::int64_t filters_at_ = 0, outputs_at_ = 0;
  double end_ = 0;
  Tile tile_;
  Granularity granularity_;
};

}  // namespace rooftile
