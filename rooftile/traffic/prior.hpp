// The models that DeLTA compares itself with: every cache misses at a rate fixed beforehand.
#pragma once

#include "rooftile/plan/plan.hpp"
#include "rooftile/traffic/delta.hpp"

namespace rooftile {

// DeLTA's traffic at the L1, and below it the L2 loads `l1_miss` of that and DRAM loads `l2_miss` of those (Lym et al.,
// ISPASS 2019, Figs 12 and 15; the rates there are 1). Terms of the caches' own models (Eqs 5 to 8 and 10) are zero.
// `gemm` and `plan` as for delta_traffic(); the rates are between 0 and 1.
DeltaTraffic prior_traffic(const Im2col& gemm, const Plan& plan, Bytes l1_request, double l1_miss, double l2_miss);

}  // namespace rooftile
