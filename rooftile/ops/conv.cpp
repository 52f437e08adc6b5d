#include "rooftile/ops/conv.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>

#include "rooftile/ops/touched.hpp"

namespace rooftile {
namespace {

double real(std::int64_t value) { return static_cast<double>(value); }

// Outputs of one transposed axis with equally many taps and positions.
struct Phase {
  std::int64_t taps;
  std::int64_t positions;
  bool operator<(const Phase& other) const {
    return std::pair(taps, positions) < std::pair(other.taps, other.positions);
  }
};

std::map<Phase, double> phases(const ConvAxis& axis) {
  const std::int64_t out = out_positions(axis, true);
  const std::int64_t step = axis.stride / std::gcd(axis.stride, axis.dilation);
  // Output o takes tap r where (o + pad) - r dilation is a multiple of the stride.
  std::vector<std::int64_t> taps(static_cast<std::size_t>(axis.stride), 0);
  for (std::int64_t first = 0; first < std::min(step, axis.filter); ++first) {
    taps[static_cast<std::size_t>(first * axis.dilation % axis.stride)] = (axis.filter - first + step - 1) / step;
  }
  std::map<Phase, double> result;
  for (std::int64_t first = 0; first < std::min(axis.stride, out); ++first) {
    const std::int64_t residue = (first + axis.pad_begin) % axis.stride;
    const std::int64_t positions = (out - first + axis.stride - 1) / axis.stride;
    const std::int64_t reached = taps[static_cast<std::size_t>(residue)];
    if (reached > 0) result[{reached, positions}] += 1;
  }
  return result;
}

ConvAxis direct_axis(const ConvAxis& axis, const Phase& phase) {
  ConvAxis direct;
  direct.in = axis.in;
  direct.filter = phase.taps;
  direct.dilation = axis.dilation / std::gcd(axis.stride, axis.dilation);
  const std::int64_t missing = phase.positions + filter_extent(direct) - 1 - axis.in;
  direct.pad_begin = missing / 2;
  direct.pad_end = missing - direct.pad_begin;
  return direct;
}

}  // namespace

Im2col im2col(const Conv& conv) {
  Im2col gemm;
  gemm.batch = real(conv.batch);
  gemm.groups = real(conv.groups);
  gemm.in_channels = real(conv.in_channels / conv.groups);
  gemm.out_channels = real(conv.out_channels / conv.groups);
  double positions = 1;
  for (std::size_t i = 0; i < conv.axes.size(); ++i) {
    const ConvAxis& axis = conv.axes[i];
    gemm.in[i] = real(axis.in);
    gemm.padded[i] = real(padded(axis));
    gemm.pad[i] = real(axis.pad_begin);
    gemm.filter[i] = real(axis.filter);
    gemm.dilation[i] = real(axis.dilation);
    gemm.extent[i] = real(filter_extent(axis));
    gemm.stride[i] = real(axis.stride);
    gemm.out[i] = real(out_positions(axis, false));
    gemm.touched[i] = touched_positions(axis, out_positions(axis, false));
    gemm.filter_volume *= real(axis.filter);
    positions *= gemm.out[i];
  }
  gemm.filter_width = real(conv.axes[2].filter);
  gemm.m = gemm.batch * positions;
  gemm.n = gemm.out_channels;
  gemm.k = gemm.in_channels * gemm.filter_volume;
  return gemm;
}

Im2col im2col(const Gemm& gemm) {
  Im2col result;
  result.batch = result.m = real(gemm.m);
  result.in_channels = result.k = real(gemm.k);
  result.out_channels = result.n = real(gemm.n);
  result.groups = real(gemm.batch);
  result.trans_a = gemm.trans_a;
  result.trans_b = gemm.trans_b;
  result.bias = gemm.bias;
  return result;
}

double compulsory_elements(const Im2col& gemm) {
  double inputs = gemm.batch * gemm.in_channels;
  for (const double positions : gemm.touched) inputs *= positions;
  return gemm.groups * (inputs + gemm.k * gemm.n);
}

std::vector<ConvPart> direct_parts(const Conv& conv) {
  if (!conv.transposed) return {{conv, 1}};
  std::vector<ConvPart> parts;
  for (const auto& [depth, depths] : phases(conv.axes[0])) {
    for (const auto& [height, heights] : phases(conv.axes[1])) {
      for (const auto& [width, widths] : phases(conv.axes[2])) {
        Conv part = conv;
        part.transposed = false;
        part.axes = {direct_axis(conv.axes[0], depth), direct_axis(conv.axes[1], height),
                     direct_axis(conv.axes[2], width)};
        parts.push_back({part, depths * heights * widths});
      }
    }
  }
  return parts;
}

}  // namespace rooftile
