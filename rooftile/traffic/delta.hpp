// DeLTA's traffic model (Lym et al., ISPASS 2019, Eqs 2 to 10), in the readings of docs/theory/delta.md.
#pragma once

#include "rooftile/gpu/gpu.hpp"
#include "rooftile/ops/conv.hpp"
#include "rooftile/plan/plan.hpp"
#include "rooftile/traffic/traffic.hpp"

namespace rooftile {

// Every term of the traffic model, so that it can be explained. Lengths in elements, per CTA and main-loop step.
struct DeltaTraffic {
  double request_ratio = 1;  // Eq 2: elements requested / elements used
  double mli_ifmap = 1;      // Eq 3: L1 requests made / L1 requests if perfectly aligned
  double mli_filter = 1;     // the same for the filter, by tile depth
  Bytes l1_per_loop;         // Eq 4, tile form
  double dist_v = 0;         // Eq 5
  double a_dist_v = 0;       // Eq 6
  double dist_h = 0;         // Eq 7
  double a_dist_h = 0;       // Eq 8
  double a_dist_ifmap = 0;   // a_dist_v + a_dist_h, at most a whole tile
  double dist_filter = 0;
  Bytes l2_per_loop;    // Eq 9 for one step
  Bytes dram_ifmap;     // Eq 10
  Bytes dram_filter;    // Eq 10
  Bytes dram_per_loop;  // (dram_ifmap + dram_filter) / (CTAs x loops)
  Traffic total;
};

DeltaTraffic delta_traffic(const Im2col& gemm, const Plan& plan, Bytes l1_request);

// Eq 3's factor for the filter: the constants of the paper for depths 4 and 8, the 32-byte-sector average they come
// from for any other (docs/theory/delta.md).
double mli_filter(int tile_k);

}  // namespace rooftile
