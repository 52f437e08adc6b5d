// GPUs whose FP16 is slow, for tests.
#pragma once

#include "rooftile/gpu/gpu.hpp"

namespace rooftile {

// A GTX 16 has no tensor cores: the instructions for them take longer than its lanes would, and than moving the bytes.
inline bool has_slow_halves(const Gpu& gpu) {
  const FlopsPerSecond tensor = gpu.peak(Peak::tensor_fp16);
  return tensor > FlopsPerSecond(0) && tensor < gpu.peak(Peak::fp32);
}

}  // namespace rooftile
