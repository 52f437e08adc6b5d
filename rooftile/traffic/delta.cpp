#include "rooftile/traffic/delta.hpp"

#include <algorithm>
#include <cmath>

namespace rooftile {
namespace {

constexpr Bytes kElement(4);  // FP32, the only precision of the paper
constexpr double kWarp = 32;  // threads that one L1 request serves

// Along the rows of the input map: elements between neighbours that one filter tap visits (Eq 2). The dilated extent
// stands for the filter width, which is the same thing where the paper speaks (dilation 1).
double elements_requested_per_used(const Im2col& gemm) {
  constexpr std::size_t w = 2;
  return gemm.padded[w] * gemm.stride[w] / (gemm.padded[w] - gemm.extent[w] + 1);
}

// Eq 3. Bytes of a warp over bytes of a request is how many requests a perfectly aligned warp makes.
double mli_ifmap(double request_ratio, Bytes l1_request) {
  const double requests = kWarp * kElement / l1_request;
  constexpr double kRounding = 1e-9;  // keeps an exact integer from being rounded up by its last bit
  return std::max(1.0, std::ceil(request_ratio * requests - kRounding) / requests);
}

// Eqs 5 to 8: distinct input elements of one CTA's blk_m x blk_k tile.
void add_ifmap_distances(const Im2col& gemm, const Tile& tile, DeltaTraffic& terms) {
  const double whole_tile = static_cast<double>(tile.m) * tile.k;
  if (gemm.filter_volume == 1) {  // 1x1 and fully connected: nothing repeats
    terms.dist_v = tile.m;
    terms.dist_h = tile.k;
    terms.a_dist_ifmap = whole_tile;
    return;
  }
  constexpr std::size_t w = 2;
  const double row_edge = gemm.padded[w] - gemm.extent[w] + 1;  // distance between taps in different filter rows
  double map_size = 1;                                          // Eq 8's real-valued feature size
  for (std::size_t i = 0; i < gemm.padded.size(); ++i) {
    map_size *= (gemm.padded[i] - gemm.extent[i] + 1) / gemm.stride[i];
  }
  const double steps = tile.k - 1;
  terms.dist_v = tile.m * terms.request_ratio;                                                                // Eq 5
  terms.a_dist_v = terms.dist_v * tile.k / gemm.filter_volume;                                                // Eq 6
  terms.dist_h = steps / gemm.filter_width * row_edge + steps * (gemm.filter_width - 1) / gemm.filter_width;  // Eq 7
  terms.a_dist_h = terms.dist_h * (1 + tile.m / map_size);                                                    // Eq 8
  terms.a_dist_ifmap = std::min(terms.a_dist_v + terms.a_dist_h, whole_tile);
}

// Eq 10. The paper counts zero padding as loaded; a 1x1 filter with a stride skips what it does not touch.
Bytes dram_ifmap(const Im2col& gemm, const Plan& plan) {
  const auto& positions = gemm.filter_volume == 1 ? gemm.out : gemm.padded;
  return gemm.groups * gemm.batch * gemm.in_channels * positions[0] * positions[1] * positions[2] * plan.columns *
         kElement;
}

}  // namespace

double mli_filter(int tile_k) {
  if (tile_k == 4) return 2.75;
  if (tile_k == 8) return 2.0;
  // The 32-byte sectors that tile_k consecutive floats touch, averaged over the eight alignments.
  constexpr double kSector = 8;
  return (1 + (tile_k - 1) / kSector) * kSector / tile_k;
}

DeltaTraffic delta_traffic(const Im2col& gemm, const Plan& plan, Bytes l1_request) {
  const Tile& tile = plan.kernel.tile;
  const double steps = plan.ctas * plan.loops;

  DeltaTraffic terms;
  terms.request_ratio = elements_requested_per_used(gemm);
  terms.mli_ifmap = mli_ifmap(terms.request_ratio, l1_request);
  terms.mli_filter = mli_filter(tile.k);
  terms.l1_per_loop = kElement * (static_cast<double>(tile.m) * tile.k * terms.mli_ifmap +
                                  static_cast<double>(tile.n) * tile.k * terms.mli_filter);  // Eq 4

  add_ifmap_distances(gemm, tile, terms);
  terms.dist_filter = static_cast<double>(tile.n) * tile.k;
  terms.l2_per_loop = kElement * (terms.a_dist_ifmap + terms.dist_filter);  // Eq 9

  terms.dram_ifmap = dram_ifmap(gemm, plan);
  terms.dram_filter = gemm.groups * gemm.k * gemm.n * kElement;
  const Bytes dram = terms.dram_ifmap + terms.dram_filter;
  terms.dram_per_loop = dram / steps;

  terms.total.l1 = terms.l1_per_loop * steps;
  terms.total.l2 = terms.l2_per_loop * steps;
  terms.total.dram = dram;
  terms.total.store_l2 = terms.total.store_dram = gemm.groups * gemm.m * gemm.n * kElement;
  terms.total.compulsory = compulsory_elements(gemm) * kElement;
  return terms;
}

}  // namespace rooftile
