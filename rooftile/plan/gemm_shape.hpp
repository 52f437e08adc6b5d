// A pass of a convolution or GEMM as the product it computes, with what its operands cost in memory.
#pragma once

#include <array>

#include "rooftile/plan/candidates.hpp"

namespace rooftile {

// C[m, n] = A[m, k] B[k, n], `count` times with operands of their own. A is gathered from the activations.
struct GemmShape {
  double m = 1, n = 1, k = 1;
  double count = 1;
  // How often A repeats elements along one axis, width first: positions, taps and stride of the windows.
  struct Axis {
    double positions = 1, taps = 1, stride = 1, dilation = 1;
  };
  std::array<Axis, 3> axes{};
  Bytes load, store;   // of all operands, each element once
  double classes = 1;  // of rows, each with a share of the taps, and so of B, to itself
  bool aligned_store = true;
};

// The product of op.pass. bwd_data gathers: every input position is computed, and of a strided window the taps that
// meet no output are skipped along one axis only, that of the largest stride, which is what measured times show.
GemmShape gemm_shape(const OpShape& op);

// The data gradient the other way: every output position scatters its window into the inputs by atomic additions.
GemmShape scatter_shape(const OpShape& op);

// Whether rows of `elements` each start on 32-byte sectors.
bool fills_sectors(double elements, Bytes element);

// Distinct coordinates that `positions` windows of `taps` touch on one axis.
double touched_coordinates(double positions, const GemmShape::Axis& axis);

// Distinct elements per element of a tile of A that is `rows` high: 1 where windows do not overlap.
double unique_share(const GemmShape& shape, double rows);

}  // namespace rooftile
