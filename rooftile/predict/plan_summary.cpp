#include "rooftile/predict/plan_summary.hpp"

#include <cmath>

#include "rooftile/plan/gemm_shape.hpp"

namespace rooftile {
namespace {

PlanSummary summary_of(const DeltaKernel& kernel) {
  const Im2col& gemm = kernel.gemm;
  const Plan& plan = kernel.plan;
  return {.m = gemm.m,
          .n = gemm.n,
          .k = gemm.k,
          .groups = gemm.groups,
          .algorithm = plan.algorithm,
          .tile = plan.kernel.tile,
          .ctas = plan.ctas,
          .active_ctas_per_sm = plan.active_ctas_per_sm,
          .waves = plan.waves};
}

}  // namespace

namespace {

// Sizes of the product that the plan computes: as its family has them, or those of the pass.
GemmShape product_shape(const OpShape& op, const LaunchPlan& plan) {
  GemmShape shape = scatters(plan) ? scatter_shape(op) : gemm_shape(op);
  const bool maps = op.gemm.filter_volume * op.gemm.out[0] * op.gemm.out[1] * op.gemm.out[2] > 1;
  const Launch::Product& product = plan.main.product;
  if (maps && product.m * product.n * product.k > 1) {  // of a convolution on tensor cores
    shape.m = product.m;
    shape.n = product.n;
    shape.k = product.k;
  }
  return shape;
}

}  // namespace

bool scatters(const LaunchPlan& plan) { return plan.main.atomics > 0; }

PlanSummary plan_summary(const Im2col& gemm, Pass pass, const LaunchPlan& plan, double sm_count) {
  const GemmShape shape = product_shape({.gemm = gemm, .pass = pass}, plan);
  const Launch& main = plan.main;
  return {.m = shape.m,
          .n = shape.n,
          .k = shape.k,
          .groups = shape.count,
          .algorithm = plan.algorithm,
          .tile = plan.tile,
          .split_k = plan.split_k,
          .ctas = main.ctas,
          .active_ctas_per_sm = main.resident,
          .waves = std::ceil(main.ctas / (main.resident * sm_count)),
          .kernels = plan.launches()};
}

std::optional<PlanSummary> plan_summary(const LayerEstimate& layer, double sm_count) {
  if (const auto* delta = first_plan<DeltaKernel>(layer)) return summary_of(*delta);
  const auto* product = first_plan<RefinedKernel>(layer);
  if (product == nullptr) return std::nullopt;
  return plan_summary(product->gemm, layer.pass, product->plan, sm_count);
}

}  // namespace rooftile
