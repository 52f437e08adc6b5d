#include "rooftile/predict/ordered_sums.hpp"

#include <algorithm>
#include <cmath>

#include "rooftile/execution/framework.hpp"
#include "rooftile/gpu/generation.hpp"

namespace rooftile {
namespace {

// A part waits for its lock, reads the sum of those before, writes it and opens the next lock: the median over Qwen2.5
// 0.5B, 1.5B and 3B with weights of 8 and 4 bits in vLLM on an A100 (1.4 to 1.9 us; data/measurements/
// unseen_decoding.csv). 7B to 32B were not used.
constexpr Seconds kPart(1.7e-6);

// CTAs of the most that share a column. Tiles of 128 x 128 weights, in the order of the columns, are dealt to as many
// CTAs as there are SMs, in stripes of equal length (vLLM, csrc/quantization/gptq_marlin/gptq_marlin.cu, Marlin(),
// `iters`; up to 64 rows at a time).
double parts_of_column(const Im2col& product, const Gpu& gpu) {
  constexpr double kTile = 128, kRows = 64;
  const double along = std::ceil(static_cast<double>(product.k) / kTile);
  const double columns =
      std::ceil(static_cast<double>(product.n) / kTile) * std::ceil(static_cast<double>(product.m) / kRows);
  const double stripe = std::ceil(along * columns / gpu.sm_count);
  const bool whole = std::fmod(along, stripe) == 0 || std::fmod(stripe, along) == 0;
  if (whole) return std::max(1.0, along / stripe);
  return std::ceil((along - 1) / stripe) + 1;
}

}  // namespace

bool sums_in_order(const PredictOptions& options, const Gpu& gpu) {
  const bool marlin = runs_marlin(options.framework) && gpu.vendor == "nvidia" && gpu.generation >= generation::kAmpere;
  return marlin && options.method == Method::rooftile && options.weights.has_value() &&
         !generation::has_async_products(gpu.generation);
}

KernelEstimate ordered_sums(const Im2col& product, const Gpu& gpu) {
  const double further = parts_of_column(product, gpu) - 1;
  KernelEstimate sums{.launches = 0, .plan = OrderedSums{}};
  sums.time = kPart * further;
  sums.cases[Bottleneck::latency] = sums.time;
  return sums;
}

}  // namespace rooftile
