#include "rooftile/plan/gemm_shape.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace rooftile {
namespace {

struct OperandCounts {
  double input, filter, output;  // elements of all groups
};

OperandCounts operands(const Im2col& gemm) {
  double input = gemm.batch * gemm.in_channels * gemm.groups;
  for (const double positions : gemm.touched) input *= positions;
  return {input, gemm.k * gemm.n * gemm.groups, gemm.m * gemm.n * gemm.groups};
}

bool is_plain_gemm(const Im2col& gemm) {
  return gemm.out[0] * gemm.out[1] * gemm.out[2] == 1 && gemm.filter_volume == 1;
}

std::array<GemmShape::Axis, 3> windows(const Im2col& gemm) {
  std::array<GemmShape::Axis, 3> axes;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::size_t from = axes.size() - 1 - i;
    axes[i] = {gemm.out[from], gemm.filter[from], gemm.stride[from], gemm.dilation[from]};
  }
  return axes;
}

double positions_of(const std::array<double, 3>& axes) { return axes[0] * axes[1] * axes[2]; }

}  // namespace

GemmShape gemm_shape(const OpShape& op) {
  const Im2col& forward = op.gemm;
  const OperandCounts count = operands(forward);
  const Bytes element = op.element;
  GemmShape shape;
  shape.count = forward.groups;
  switch (op.pass) {
    case Pass::fwd:
      shape.m = forward.m;
      shape.n = forward.n;
      shape.k = forward.k;
      shape.axes = windows(forward);
      shape.load = element * count.input + weight_of(op) * count.filter;
      shape.store = result_of(op) * count.output;
      shape.aligned_store = fills_sectors(is_plain_gemm(forward) ? forward.n : positions_of(forward.out), element);
      break;
    case Pass::bwd_data: {
      double skipped = 1;
      for (std::size_t i = 0; i < 3; ++i) skipped = std::max(skipped, std::min(forward.stride[i], forward.filter[i]));
      shape.m = forward.batch * positions_of(forward.in);
      shape.n = forward.in_channels;
      shape.k = forward.out_channels * forward.filter_volume / skipped;
      shape.classes = skipped;
      for (std::size_t i = 0; i < 3; ++i) shape.axes[i] = {forward.in[2 - i], forward.filter[2 - i], 1, 1};
      shape.load = element * (count.output + count.filter);
      shape.store = element * (forward.batch * forward.in_channels * forward.groups * positions_of(forward.in));
      shape.aligned_store =
          fills_sectors(is_plain_gemm(forward) ? forward.in_channels : positions_of(forward.in), element);
      break;
    }
    case Pass::bwd_weight:
      shape.m = forward.k;
      shape.n = forward.n;
      shape.k = forward.m;
      shape.load = element * (count.input + count.output);
      shape.store = element * count.filter;
      break;
  }
  return shape;
}

GemmShape scatter_shape(const OpShape& op) {
  const OperandCounts count = operands(op.gemm);
  GemmShape shape;
  shape.count = op.gemm.groups;
  shape.m = op.gemm.m;
  shape.n = op.gemm.k;
  shape.k = op.gemm.n;
  shape.load = op.element * (count.output + count.filter);
  shape.store = op.element * (2 * op.gemm.batch * op.gemm.in_channels * op.gemm.groups * positions_of(op.gemm.in));
  return shape;
}

bool fills_sectors(double elements, Bytes element) {
  constexpr double kSector = 32;
  return std::fmod(elements * element.value(), kSector) == 0;
}

double touched_coordinates(double positions, const GemmShape::Axis& axis) {
  double stride = axis.stride, dilation = axis.dilation;
  if (dilation > 1) {
    const auto common =
        static_cast<double>(std::gcd(static_cast<std::int64_t>(axis.stride), static_cast<std::int64_t>(axis.dilation)));
    stride /= common;
    dilation /= common;
  }
  return positions * axis.taps - std::max(positions - dilation, 0.0) * std::max(axis.taps - stride, 0.0);
}

double unique_share(const GemmShape& shape, double rows) {
  double share = 1, left = rows;
  for (const GemmShape::Axis& axis : shape.axes) {
    if (axis.taps > 1) {
      const double positions = std::min(left, axis.positions);
      share *= std::min(1.0, touched_coordinates(positions, axis) / (positions * axis.taps));
    }
    left = std::max(1.0, left / axis.positions);
  }
  return share;
}

}  // namespace rooftile
