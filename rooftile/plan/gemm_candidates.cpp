#include "rooftile/plan/gemm_candidates.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "rooftile/plan/gemm_kernels.hpp"

namespace rooftile {
namespace {

constexpr std::array kSplits = {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48};
constexpr double kLeastSplitDepth = 64;  // of k that a CTA keeps: no measured kernel keeps less
constexpr double kMostSplitWaves = 4;    // beyond, a split has nothing left to balance

LaunchPlan plan_of(const GemmProduct& product, const GemmKernel& kernel, double split, double resident, Bytes element,
                   bool old_kernels) {
  LaunchPlan plan;
  plan.tile = kernel.tile();
  plan.split_k = split;
  Launch& launch = plan.main;
  launch.product = {.m = product.m,
                    .n = product.n,
                    .k = product.k,
                    .batch = product.batch,
                    .tile_m = static_cast<double>(kernel.rows),
                    .tile_n = static_cast<double>(kernel.columns),
                    .tile_k = static_cast<double>(kernel.depth),
                    .split = split,
                    .element = element.value(),
                    .k_contiguous_a = product.k_contiguous_a,
                    .k_contiguous_b = product.k_contiguous_b,
                    .bias = product.bias,
                    .old_kernel = old_kernels,
                    .efficiency = kernel.efficiency};
  launch.macs_per_step = static_cast<double>(kernel.rows) * kernel.columns;
  launch.ctas = std::ceil(product.m / kernel.rows) * std::ceil(product.n / kernel.columns) * product.batch * split;
  launch.steps = std::ceil(std::ceil(product.k / split) / kernel.depth) * kernel.depth;
  launch.warps = kernel.threads / 32;
  launch.resident = resident;
  const Bytes output = element * (product.batch * product.m * product.n);
  launch.l2 = element * (launch.ctas * (kernel.rows + kernel.columns) * launch.steps) + output * split;
  launch.dram_load = element * (product.batch * product.k * (product.m + product.n)) + output * (product.bias ? 1 : 0);
  launch.dram_store = output;
  return plan;
}

// The kernels that `options` leave; all of them where none is what they ask for.
std::vector<GemmKernel> kernels_for(const GemmSetting& setting, const PlanOptions& options) {
  if (!options.kernel.empty() && !options.tile) {
    if (const auto named = gemm_kernel_named(options.kernel, setting.old_kernels)) return {*named};
  }
  std::vector<GemmKernel> kernels = gemm_kernels(setting);
  if (!options.tile) return kernels;
  const auto wanted = [&](const GemmKernel& kernel) {
    return kernel.rows == options.tile->m && kernel.columns == options.tile->n;
  };
  if (std::any_of(kernels.begin(), kernels.end(), wanted)) {
    kernels.erase(
        std::remove_if(kernels.begin(), kernels.end(), [&](const GemmKernel& kernel) { return !wanted(kernel); }),
        kernels.end());
  }
  return kernels;
}

bool may_split(const LaunchPlan& whole, double split, double sms) {
  const Launch& launch = whole.main;
  return launch.product.batch == 1 && launch.product.k >= kLeastSplitDepth * split &&
         launch.ctas * split <= kMostSplitWaves * launch.resident * sms;
}

}  // namespace

GemmProduct gemm_product(const Im2col& gemm, Pass pass) {
  const double m = gemm.m, n = gemm.n, k = gemm.k, batch = gemm.groups;
  switch (pass) {
    case Pass::fwd:
      return {m, n, k, batch, !gemm.trans_a, gemm.trans_b, gemm.bias};
    case Pass::bwd_data:  // dA = dC B^T, or its transpose where A is stored so
      if (gemm.trans_a) return {k, m, n, batch, !gemm.trans_b, true, false};
      return {m, k, n, batch, true, !gemm.trans_b, false};
    case Pass::bwd_weight:  // dB = A^T dC, or its transpose where B is stored so
      if (gemm.trans_b) return {n, k, m, batch, false, gemm.trans_a, false};
      return {k, n, m, batch, gemm.trans_a, false, false};
  }
  return {};
}

void each_gemm_plan(const OpShape& op, const Gpu& gpu, const PlanOptions& options, const VisitPlan& visit) {
  const GemmProduct product = gemm_product(op.gemm, op.pass);
  const GemmSetting setting = gemm_setting(gpu, product.k_contiguous_b);
  for (const GemmKernel& kernel : kernels_for(setting, options)) {
    const double resident = options.active_ctas_per_sm ? *options.active_ctas_per_sm : resident_ctas(kernel, gpu.sm);
    const auto plan_for = [&](double split) {
      return plan_of(product, kernel, split, resident, op.element, setting.old_kernels);
    };
    if (options.split_k) {
      visit(plan_for(*options.split_k));
      continue;
    }
    const LaunchPlan whole = plan_for(1);
    for (const int split : kSplits) {
      if (split == 1) {
        visit(whole);
      } else if (may_split(whole, split, gpu.sm_count)) {
        visit(plan_for(split));
      } else {
        break;
      }
    }
  }
}

}  // namespace rooftile
