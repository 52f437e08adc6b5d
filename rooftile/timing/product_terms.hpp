// What all plans of one product have in common, and what each takes at least: whoever looks for the fastest need not
// time them all.
#pragma once

#include "rooftile/plan/launch.hpp"
#include "rooftile/timing/gpu_rates.hpp"
#include "rooftile/traffic/launch_traffic.hpp"

namespace rooftile {

// On tensor cores: what the form takes of the product and the GPU, whatever the tile.
struct TensorTerms {
  Misses misses;
  double efficiency = 1;  // of the multiply-accumulates
  double latency = 0;     // seconds of a load from the L2
  double missing = 1;     // that misses make loads longer by
  BytesPerSecond l2{1};   // that loads reach
  double sm_draw = 1;     // bytes a second of an SM
  Seconds split;          // what a split takes whatever its size
};
TensorTerms tensor_terms(const Launch& launch, const GpuRates& rates);

// Of gemm_simt, tensor and conv_tensor.
struct ProductTerms {
  TensorTerms tensor;
  Seconds dram;    // that operands and results take, each moved once
  Seconds around;  // what plan_time() adds to the launch that multiplies
};

// By any plan of the product.
ProductTerms product_terms(const LaunchPlan& plan, const GpuRates& rates);

// No more than plan_time(), and close to it where operands are read from DRAM once and the power is not limited.
Seconds least_plan_time(const LaunchPlan& plan, const GpuRates& rates, const ProductTerms& terms);

// No more than plan_time() of conv_miopen, whatever the tile and split; `around` is time_around() of the plan.
Seconds least_miopen_time(const LaunchPlan& plan, const GpuRates& rates, Seconds around);

// Two times that are the same but for rounding are closer than this share of them.
inline constexpr double kRounding = 1e-12;

// Of the launch that multiplies, by its family.
Seconds simt_gemm_least(const Launch& launch, const GpuRates& rates, const ProductTerms& terms);
Seconds tensor_gemm_least(const Launch& launch, const GpuRates& rates, const ProductTerms& terms);
Seconds miopen_least(const Launch& launch, const GpuRates& rates);

}  // namespace rooftile
