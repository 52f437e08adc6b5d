#include "rooftile/plan/fft.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "rooftile/plan/planes.hpp"

namespace rooftile {
namespace {

constexpr double kTile = 32, kLeast = 16, kMost = 256;  // positions of an axis
constexpr double kMostInSm = 64;                        // the same, of a tile of 4-byte numbers in shared memory
constexpr double kComplex = 2;                          // numbers
constexpr double kComplexMacs = 4;                      // of real numbers, for one of complex ones

// A CTA multiplies 64 x 64 complex numbers a step, as many accumulators as a real tile of 128 x 64 has, or 32 x 32;
// threads as profilers report them.
struct ProductTile {
  int size;
  double warps, resident;
};
constexpr std::array kProductTiles = {ProductTile{64, 8, 2}, ProductTile{32, 2, 8}};

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

  // Rows and columns in one go where a tile fits an SM; else the half-transformed tile goes to memory and back.
  const double between = size > kMostInSm ? 1 : 0;
  const auto transform = [&](Bytes plain, Bytes transformed) {
    return MemoryKernel{plain + transformed * between, transformed + transformed * between};
  };
  const auto back = [&](Bytes transformed, Bytes plain) {
    return MemoryKernel{transformed + transformed * between, plain + transformed * between};
  };
  LaunchPlan plan;
  plan.algorithm = Algorithm::fft;
  const MemoryKernel first = transform(input_bytes(planes), input);
  const MemoryKernel second = weights ? transform(output_bytes(planes), output) : transform(plain_filters, filters);
  const MemoryKernel last = weights ? back(filters, plain_filters) : back(output, output_bytes(planes));
  plan.add_before(first.load, first.store);
  plan.add_before(second.load, second.store);
  plan.add_after(last.load, last.store);
  // Rows and depth of each product; the gradient of the filters sums over the tiles.
  const double m = weights ? planes.in_channels : tiles, k = weights ? tiles : planes.in_channels;
  Launch& gemm = plan.main;
  gemm.steps = std::ceil(k / 8) * 8;
  gemm.efficiency = ConvConstant::wide_efficiency;  // four multiplications for two operands: as dense as a large tile
  gemm.prologue = ConvConstant::winograd_prologue;
  gemm.gradient = weights;
  gemm.dram_load = input + (weights ? output : filters);
  gemm.l2_store = gemm.dram_store = weights ? filters : output;
  for (const ProductTile& tile : kProductTiles) {
    const double edge = tile.size;
    plan.tile = {tile.size, tile.size, 8};
    gemm.ctas = frequencies * std::ceil(m / edge) * std::ceil(planes.out_channels / edge);
    gemm.macs_per_step = kComplexMacs * edge * edge;
    gemm.warps = tile.warps;
    gemm.resident = tile.resident;
    gemm.l2_load = planes.element * (kComplex * gemm.ctas * gemm.steps * 2 * edge);
    visit(plan);
  }
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
