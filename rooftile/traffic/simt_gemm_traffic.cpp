// DRAM bytes of GEMMs on the FP32 lanes: docs/theory/cuda_cores.md, "Products".
#include <algorithm>
#include <cmath>

#include "rooftile/base/powers.hpp"
#include "rooftile/traffic/launch_traffic.hpp"

namespace rooftile {
namespace {

using Constant = SimtGemmConstant;

// One operand's way from DRAM. A wave of CTAs touches `rows` of its rows.
struct Panel {
  double rows = 0;
  double whole = 0;    // bytes of the operand
  double by_wave = 0;  // bytes if every wave loads its rows anew, and its CTAs share them
  double by_cta = 0;   // bytes if every CTA loads its own
  double drift = 0;    // share of that sharing which is lost
};

// CTAs of a wave drift apart along k. What they share is fetched again once the shared panel outgrows the L2; a panel
// that fits is never lost, and later waves drift more because their CTAs start one by one. The exponents were chosen
// with all GPUs of the fit in view.
double drift_scale(const Launch& launch, const GpuSizes& sizes, double waves) {
  const Launch::Product& product = launch.product;
  const double capacity = sizes.l2_capacity.value();
  const double lines =
      launch.resident * sizes.sms * (product.tile_m + product.tile_n) * sizes.l2_line.value() / capacity;
  constexpr double kWaves = 0.7;
  const double later = waves > 1 ? std::pow(waves, kWaves) : 1;
  return lines * lines * lines * later / (sizes.constants[Constant::drift] * capacity);
}

Panel panel_of(double rows, double extent, double tile, double waves, double drift, Bytes element,
               const Launch& launch) {
  const Launch::Product& product = launch.product;
  const double depth = product.k / product.split;  // of a CTA, before padding
  Panel panel;
  panel.rows = rows;
  panel.whole = extent * product.k * element.value() * product.batch;
  panel.by_wave = std::max(waves * rows * depth * element.value(), panel.whole);
  panel.by_cta = launch.ctas * tile * element.value() * launch.steps;
  panel.drift = gradually(rows * depth * element.value() * drift);
  return panel;
}

double loads_of(const Panel& panel, double reload) {
  return panel.whole + (panel.by_wave - panel.whole) * reload +
         std::max(panel.by_cta - panel.by_wave, 0.0) * panel.drift;
}

Bytes results_of(const Launch& launch) {
  const Launch::Product& product = launch.product;
  return product.element * (product.m * product.n * product.batch);
}

}  // namespace

// Loaded, and by some kernels stored once more.
Bytes simt_gemm_bias(const Launch& launch, const GpuSizes& sizes) {
  return launch.product.bias ? results_of(launch) * (sizes.constants[Constant::bias_passes] - 1) : Bytes(0);
}

DramBytes simt_gemm_once(const Launch& launch, const GpuSizes& sizes) {
  const Launch::Product& product = launch.product;
  const Bytes operands = (product.element * product.m + product.b_element() * product.n) * (product.k * product.batch);
  return {operands + simt_gemm_bias(launch, sizes), results_of(launch)};
}

DramBytes simt_gemm_dram(const Launch& launch, const GpuSizes& sizes) {
  const Launch::Product& product = launch.product;
  const Constants& constants = sizes.constants;
  const double capacity = sizes.l2_capacity.value();
  const double per_wave = launch.resident * sizes.sms;
  const double columns = std::ceil(product.n / product.tile_n), rows = std::ceil(product.m / product.tile_m);
  const double waves = std::max(launch.ctas / per_wave, 1.0);
  // A wave covers the grid column by column of tiles, then row by row, then product by product.
  const double products = std::clamp(per_wave / (columns * rows), 1.0, product.batch * product.split);
  const double wave_n = std::min(columns, per_wave) * product.tile_n * products;
  const double wave_m = std::clamp(per_wave / columns, 1.0, rows) * product.tile_m * products;

  const double drift = drift_scale(launch, sizes, waves);
  const Panel a = panel_of(wave_m, product.m, product.tile_m, waves, drift, product.element, launch);
  const Panel b = panel_of(wave_n, product.n, product.tile_n, waves, drift, product.b_element(), launch);
  const double depth = product.k / product.split;
  const double reload =
      sharply(product.n * depth * product.b_element().value() / (constants[Constant::reuse_share] * capacity));

  // A k-contiguous operand is read a few elements of a line at a time: where the lines in flight overflow the L2, each
  // comes once for every sector.
  const double lines_a = product.k_contiguous_a ? a.rows + (per_wave * product.tile_m - a.rows) * a.drift : 0;
  const double lines_b = product.k_contiguous_b ? b.rows + (per_wave * product.tile_n - b.rows) * b.drift : 0;
  const Constant row_major = product.old_kernel ? Constant::old_row_major_lines : Constant::row_major_lines;
  const double weight = product.k_contiguous_b ? 1 : constants[row_major];
  const double share = constants[product.old_kernel ? Constant::old_line_share : Constant::line_share];
  const double again = (sizes.l2_line / sizes.l2_sector - 1) *
                       sharply((lines_a + lines_b) * sizes.l2_line.value() * weight / (share * capacity)) * depth /
                       (depth + constants[Constant::line_depth]);

  const double load = loads_of(a, reload) * (product.k_contiguous_a ? 1 + again : 1) +
                      loads_of(b, reload) * (product.k_contiguous_b ? 1 + again : 1);
  return {Bytes(load) + simt_gemm_bias(launch, sizes), results_of(launch)};
}

}  // namespace rooftile
