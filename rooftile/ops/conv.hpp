// Geometry of convolution: output positions, the implicit GEMM of im2col, and transposed convolution as direct parts.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "rooftile/error/error.hpp"
#include "rooftile/units/units.hpp"
#include "rooftile/workload/op.hpp"

namespace rooftile {

// Output positions along one axis: floor((in + pads - extent) / stride) + 1, where extent = dilation (filter - 1) + 1;
// transposed: (in - 1) stride - pads + extent + output_padding. May be < 1 for impossible geometry.
std::int64_t out_positions(const ConvAxis& axis, bool transposed);

// Input positions including padding.
std::int64_t padded(const ConvAxis& axis);

// Positions from the first to the last tap of the filter, inclusive.
std::int64_t filter_extent(const ConvAxis& axis);

// Positive dimensions, divisible channels, at least one output position on each axis; the error says which is off.
Result<void> check(const Conv& conv);

// One group per input channel and as many, or a multiple, of output channels: no reduction over channels.
bool is_depthwise(const Conv& conv);

// What an im2col GEMM computes for one group of a direct convolution, or for a plain GEMM written as a 1x1 convolution
// (DeLTA, papers.md 1.2): m = batch x output positions, n = output channels, k = input channels x filter volume.
struct Im2col {
  double batch = 1;         // samples
  double in_channels = 1;   // of one group
  double out_channels = 1;  // of one group
  double groups = 1;        // independent GEMMs of this shape
  std::array<ConvAxis, 3> axes{};
  std::array<double, 3> out{1, 1, 1};  // output positions: depth, height, width
  double filter_volume = 1;
  double m = 1, n = 1, k = 1;
};

// `conv` must be direct (not transposed) and pass check().
Im2col im2col(const Conv& conv);
Im2col im2col(const Gemm& gemm);

// The direct convolutions that together compute `conv`: itself, or for a transposed convolution the stride-1 parts
// into which its outputs split by their residue modulo the stride (the data gradient of the mirrored convolution).
// Outputs that no tap reaches belong to no part. `count`: how many equal parts.
struct ConvPart {
  Conv conv;
  double count = 1;
};
std::vector<ConvPart> direct_parts(const Conv& conv);

}  // namespace rooftile
