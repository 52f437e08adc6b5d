// Convolution and GEMM as the implicit GEMM of im2col, and transposed convolution as direct parts.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "rooftile/base/units.hpp"
#include "rooftile/workload/conv_geometry.hpp"
#include "rooftile/workload/op.hpp"

namespace rooftile {

// What an im2col GEMM computes for one group of a direct convolution, or for a plain GEMM written as a 1x1 convolution
// (DeLTA, section II.C): m = batch x output positions, n = output channels, k = input channels x filter volume.
struct Im2col {
  double batch = 1;                       // samples
  double in_channels = 1;                 // of one group
  double out_channels = 1;                // of one group
  double groups = 1;                      // independent GEMMs of this shape
  std::array<double, 3> in{1, 1, 1};      // input positions: depth, height, width
  std::array<double, 3> padded{1, 1, 1};  // the same with padding
  std::array<double, 3> pad{0, 0, 0};     // padding before the first position; negative where a part crops
  std::array<double, 3> filter{1, 1, 1};  // taps
  std::array<double, 3> dilation{1, 1, 1};
  std::array<double, 3> extent{1, 1, 1};  // positions that the dilated filter spans
  std::array<double, 3> stride{1, 1, 1};
  std::array<double, 3> out{1, 1, 1};
  std::array<double, 3> touched{1, 1, 1};  // distinct input positions, unpadded, that any output needs
  double filter_volume = 1;                // taps
  double filter_width = 1;                 // taps along the width
  double m = 1, n = 1, k = 1;
  // Of a plain GEMM: how its operands are stored, and whether it adds a bias.
  bool trans_a = false, trans_b = false, bias = false;

  bool operator==(const Im2col&) const = default;
};

// `conv` must be direct (not transposed) and pass check(); parts of a transposed one may have negative padding.
Im2col im2col(const Conv& conv);
Im2col im2col(const Gemm& gemm);

// Elements that have to be loaded whatever the algorithm: the input positions that any output needs, and the filters.
double compulsory_elements(const Im2col& gemm);

// A transposed convolution is the data gradient of the mirrored direct one. Its outputs split by their residue modulo
// the stride into stride-1 convolutions with every stride-th tap of the filter. Outputs that no tap reaches are in no
// part. A direct convolution has one part: itself.
struct ConvPart {
  Conv conv;
  double count = 1;  // equal parts
};
std::vector<ConvPart> direct_parts(const Conv& conv);

}  // namespace rooftile
