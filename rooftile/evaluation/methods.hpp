// The methods as the evaluation asks them: all of one implicit GEMM, so that they are about the same kernel.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/evaluation/layers.hpp"
#include "rooftile/gpu/gpu.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/simulate/simulate.hpp"

namespace rooftile {

// DeLTA as published; the refined method with the implicit GEMM, which may choose its own tile.
PredictOptions evaluated(Method method);

// DeLTA with miss rates fixed.
PredictOptions prior_of(double miss_rate);

// Closed forms of traffic: DeLTA's, and the one that counts as the simulator does (traffic/refined.hpp).
enum class TrafficForm { delta, refined };
std::string_view name_of(TrafficForm form);
std::string_view title_of(TrafficForm form);

// The bytes of a direct convolution with DeLTA's tile and fp32: the kernel that is simulated.
Traffic traffic_by(TrafficForm form, const Conv& conv, const Gpu& gpu);

// A level of the hierarchy as a figure compares it. The L1 stands there twice, as the simulator can count what warps
// ask of it: in sectors that hold something wanted, and in whole requests of Gpu::l1_request, what DeLTA's Eq 3 counts.
struct ComparedLevel {
  std::string_view name;   // in tables and file names
  std::string_view title;  // in figures
  Bytes Traffic::*closed;
  double LevelBytes::*simulated;
};
constexpr std::array<ComparedLevel, 4> kComparedLevels = {
    ComparedLevel{"l1", "L1", &Traffic::l1, &LevelBytes::l1},
    ComparedLevel{"l1_requests", "L1 in whole requests", &Traffic::l1, &LevelBytes::l1_lines},
    ComparedLevel{"l2", "L2", &Traffic::l2, &LevelBytes::l2},
    ComparedLevel{"dram", "DRAM", &Traffic::dram, &LevelBytes::dram}};

}  // namespace rooftile
