#include "rooftile/plan/fft.hpp"

#include <algorithm>
#include <cmath>

#include "rooftile/plan/planes.hpp"

namespace rooftile {
namespace {

constexpr double kTile = 32, kLeast = 16, kMost = 256;  // positions of an axis
constexpr double kComplex = 2;                          // numbers
constexpr double kComplexMacs = 4;                      // of real numbers, for one of complex ones

// A CTA multiplies 64 x 64 complex numbers a step: the accumulators of a real tile of 128 x 64.
constexpr double kProductTile = 64, kWarps = 8, kResident = 2;

// `size` positions an axis, as many tiles a map as the outputs need.
void visit_fft(const Planes& planes, bool weights, double size, const VisitPlan& visit) {
  const double frequencies = size * (size / 2 + 1);
  const double tiles = planes.batch * std::ceil(planes.height / (size - planes.filter_height + 1)) *
                       std::ceil(planes.width / (size - planes.filter_width + 1));
  const Bytes point = planes.element * (kComplex * frequencies);
  const Bytes input = point * (tiles * planes.in_channels), output = point * (tiles * planes.out_channels);
  const Bytes filters = point * (planes.in_channels * planes.out_channels);
  const Bytes plain_filters =
      planes.element * (planes.filter_height * planes.filter_width * planes.in_channels * planes.out_channels);

  LaunchPlan plan;
  plan.algorithm = Algorithm::fft;
  plan.tile = {static_cast<int>(kProductTile), static_cast<int>(kProductTile), 8};
  plan.add_before(input_bytes(planes), input);
  if (weights) {
    plan.add_before(output_bytes(planes), output);
    plan.add_after(filters, plain_filters);
  } else {
    plan.add_before(plain_filters, filters);
    plan.add_after(output, output_bytes(planes));
  }
  // Rows and depth of each product; the gradient of the filters sums over the tiles.
  const double m = weights ? planes.in_channels : tiles, k = weights ? tiles : planes.in_channels;
  Launch& gemm = plan.main;
  gemm.ctas = frequencies * std::ceil(m / kProductTile) * std::ceil(planes.out_channels / kProductTile);
  gemm.macs_per_step = kComplexMacs * kProductTile * kProductTile;
  gemm.steps = std::ceil(k / 8) * 8;
  gemm.warps = kWarps;
  gemm.resident = kResident;
  gemm.efficiency = ConvConstant::wide_efficiency;  // four multiplications for two operands: as dense as a large tile
  gemm.prologue = ConvConstant::winograd_prologue;
  gemm.gradient = weights;
  gemm.dram_load = input + (weights ? output : filters);
  gemm.dram_store = weights ? filters : output;
  gemm.l2 = planes.element * (kComplex * gemm.ctas * gemm.steps * 2 * kProductTile) + gemm.dram_store;
  visit(plan);
}

}  // namespace

bool has_fft(const OpShape& op) {
  const double taps = std::max(op.gemm.filter[1], op.gemm.filter[2]);
  return has_unit_planes(op.gemm) && taps > 1 && taps <= kTile / 2;
}

void each_fft(const OpShape& op, const VisitPlan& visit) {
  const Planes planes = planes_of(op);
  const bool weights = op.pass == Pass::bwd_weight;
  visit_fft(planes, weights, kTile, visit);
  const double whole =
      std::max(planes.height + planes.filter_height, planes.width + planes.filter_width) - 1;  // outputs and their taps
  const double size = std::max(kLeast, std::exp2(std::ceil(std::log2(whole))));
  if (size != kTile && size <= kMost) visit_fft(planes, weights, size, visit);
}

}  // namespace rooftile
