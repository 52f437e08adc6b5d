// What all plans of one product have in common, and what each takes at least: whoever looks for the fastest need not
// time them all.
#pragma once

#include "rooftile/plan/launch.hpp"
#include "rooftile/plan/tile_least.hpp"
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

// On the lanes.
struct LanesTerms {
  double macs = 1;       // a second of an SM whose issue slots are shared, at full efficiency
  BytesPerSecond l2{1};  // that loads reach
};

// Of gemm_simt, tensor and conv_tensor; of conv_miopen for one kind of kernel.
struct ProductTerms {
  TensorTerms tensor;
  LanesTerms lanes;
  Seconds dram;              // that operands and results take, each moved once
  Seconds around;            // what plan_time() adds to the launch that multiplies
  bool by_estimate = false;  // the library chooses by old_choice_time(), which is what is bounded
  ProductLeast least;        // which the bounds on tiles refer to
};

// By any plan of the product.
ProductTerms product_terms(const LaunchPlan& plan, const GpuRates& rates);

// No more than plan_time(), or by estimate choice_time(), with the plan's tile and any split, and close to it where
// operands are read from DRAM once and the power is not limited. A CTA loads so much a step of k. It refers to `terms`.
TileLeast tile_least(const LaunchPlan& plan, Bytes loaded, const GpuRates& rates, const ProductTerms& terms);

// No more than plan_time() of conv_miopen, whatever the tile and split.
Seconds least_miopen_time(const LaunchPlan& plan, const GpuRates& rates, const ProductTerms& terms);

// Two times that are the same but for rounding are closer than this share of them.
inline constexpr double kRounding = 1e-12;

// Of the launch that multiplies, by its family: what all tiles have in common, and one of them.
void set_simt_gemm_terms(ProductTerms& terms, const Launch& launch, const GpuRates& rates);
void set_old_choice_terms(ProductTerms& terms, const Launch& launch, const GpuRates& rates);
void set_tensor_gemm_terms(ProductTerms& terms, const Launch& launch, const GpuRates& rates);
void set_miopen_terms(ProductTerms& terms, const Launch& launch, const GpuRates& rates);
TileLeast simt_gemm_least(const Launch& launch, Bytes loaded, const GpuRates& rates, const ProductTerms& terms);
TileLeast old_choice_least(const Launch& launch, Bytes loaded, const GpuRates& rates, const ProductTerms& terms);
TileLeast tensor_gemm_least(const Launch& launch, Bytes loaded, const GpuRates& rates, const ProductTerms& terms);
TileLeast miopen_tile_least(const Launch& launch, Bytes loaded, const GpuRates& rates, const ProductTerms& terms);
Seconds miopen_compute_least(const Launch& launch, const GpuRates& rates);

}  // namespace rooftile
