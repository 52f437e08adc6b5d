#include "rooftile/plan/gemm_candidates.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "rooftile/plan/best_first.hpp"
#include "rooftile/plan/gemm_kernels.hpp"

namespace rooftile {
namespace {

constexpr std::array kSimtSplits = {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512};
constexpr double kLeastSimtSplitDepth = 64;    // of k that a CTA keeps: no measured kernel keeps less
constexpr double kLeastEarlySplitDepth = 256;  // the same up to Maxwell
constexpr double kLeastBatchedDepth = 2048;    // of k: batches up to half as deep were measured, none was split
constexpr double kMostSplitWaves = 4;          // beyond, a split has nothing left to balance

// What all plans of a product have in common.
LaunchPlan plan_of(const GemmProduct& product, const OpShape& op, bool old_kernels) {
  LaunchPlan plan;
  Launch& launch = plan.main;
  launch.product = {.m = product.m,
                    .n = product.n,
                    .k = product.k,
                    .batch = product.batch,
                    .element = op.element,
                    .weight = op.weight,
                    .k_contiguous_a = product.k_contiguous_a,
                    .k_contiguous_b = product.k_contiguous_b,
                    .bias = product.bias,
                    .old_kernel = old_kernels};
  const Bytes output = op.element * (product.batch * product.m * product.n);
  const Bytes operands = (op.element * product.m + weight_of(op) * product.n) * (product.batch * product.k);
  launch.dram_load = operands + output * (product.bias ? 1 : 0);
  launch.l2_store = launch.dram_store = output;
  return plan;
}

void set_kernel(LaunchPlan& plan, const GemmProduct& product, const GemmKernel& kernel, double resident) {
  plan.tile = kernel.tile();
  Launch& launch = plan.main;
  launch.product.tile_m = kernel.rows;
  launch.product.tile_n = kernel.columns;
  launch.product.tile_k = kernel.depth;
  launch.product.efficiency = kernel.efficiency;
  launch.product.k_contiguous_a = product.k_contiguous_a && !kernel.streams;  // else a few elements of each line
  launch.product.k_contiguous_b = product.k_contiguous_b && !kernel.streams;
  launch.macs_per_step = static_cast<double>(kernel.rows) * kernel.columns;
  launch.warps = kernel.threads / 32;
  launch.resident = resident;
}

// That a CTA of the plan's kernel goes through.
double steps_of(const LaunchPlan& plan, double split) {
  const Launch::Product& product = plan.main.product;
  return std::ceil(std::ceil(product.k / split) / product.tile_k) * product.tile_k;
}

// By a CTA a step of k.
Bytes loaded_by(const LaunchPlan& plan) {
  const Launch::Product& product = plan.main.product;
  return product.element * product.tile_m + product.b_element() * product.tile_n;
}

// `tiles` of C, of all the batch.
void set_split(LaunchPlan& plan, double tiles, double split) {
  plan.split_k = split;
  Launch& launch = plan.main;
  launch.product.split = split;
  launch.ctas = tiles * split;
  launch.steps = steps_of(plan, split);
  launch.l2_load = loaded_by(plan) * (launch.ctas * launch.steps);
}

// Leaves those for which `keep` holds; all of them where it holds for none.
template <class Keep>
void keep_those(std::vector<GemmKernel>& kernels, const Keep& keep) {
  if (std::none_of(kernels.begin(), kernels.end(), keep)) return;
  kernels.erase(std::remove_if(kernels.begin(), kernels.end(), [&](const GemmKernel& one) { return !keep(one); }),
                kernels.end());
}

// The kernels that `options` leave; all of them where none is what they ask for. Else those whose CTAs an SM holds.
std::vector<GemmKernel> kernels_for(const GemmProduct& product, const GemmSetting& setting, const PlanOptions& options,
                                    const SmLimits& sm) {
  if (!options.kernel.empty() && !options.tile) {
    if (const auto named = gemm_kernel_named(options.kernel, setting.old_kernels)) return {*named};
  }
  std::vector<GemmKernel> kernels = gemm_kernels(setting);
  const bool vector = product.m == 1 || product.n == 1;
  if (vector) kernels.push_back(gemv_kernel(setting, product.m == 1));
  const bool few = std::max(product.m, product.n) <= kMostVectorsOfGemm;
  const bool few_rows = product.m <= kMostVectorsOfGemm && (few || !product.k_contiguous_b);
  const bool few_columns = product.n <= kMostVectorsOfGemm && !product.k_contiguous_a;
  if ((few_rows || few_columns) && product.batch == 1) kernels.push_back(few_vectors_kernel(few_rows));
  keep_those(kernels, [&](const GemmKernel& kernel) {
    if (!options.tile) return kernel.threads * kernel.registers <= sm.registers;
    return kernel.rows == options.tile->m && kernel.columns == options.tile->n;
  });
  return kernels;
}

bool may_split(const Launch& launch, const GemmSetting& setting, double tiles, double split, double sms) {
  const Launch::Product& product = launch.product;
  if (product.batch > 1 && product.k < kLeastBatchedDepth) return false;
  if (setting.early && !setting.small_tiles) {  // until every SM has a CTA
    return product.k >= kLeastEarlySplitDepth * split && tiles * split < 2 * sms;
  }
  return product.k >= kLeastSimtSplitDepth * split && tiles * split <= kMostSplitWaves * launch.resident * sms;
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
  GemmSetting setting = gemm_setting(gpu, product.k_contiguous_b);
  setting.alone = product.batch == 1;
  setting.early = setting.early || (setting.old_kernels && op.early_library);
  LaunchPlan plan = plan_of(product, op, setting.old_kernels);
  const std::vector<GemmKernel> kernels = kernels_for(product, setting, options, gpu.sm);
  const auto set = [&](const GemmKernel& kernel) {
    set_kernel(plan, product, kernel,
               options.active_ctas_per_sm ? *options.active_ctas_per_sm : resident_ctas(kernel, gpu.sm));
    return std::ceil(product.m / kernel.rows) * std::ceil(product.n / kernel.columns) * product.batch;
  };
  BestFirst candidates;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const double tiles = set(kernels[i]);
    const TileLeast least = visit.tile_least(plan, loaded_by(plan));
    for (const int split : kSimtSplits) {
      if (split > 1 && !options.split_k && !may_split(plan.main, setting, tiles, split, gpu.sm_count)) break;
      const int parts = options.split_k.value_or(split);
      candidates.add(least.at(tiles * parts, steps_of(plan, parts), parts), {i, parts});
      if (options.split_k) break;
    }
  }
  candidates.visit([&](const BestFirst::Candidate& one) {
    const double tiles = set(kernels[one.kernel]);
    set_split(plan, tiles, one.split);
    return visit(plan);
  });
}

}  // namespace rooftile
