// What `rooftile fit --model` fits beside the constants of method rooftile: one function a model.
#pragma once

#include <string>

#include "rooftile/cli/commands.hpp"

namespace rooftile::cli {

// As the user typed them; empty: the default.
struct FitModelArguments : FitArguments {
  std::string model;  // "constants", which is the default, or "calibration"
  std::string gpu;    // of calibration: the GPU that was measured
  bool unknown_harness = false;
  std::string points, draws, tier;  // of calibration: a trial by rows held out
};

// Factors of one GPU from a few measured rows, or with `points` a trial of such calibrations.
Result<void> fit_calibration(const FitModelArguments& arguments);

}  // namespace rooftile::cli
