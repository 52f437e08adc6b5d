// What `rooftile fit --model` fits beside the constants of method rooftile: one function a model.
#pragma once

#include <string>

#include "rooftile/cli/commands.hpp"

namespace rooftile::cli {

// As the user typed them; empty: the default.
struct FitModelArguments : FitArguments {
  std::string model;  // "constants", which is the default, "calibration", "layers" or "grey-box"
  std::string gpu;    // of calibration: the GPU that was measured
  bool unknown_harness = false;
  std::string points, draws, tier;  // of calibration: a trial by rows held out
  // Of layers: a column whose values each get a model, rows to hold out, a model to judge instead of one that is
  // fitted, and an SVG to draw.
  std::string by, test, fitted, plot;
  // Of grey-box: its comparison with other models instead, and rows to hold out there beside folds and GPUs.
  bool compare = false;
  std::string extrapolate;
};

// Factors of one GPU from a few measured rows, or with `points` a trial of such calibrations.
Result<void> fit_calibration(const FitModelArguments& arguments);

// A line of time over operations for each category of layers, judged on what was held out or on each other's rows.
Result<void> fit_layers(const FitModelArguments& arguments);

// The analytic prediction times a learned correction, or which model predicts the rows best.
Result<void> fit_grey_box(const FitModelArguments& arguments);

}  // namespace rooftile::cli
