// How a layer would run, in the few numbers that reports print, whichever method planned it.
#pragma once

#include <optional>
#include <string_view>

#include "rooftile/plan/launch.hpp"
#include "rooftile/plan/plan.hpp"
#include "rooftile/predict/prediction.hpp"

namespace rooftile {

// The product C[m, n] = A[m, k] B[k, n], `groups` times, and the kernel that computes it.
struct PlanSummary {
  double m = 1, n = 1, k = 1, groups = 1;
  Algorithm algorithm = Algorithm::implicit_gemm;
  Tile tile;
  double split_k = 1;  // CTAs that share one tile of C
  double ctas = 1;
  double active_ctas_per_sm = 1;
  double waves = 1;    // rounds in which an SM gets its CTAs
  double kernels = 1;  // launches of this plan, transforms and reductions included
};

// Of several products of a layer, the first stands for all. `sm_count` is the GPU's. Nothing for a layer that was not
// planned (roofline, stream, none).
std::optional<PlanSummary> plan_summary(const LayerEstimate& layer, double sm_count);

// The same for one plan of one product.
PlanSummary plan_summary(const Im2col& gemm, Pass pass, const LaunchPlan& plan, double sm_count);

// Whether the plan adds its products into memory, window by window, instead of gathering them.
bool scatters(const LaunchPlan& plan);

}  // namespace rooftile
