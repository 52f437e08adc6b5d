#include "rooftile/plan/gemm_candidates.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "rooftile/base/rounded.hpp"
#include "rooftile/plan/best_first.hpp"
#include "rooftile/plan/gemm_kernels.hpp"

namespace rooftile {
namespace {

constexpr std::array kSimtSplits = {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512};
constexpr auto kSimtSplitsUpTo = counts_up_to<kSimtSplits>();
constexpr SplitCounts kSimtSplitCounts(kSimtSplits, kSimtSplitsUpTo);
constexpr double kLeastSimtSplitDepth = 64;    // of k that a CTA keeps: no measured kernel keeps less
constexpr double kLeastEarlySplitDepth = 256;  // the same up to Maxwell
constexpr double kLeastBatchedDepth = 1024;    // the same of a batch: none up to that depth was split
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

// What of a kernel its bound goes by.
void set_rates(Launch& launch, const GemmKernel& kernel, double resident) {
  launch.product.tile_m = kernel.rows;
  launch.product.efficiency = kernel.efficiency;
  launch.macs_per_step = static_cast<double>(kernel.rows) * kernel.columns;
  launch.warps = kernel.threads / 32;
  launch.resident = resident;
}

void set_kernel(LaunchPlan& plan, const GemmProduct& product, const GemmKernel& kernel, double resident) {
  plan.tile = kernel.tile();
  Launch& launch = plan.main;
  set_rates(launch, kernel, resident);
  launch.product.tile_n = kernel.columns;
  launch.product.tile_k = kernel.depth;
  launch.product.k_contiguous_a = product.k_contiguous_a && !kernel.streams;  // else a few elements of each line
  launch.product.k_contiguous_b = product.k_contiguous_b && !kernel.streams;
}

// By a CTA a step of k.
Bytes loaded_by(const Launch::Product& product, const GemmKernel& kernel) {
  return product.element * kernel.rows + product.b_element() * kernel.columns;
}

// `tiles` of C, of all the batch, and parts of the main loop, which has `loops` steps.
void set_split(LaunchPlan& plan, const GemmKernel& kernel, double tiles, double loops, double split) {
  plan.split_k = split;
  Launch& launch = plan.main;
  launch.product.split = split;
  launch.ctas = tiles * split;
  launch.steps = std::ceil(loops / split) * launch.product.tile_k;
  launch.l2_load = loaded_by(launch.product, kernel) * (launch.ctas * launch.steps);
}

// The kernels of a library and those for vectors.
class Kernels {
 public:
  Kernels(const GemmProduct& product, const GemmSetting& setting, const PlanOptions& options, const SmLimits& sm)
      : sm_(sm), tile_(options.tile) {
    if (!options.kernel.empty() && !tile_) {
      if (const auto named = gemm_kernel_named(options.kernel, setting.old_kernels)) {
        own_[count_++] = *named;
        return;
      }
    }
    library_ = gemm_kernels(setting);
    if (product.m == 1 || product.n == 1) own_[count_++] = gemv_kernel(setting, product.m == 1);
    // So few results that neither operand is large.
    const bool few = std::max(product.m, product.n) <= 2 * kMostVectorsOfGemm;
    const bool few_rows = product.m <= kMostVectorsOfGemm && (few || !product.k_contiguous_b);
    const bool few_columns = product.n <= kMostVectorsOfGemm && !product.k_contiguous_a;
    if ((few_rows || few_columns) && product.batch == 1) own_[count_++] = few_vectors_kernel(few_rows);
  }

  // Those that the options leave, which an SM holds; all of them where none is what they ask for.
  template <class Add>
  void each(const Add& add) const {
    bool any = false;
    for (std::size_t i = 0; i < size(); ++i) {
      if (fits((*this)[i])) any = true, add(i);
    }
    for (std::size_t i = 0; i < size() && !any; ++i) add(i);
  }

  const GemmKernel& operator[](std::size_t i) const {
    return i < library_.size() ? library_[i] : own_[i - library_.size()];
  }

 private:
  std::size_t size() const { return library_.size() + count_; }
  bool fits(const GemmKernel& kernel) const {
    if (!tile_) return kernel.threads * kernel.registers <= sm_.registers;
    return kernel.rows == tile_->m && kernel.columns == tile_->n;
  }

  const SmLimits& sm_;
  const std::optional<Tile>& tile_;
  std::span<const GemmKernel> library_;
  std::array<GemmKernel, 2> own_;
  std::size_t count_ = 0;
};

// Parts that k can be split into.
double most_splits(const Launch& launch, const GemmSetting& setting, double tiles, double sms) {
  const Launch::Product& product = launch.product;
  const bool fills = setting.early && !setting.small_tiles;  // until every SM has a CTA
  const double least = fills ? kLeastEarlySplitDepth : kLeastSimtSplitDepth;
  const double by_depth = product.k / (product.batch > 1 ? std::max(least, kLeastBatchedDepth) : least);
  const double by_waves = fills ? rounded_up(2 * sms / tiles) - 1 : kMostSplitWaves * launch.resident * sms / tiles;
  return std::min(by_depth, by_waves);
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
  const Kernels kernels(product, setting, options, gpu.sm);
  struct Grid {
    double tiles, loops;
  };
  const auto resident = [&](const GemmKernel& kernel) {
    return options.active_ctas_per_sm ? *options.active_ctas_per_sm : resident_ctas(kernel, gpu.sm);
  };
  const auto grid_of = [&](const GemmKernel& kernel) -> Grid {
    return {rounded_up(product.m / kernel.rows) * rounded_up(product.n / kernel.columns) * product.batch,
            rounded_up(product.k / kernel.depth)};
  };
  const int told = options.split_k.value_or(1);
  const SplitCounts splits = options.split_k ? SplitCounts(told) : kSimtSplitCounts;
  BestFirst candidates(splits);
  kernels.each([&](std::size_t i) {
    const GemmKernel& kernel = kernels[i];
    const Grid grid = grid_of(kernel);
    set_rates(plan.main, kernel, resident(kernel));
    const TileLeast least = visit.tile_least(plan, loaded_by(plan.main.product, kernel));
    candidates.add(i, least, grid.tiles, grid.loops, kernel.depth,
                   most_splits(plan.main, setting, grid.tiles, gpu.sm_count));
  });
  candidates.visit([&](const BestFirst::Candidate& one) {
    const GemmKernel& kernel = kernels[one.kernel];
    const Grid grid = grid_of(kernel);
    set_kernel(plan, product, kernel, resident(kernel));
    set_split(plan, kernel, grid.tiles, grid.loops, one.split);
    return visit(plan);
  });
}

}  // namespace rooftile
