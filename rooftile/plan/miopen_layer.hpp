// A convolution and a GPU as MIOpen's solvers look at them: which of its kinds of kernels apply (IsApplicable() in
// ROCm/MIOpen, src/solver/conv), and the sizes of what they compute.
#pragma once

#include <vector>

#include "rooftile/plan/candidates.hpp"

namespace rooftile {

// What the fused Winograd kernel computes: tiles of outputs, filters and depth of a group, 16 products each. It
// transforms both operands on the way, so that it loads them as they are.
struct WinogradTile {
  double tiles = 1, filters = 1, depth = 1;
  double inputs = 4, taps = 9;  // elements of a tile and of a filter that a step of the depth adds
};

struct MiopenLayer {
  OpShape op;
  Pass pass = Pass::fwd;
  Bytes element{4};
  double cus = 1;
  SmLimits cu = {};  // of each

  double batch = 1, in_channels = 1, out_channels = 1, groups = 1;  // channels of one group
  double taps = 1, in = 1, out = 1;                                 // positions of a map
  Bytes x = {}, y = {}, w = {};                                     // of all groups
  Bytes x_met = {};                                                 // without positions that no tap meets
  Bytes x_read = {};                                                // without rows of which no tap meets any
  bool pointwise = false, unit_stride = true, padded = false, planes = true;

  // The inputs of a strided gradient fall into classes, each met by taps of its own: a kernel for each.
  double classes = 1;
  double line_writes = 1;               // how often each line of the inputs is written, every other input only where
  double line_loads = 1;                // elements that are loaded for one that a tap meets
  bool partial_lines = false;           // a stride runs along it
  double class_in = 1, class_taps = 1;  // positions of a map, taps
  double slice_in = 1;                  // positions of a class that BwdDataV4R1 computes, of the padded map
  bool misses_inputs = false;           // some are met by none

  // Rates of units, relative to the peak at the precision.
  bool matrix = false;      // the peak is that of matrix cores
  double planar_share = 1;  // of matrix cores, in NCHW kernels
  double lanes = 1;         // that multiply in FP32
  double single_lanes = 1;  // the same where a conversion costs nothing
  double packed_lanes = 1;  // two FP16 at once
  double dot_lanes = 1;     // two products of FP16 added up in FP32

  DType precision = DType::fp32;
  bool first_cdna = false, second_cdna = false;
  bool assembled = false;  // kernels in the assembler of GCN 5, CDNA 1 and 2 run

  bool weights() const { return pass == Pass::bwd_weight; }
  bool has_planar_matrix() const;  // implicit GEMM in NCHW on matrix cores
  // Elements that these load at once, of a row and of a column of the product.
  double row_vector() const;
  double column_vector() const;
  bool has_channels_last() const;  // implicit GEMM in NHWC on matrix cores, between transposes
  bool has_winograd() const;
  bool has_transformed_weights() const;
  bool has_lane_product() const;       // implicit GEMM on the lanes
  bool has_pointwise_weights() const;  // a kernel of its own for the gradients of filters of one tap
  bool has_direct() const;
  std::vector<WinogradTile> winograd_tiles() const;
  double winograd_outputs(double side) const;  // tiles of `side` x `side` outputs

 private:
  bool has_composed() const;  // Hip* kernels, made of Composable Kernel's parts
  double generated_vector() const;
  double vector_of(double elements) const;
};

MiopenLayer miopen_layer(const OpShape& op, const Gpu& gpu);

}  // namespace rooftile
