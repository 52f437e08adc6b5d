// A GPU as the refined time model sees it: sizes, rates, and the constants of a kernel family.
#pragma once

#include "rooftile/base/units.hpp"
#include "rooftile/calibration/calibration.hpp"
#include "rooftile/gpu/gpu.hpp"
#include "rooftile/traffic/gpu_sizes.hpp"

namespace rooftile {

// Lanes that an SM issues an instruction for in a clock: four warps. Kernels that move and convert compute addresses as
// much as they multiply, so the FP32 lanes, fewer on some architectures, are not what limits them.
inline constexpr double kIssueLanes = 4 * 32;

struct GpuRates : GpuSizes {
  FlopsPerSecond sm_peak{2};      // of one SM, at `clock`
  FlopsPerSecond sm_lanes{2};     // the same of its FP32 lanes
  Hertz clock{1};                 // of the unit that multiplies
  Hertz base_clock{1};            // `clock` where the GPU's file names none
  BytesPerSecond l2{1}, dram{1};  // of the chip
  Cycles l2_latency{1}, dram_latency{1};
  double energy_scale = 1;   // of the chip's process, relative to 16 nm
  Watts power{0};            // of the board; 0: not known, so nothing is limited by it
  Seconds launch{0};         // overhead of a kernel launch
  double step_launches = 0;  // Harness::step_launches

  // Multiply-accumulates of one SM; each is two FLOPs.
  double macs_per_second() const { return sm_peak.value() / 2; }
};

// Made once per GPU, family and precision. `peak` is the dense rate of the unit that multiplies.
GpuRates gpu_rates(const Gpu& gpu, KernelFamily family, FlopsPerSecond peak, const Constants& constants);

}  // namespace rooftile
