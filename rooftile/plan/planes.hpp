// A convolution over maps as the algorithms that transform them see it.
#pragma once

#include "rooftile/base/units.hpp"
#include "rooftile/plan/candidates.hpp"

namespace rooftile {

// The convolution that the pass computes, whichever tensor plays the input: a data gradient swaps the roles.
struct Planes {
  double batch = 1, in_channels = 1, out_channels = 1;
  double in = 1, out = 1;        // positions of a map
  double height = 1, width = 1;  // of the output map
  double filter_height = 1, filter_width = 1;
  Bytes element;
};
Planes planes_of(const OpShape& op);

Bytes input_bytes(const Planes& planes);
Bytes output_bytes(const Planes& planes);

// Two spatial axes, stride 1, no dilation, no groups: what a transform of maps takes.
bool has_unit_planes(const Im2col& gemm);

}  // namespace rooftile
