#include "rooftile/timing/product_terms.hpp"

#include <algorithm>

#include "rooftile/timing/plan_time.hpp"

namespace rooftile {

ProductTerms product_terms(const LaunchPlan& plan, const GpuRates& rates) {
  ProductTerms terms;
  terms.around = time_around(plan, rates);
  terms.least.sms = rates.sms;
  terms.least.times = plan.images * (1 - kRounding);
  terms.least.around = terms.around.value() * (1 - kRounding);
  if (rates.family == KernelFamily::gemm_simt) {
    terms.by_estimate = chooses_by_estimate(plan, rates);
    (terms.by_estimate ? set_old_choice_terms : set_simt_gemm_terms)(terms, plan.main, rates);
  } else if (rates.family == KernelFamily::conv_miopen) {
    set_miopen_terms(terms, plan.main, rates);
  } else {
    set_tensor_gemm_terms(terms, plan.main, rates);
  }
  terms.least.dram = terms.dram.value();
  return terms;
}

TileLeast tile_least(const LaunchPlan& plan, Bytes loaded, const GpuRates& rates, const ProductTerms& terms) {
  if (rates.family == KernelFamily::gemm_simt) {
    return (terms.by_estimate ? old_choice_least : simt_gemm_least)(plan.main, loaded, rates, terms);
  }
  if (rates.family == KernelFamily::conv_miopen) return miopen_tile_least(plan.main, loaded, rates, terms);
  return tensor_gemm_least(plan.main, loaded, rates, terms);
}

Seconds least_miopen_time(const LaunchPlan& plan, const GpuRates& rates, const ProductTerms& terms) {
  const Seconds launch = std::max(miopen_compute_least(plan.main, rates), terms.dram);
  return (terms.around + launch * plan.images) * (1 - kRounding);
}

}  // namespace rooftile
