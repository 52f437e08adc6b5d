// Traffic of an im2col implicit GEMM in closed form, with sectors, rows, clipped padding and cache capacities: DeLTA's
// idea (Lym et al., ISPASS 2019) counted as the cache simulator counts (docs/simulator.md).
#pragma once

#include "rooftile/gpu/gpu.hpp"
#include "rooftile/ops/conv.hpp"
#include "rooftile/plan/plan.hpp"
#include "rooftile/traffic/tile_loads.hpp"
#include "rooftile/traffic/traffic.hpp"

namespace rooftile {

// What the traffic is made of, for `explain`. Bytes are of the whole layer.
struct RefinedTraffic {
  Bytes l1_activations, l1_filters;      // sectors that warps ask for
  Bytes l2_activations, l2_filters;      // of them what the L1 misses
  Bytes dram_activations, dram_filters;  // of them what the L2 misses
  double l1_keeps_activations = 1;       // share found again in the L1 one main-loop step later
  double l1_keeps_filters = 1;           // share found there, or new to the SM
  double l2_keeps_filters = 1;           // share found again in the L2 one wave later
  double l2_keeps_activations = 1;       // share found again in the L2 one column of CTAs later
  double passes = 1;                     // times that the waves go over the activations
  Traffic total;
};

// `element` is the size of an element of any tensor. The L1 is usable_l1() of the GPU; replacement is LRU, the start
// cold.
RefinedTraffic refined_traffic(const Im2col& gemm, const Plan& plan, const Gpu& gpu, Bytes element);

// The sets that lines of a cache fall into by a hash, and what each holds.
struct CacheSets {
  double sets = 1, ways = 1;
};
CacheSets cache_sets(double lines, double ways);

// What counting needs of a GPU beside sectors and lines of its L1.
struct CacheSizes {
  double sms = 1;
  CacheSets l1;  // usable
  CacheSets l2;
  Bytes l2_line;
};
CacheSizes cache_sizes(const Gpu& gpu);

// The CTAs of a layer, and how they lie on the SMs.
struct CtaPlaces {
  double columns, rows, ctas;
  double resident;  // CTAs that an SM holds
  double wave, full_waves, last;
  double active;       // CTAs of an SM at work
  double all_columns;  // of all groups
  double change;       // how often two neighbours on an SM are of different columns
  double met;          // share of activations that CTAs of one SM share in its L1
  double sm_visits;    // SMs that go over the rows of a column, counted once for each time
  double first_visits;

  CtaPlaces() {}  // NOLINT(modernize-use-equals-default,cppcoreguidelines-pro-type-member-init): filled in later
  CtaPlaces(const TileLoads& loads, double resident_ctas, double sms);

  double columns_an_sm(double ctas_an_sm) const { return 1 + (ctas_an_sm - 1) * change; }
};

// The same from what depends on the layer alone, counted for the plan's tile and the L1 of the GPU.
RefinedTraffic refined_traffic(const TileLoads& loads, const CtaPlaces& places, const CacheSizes& caches);

// No more than what refined_traffic() counts, in a fraction of its time: if the L1 keeps all activations from step to
// step, and the L2 everything.
struct LeastLoads {
  Bytes l2, dram;
};
LeastLoads least_loads(const TileLoads& loads, const CtaPlaces& places);

// The share of lines found again after `others` other lines: the chance that fewer of the others fell into the set than
// it holds, by the normal approximation.
double kept(double others, const CacheSets& cache);

}  // namespace rooftile
