#include "rooftile/plan/miopen_layer.hpp"

#include <algorithm>
#include <cmath>

#include "rooftile/gpu/generation.hpp"
#include "rooftile/plan/matrix_peak.hpp"

namespace rooftile {
namespace {

double volume_of(const std::array<double, 3>& axes) { return axes[0] * axes[1] * axes[2]; }

// Of taps along an axis, `most` in each; along the width two at a time where one is not enough (S_loops of ShaderModel
// in conv_winoRxS.cpp).
double winograd_pieces(double taps, double most, bool width) {
  return width && taps > most ? 2 * std::ceil(taps / (2 * most)) : std::ceil(taps / most);
}

bool is_multiple(double x, double of) { return std::fmod(x, of) == 0; }

void add_rates(MiopenLayer& layer, const Gpu& gpu) {
  const auto rate = [&](Peak which) { return gpu.peak(which).value(); };
  const auto unit = matrix_peak(layer.precision);
  const bool brain = layer.precision == DType::bf16, half = layer.precision == DType::fp16;
  const double single = rate(Peak::fp32);
  layer.matrix = unit && rate(*unit) > 0;
  double peak = layer.matrix ? rate(*unit) : half ? std::max(single, rate(Peak::fp16)) : single;
  if (layer.precision == DType::fp64) peak = rate(Peak::fp64);
  constexpr double kUnpack = 0.5;  // BF16 takes an instruction to convert for one to multiply
  layer.single_lanes = layer.precision == DType::fp64 ? 1 : single / peak;
  layer.lanes = layer.single_lanes * (brain ? kUnpack : 1);
  layer.packed_lanes = half ? std::max(rate(Peak::fp16), 2 * single) / peak : layer.single_lanes;
  layer.dot_lanes =
      half && generation::has_dot_products(gpu.compute_capability) ? layer.packed_lanes : layer.single_lanes;
  // NCHW kernels multiply BF16 by the instructions of CDNA 1, at half the rate of CDNA 2's.
  constexpr double kOldBrain = 0.5;
  layer.planar_share = brain && layer.second_cdna ? kOldBrain : 1;
}

// CalculateGemmSize() of ConvHipImplicitGemmBwdDataV4R1Xdlops, along one axis.
double slice_of(const Im2col& gemm, std::size_t i) {
  const double stride = gemm.stride[i], pad = gemm.pad[i], reach = gemm.dilation[i] * (gemm.filter[i] - 1);
  const double first = std::floor(std::max(0.0, pad - gemm.dilation[i] * (stride - 1)) / stride);
  const double last = std::min(gemm.out[i] + std::ceil(reach / stride), std::ceil((pad + gemm.in[i] - 1) / stride) + 1);
  return last - first;
}

// Inputs of a strided gradient by the taps that meet them.
void add_classes(MiopenLayer& layer, const Im2col& gemm) {
  layer.class_in = layer.class_taps = 1;
  double rows = 1;  // share of the rows that a tap meets; along the width a line is touched as a whole
  for (std::size_t i = 0; i < 3; ++i) {
    const double stride = gemm.stride[i], filter = gemm.filter[i], met = std::min(stride, filter);
    layer.classes *= met;
    layer.class_in *= std::ceil(gemm.in[i] / stride);
    layer.class_taps *= std::ceil(filter / stride);
    layer.slice_in *= slice_of(gemm, i);
    if (stride > filter) layer.misses_inputs = true;
    if (i < 2) rows *= met / stride;
  }
  layer.line_writes = std::min(gemm.stride[2], gemm.filter[2]);
  layer.line_loads = gemm.stride[2] / layer.line_writes;
  layer.partial_lines = gemm.stride[2] > 1;
  layer.x_read = layer.x * rows;
  layer.x_met = layer.x_read / layer.line_loads;
}

}  // namespace

bool MiopenLayer::has_planar_matrix() const {
  if (precision != DType::bf16) return true;
  if (weights()) return first_cdna || groups > 1;
  if (pass == Pass::fwd) return true;
  // BF16's data gradient only exists on CDNA 1, in tiles that come out even (PerformanceImplicitGemmBwdDataV4R1Xdlops).
  if (!first_cdna) return false;
  const double columns = in_channels, rows = batch * slice_in;
  const auto evenly = [&](double m, double n) { return is_multiple(rows, m) && is_multiple(columns, n); };
  return (evenly(16, 64) || evenly(64, 16) || evenly(32, 32)) && is_multiple(out_channels, 8);
}

double MiopenLayer::row_vector() const {
  const double least = generated_vector();
  if (!has_composed()) return least;
  if (pointwise && !padded && (unit_stride || pass == Pass::bwd_data)) return std::max(least, vector_of(out));
  const Im2col& gemm = op.gemm;
  return pass == Pass::fwd && gemm.stride[2] == 1 && gemm.pad[2] == 0 ? vector_of(gemm.out[2]) : least;
}

double MiopenLayer::column_vector() const {
  const double least = generated_vector();
  if (!has_composed()) return least;
  switch (pass) {
    case Pass::fwd:
      return vector_of(in_channels * taps);
    case Pass::bwd_data:
      return pointwise ? std::max(least, vector_of(in_channels)) : least;
    case Pass::bwd_weight:
      return std::max(least, vector_of(out));
  }
  return least;
}

// The data gradient in FP32 is off by default (WORKAROUND_ISSUE_1206); denormal numbers keep FP16's gradients of CDNA 2
// from these kernels.
bool MiopenLayer::has_composed() const {
  if (pass == Pass::bwd_data && precision == DType::fp32) return false;
  return pass == Pass::fwd || precision != DType::fp16 || !second_cdna;
}

// Gradients by generated kernels, which BF16 lacks, take as long on maps of odd sizes as on others: as if they loaded
// pairs.
double MiopenLayer::generated_vector() const { return pass != Pass::fwd && precision != DType::bf16 ? 2 : 1; }

// Of so many that lie side by side, whole loads of 16 bytes or less.
double MiopenLayer::vector_of(double elements) const {
  double vector = 16 / element.value();
  while (std::fmod(elements, vector) != 0) vector /= 2;
  return vector;
}

bool MiopenLayer::has_channels_last() const {
  return planes && groups == 1 && !(precision == DType::bf16 && first_cdna);
}

bool MiopenLayer::has_winograd() const {
  const Im2col& gemm = op.gemm;
  if (!planes || taps == 1 || precision == DType::bf16) return false;
  if (gemm.dilation[1] > 1 || gemm.dilation[2] > 1 || gemm.stride[1] > 2 || gemm.stride[2] > 2) return false;
  // Denormal numbers keep FP16's gradients of CDNA 2 from these kernels.
  if (precision == DType::fp16 && second_cdna && pass != Pass::fwd) return false;
  return !weights() || unit_stride;
}

bool MiopenLayer::has_transformed_weights() const {
  const Im2col& gemm = op.gemm;
  if (!weights() || !planes || groups > 1 || !unit_stride || gemm.filter[1] != 3 || gemm.filter[2] != 3) return false;
  return precision == DType::fp32 || !matrix || (precision == DType::bf16 && first_cdna);
}

// BwdDataV1R1 takes BF16 too, by sums in FP32 that a kernel converts: no row of the find database ran it.
bool MiopenLayer::has_lane_product() const { return precision != DType::bf16 || pass != Pass::bwd_data; }

// ConvAsmBwdWrW1x1.
bool MiopenLayer::has_pointwise_weights() const {
  constexpr double kMostStride = 2;
  const std::array<double, 3>& stride = op.gemm.stride;
  return assembled && weights() && planes && pointwise && !padded && groups == 1 && stride[1] == stride[2] &&
         stride[2] <= kMostStride;
}

// On matrix cores direct kernels only remain for what a product has no room for: few output channels, groups, BF16's
// gradients.
bool MiopenLayer::has_direct() const {
  constexpr double kFewColumns = 16;
  const double columns = pass == Pass::bwd_data ? in_channels : out_channels;
  return weights() || !matrix || columns <= kFewColumns || groups > 1 ||
         (precision == DType::bf16 && pass == Pass::bwd_data);
}

std::vector<WinogradTile> MiopenLayer::winograd_tiles() const {
  struct Form {
    double outputs, taps;
  };
  constexpr std::array kForms = {Form{2, 3}, Form{3, 2}};
  const Im2col& gemm = op.gemm;
  std::vector<WinogradTile> all;
  for (const Form& form : kForms) {
    WinogradTile result;
    double positions = 1, pieces = 1, filter_taps = 1;  // of all pieces
    for (std::size_t i = 1; i < 3; ++i) {
      const double stride = gemm.stride[i], filter = gemm.filter[i];
      switch (pass) {
        case Pass::fwd:
          filter_taps *= filter;
          pieces *= stride == 1 ? winograd_pieces(filter, form.taps, i == 2)
                                : std::ceil(filter / (form.taps * stride)) * stride;
          positions *= std::ceil(gemm.out[i] / form.outputs);
          break;
        case Pass::bwd_data:
          filter_taps *= std::ceil(filter / stride);
          pieces *= winograd_pieces(std::ceil(filter / stride), form.taps, i == 2 && stride == 1);
          positions *= std::ceil(gemm.in[i] / (form.outputs * stride)) * stride;
          break;
        case Pass::bwd_weight:  // the outputs are the filter, the filter is dY
          filter_taps *= gemm.out[i];
          pieces *= winograd_pieces(gemm.out[i], form.taps, i == 2);
          positions *= std::ceil(filter / form.outputs);
          break;
      }
    }
    const double images = weights() ? in_channels : batch;
    const double depth = weights() ? batch : pass == Pass::fwd ? in_channels : out_channels;
    result.tiles = positions * images;
    result.filters = pass == Pass::bwd_data ? in_channels : out_channels;
    result.depth = depth * pieces;
    result.inputs = form.outputs * form.outputs;
    result.taps = filter_taps / pieces;
    all.push_back(result);
    if (weights()) break;
  }
  return all;
}

double MiopenLayer::winograd_outputs(double side) const {
  return batch * std::ceil(op.gemm.out[1] / side) * std::ceil(op.gemm.out[2] / side);
}

MiopenLayer miopen_layer(const OpShape& op, const Gpu& gpu) {
  const Im2col& gemm = op.gemm;
  MiopenLayer layer{.op = op};
  layer.pass = op.pass;
  layer.element = op.element;
  layer.precision = op.precision;
  layer.cus = gpu.sm_count;
  layer.cu = gpu.sm;
  layer.first_cdna = gpu.compute_capability == generation::kCdna1;
  layer.second_cdna = gpu.compute_capability == generation::kCdna2;
  layer.assembled = generation::is_gfx90(gpu.compute_capability);
  layer.batch = gemm.batch;
  layer.in_channels = gemm.in_channels;
  layer.out_channels = gemm.out_channels;
  layer.groups = gemm.groups;
  layer.taps = gemm.filter_volume;
  layer.in = volume_of(gemm.in);
  layer.out = volume_of(gemm.out);
  layer.x = op.element * (layer.batch * layer.in_channels * layer.groups * layer.in);
  layer.y = op.element * (layer.batch * layer.out_channels * layer.groups * layer.out);
  layer.w = op.element * (layer.in_channels * layer.out_channels * layer.groups * layer.taps);
  layer.pointwise = layer.taps == 1;
  layer.unit_stride = volume_of(gemm.stride) == 1;
  layer.padded = gemm.pad[0] != 0 || gemm.pad[1] != 0 || gemm.pad[2] != 0;
  layer.planes = gemm.in[0] == 1 && gemm.filter[0] == 1;
  add_classes(layer, gemm);
  add_rates(layer, gpu);
  return layer;
}

}  // namespace rooftile
