#include "rooftile/timing/product_terms.hpp"

#include "rooftile/timing/plan_time.hpp"

namespace rooftile {

ProductTerms product_terms(const LaunchPlan& plan, const GpuRates& rates) {
  ProductTerms terms;
  terms.around = time_around(plan, rates);
  const bool lanes = rates.family == KernelFamily::gemm_simt;
  if (!lanes) terms.tensor = tensor_terms(plan.main, rates);
  const DramBytes once = lanes ? simt_gemm_once(plan.main, rates) : tensor_gemm_once(plan.main, terms.tensor.misses);
  const double efficiency =
      lanes ? rates.constants[SimtGemmConstant::dram_efficiency] : rates.constants[TensorConstant::dram_efficiency];
  terms.dram = (once.load + once.store) / (rates.dram * efficiency);
  return terms;
}

Seconds least_plan_time(const LaunchPlan& plan, const GpuRates& rates, const ProductTerms& terms) {
  const Seconds launch = rates.family == KernelFamily::gemm_simt ? simt_gemm_least(plan.main, rates, terms)
                                                                 : tensor_gemm_least(plan.main, rates, terms);
  return (terms.around + launch) * (1 - kRounding);
}

Seconds least_miopen_time(const LaunchPlan& plan, const GpuRates& rates, Seconds around) {
  return (around + miopen_least(plan.main, rates) * plan.images) * (1 - kRounding);
}

}  // namespace rooftile
