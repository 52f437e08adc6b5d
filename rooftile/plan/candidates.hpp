// The ways a library could run a convolution or GEMM: algorithms, tiles, split-K.
#pragma once

#include "rooftile/calibration/calibration.hpp"
#include "rooftile/gpu/gpu.hpp"
#include "rooftile/ops/conv.hpp"
#include "rooftile/plan/launch.hpp"
#include "rooftile/plan/visit_plan.hpp"
#include "rooftile/workload/dtype.hpp"
#include "rooftile/workload/pass.hpp"

namespace rooftile {

// A pass of a direct convolution (or of a GEMM as a 1x1 convolution) with its operands in memory.
struct OpShape {
  Im2col gemm;  // of the forward pass
  Pass pass = Pass::fwd;
  Bytes element{4};           // of one element of every operand
  Bytes weight{};             // of one element of a GEMM's B, where it is narrower; 0: as of the operands
  double unpacking_rows = 0;  // that multiply in the time in which a tile unpacks B in registers first
  Bytes result{};             // of one element of the result; 0: as of the operands
  bool nhwc = false;          // channels are contiguous, as tensor cores take them
  bool engine = false;        // by an inference engine, which has kernels for first layers
  KernelFamily family = KernelFamily::conv_simt;
  TileChoice choice = TileChoice::least_time;
  DType precision = DType::fp32;        // stored as `element`
  bool early_library = false;           // of the years of Pascal and before, where the GPU is of them
  bool winograd_before_maxwell = true;  // the library has it for Kepler, too
};

// Bytes of one element of B, and of the result.
inline Bytes weight_of(const OpShape& op) { return op.weight > Bytes(0) ? op.weight : op.element; }
inline Bytes result_of(const OpShape& op) { return op.result > Bytes(0) ? op.result : op.element; }

// A convolution on the FP32 lanes whose grid keeps less than one SM in so many busy is split in any pass, and by the
// number of SMs. Else its plans depend on nothing of a GPU but what its SMs hold.
inline constexpr double kIdleShare = 32;

// Calls `visit` with every plan that `options` leave open, but for splits of k that it does not care for; at least one.
// An algorithm that does not support the shape (Winograd on a strided convolution, …) is never visited: if the options
// force one, the implicit GEMM stands in.
void each_plan(const OpShape& op, const Gpu& gpu, const PlanOptions& options, const VisitPlan& visit);

}  // namespace rooftile
