#include "rooftile/timing/product_terms.hpp"

#include <algorithm>

#include "rooftile/timing/plan_time.hpp"

namespace rooftile {

ProductTerms product_terms(const LaunchPlan& plan, const GpuRates& rates) {
  ProductTerms terms;
  terms.around = time_around(plan, rates);
  if (rates.family == KernelFamily::conv_miopen) {
    const double efficiency = rates.constants[MiopenConstant::dram_efficiency];
    terms.dram = (plan.main.dram_load + plan.main.dram_store) / (rates.dram * efficiency);
    return terms;
  }
  const bool lanes = rates.family == KernelFamily::gemm_simt;
  if (!lanes) terms.tensor = tensor_terms(plan.main, rates);
  const DramBytes once = lanes ? simt_gemm_once(plan.main, rates) : tensor_gemm_once(plan.main, terms.tensor.misses);
  const double efficiency =
      lanes ? rates.constants[SimtGemmConstant::dram_efficiency] : rates.constants[TensorConstant::dram_efficiency];
  terms.dram = (once.load + once.store) / (rates.dram * efficiency);
  return terms;
}

namespace {

TileLeast launch_least(const Launch& launch, Bytes loaded, const GpuRates& rates, const ProductTerms& terms) {
  if (rates.family == KernelFamily::gemm_simt) return simt_gemm_least(launch, loaded, rates);
  if (rates.family == KernelFamily::conv_miopen) return miopen_tile_least(launch, loaded, rates);
  return tensor_gemm_least(launch, loaded, rates, terms.tensor);
}

}  // namespace

TileLeast tile_least(const LaunchPlan& plan, Bytes loaded, const GpuRates& rates, const ProductTerms& terms) {
  TileLeast least = launch_least(plan.main, loaded, rates, terms);
  least.dram = terms.dram.value();
  least.times = plan.images * (1 - kRounding);
  least.around = terms.around.value() * (1 - kRounding);
  return least;
}

Seconds least_miopen_time(const LaunchPlan& plan, const GpuRates& rates, const ProductTerms& terms) {
  const Seconds launch = std::max(miopen_compute_least(plan.main, rates), terms.dram);
  return (terms.around + launch * plan.images) * (1 - kRounding);
}

}  // namespace rooftile
