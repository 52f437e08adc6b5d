// What `rooftile fit --model` fits beside the constants of method rooftile: one function a model.
#pragma once

#include <string>

#include "rooftile/cli/commands.hpp"

namespace rooftile::cli {

// As the user typed them; empty: the default.
struct FitModelArguments : FitArguments {
  std::string model;  // "constants", which is the default, "calibration", "layers", "network" or "grey-box"
  std::string gpu;    // of calibration: the GPU that was measured
  bool unknown_harness = false;
  bool chosen = false;              // of a trial: points that tell most, not any
  std::string suggest;              // how many rows to name for measuring, instead of a fit
  std::string points, draws, tier;  // of calibration: a trial by rows held out
  // Of layers: a column whose values each get a model (of network: columns), and rows to hold out.
  std::string by, test;
  // Of layers, network and grey-box: SVGs of fitted over measured times and of residuals. Of network and --compare: how
  // the report is written.
  std::string plot, residuals, format;
  // Of grey-box: its comparison with other models instead, and rows to hold out there beside folds and GPUs. Of network
  // the only rows that are held out.
  bool compare = false;
  std::string extrapolate;
  // Of network: which ways, how rows are held out, the size of the alphabet, an equation of the user's own.
  std::string ways, split, degree, terms, features, technique;
  bool details = false;  // coefficients of every fit
  bool flagged = false;  // flagged rows too
};

// Factors of one GPU from a few measured rows, or with `points` a trial of such calibrations.
Result<void> fit_calibration(const FitModelArguments& arguments);

// A line of time over operations for each category of layers, judged on what was held out or on each other's rows.
Result<void> fit_layers(const FitModelArguments& arguments);

// The analytic prediction times a learned correction, or which model predicts the rows best.
Result<void> fit_grey_box(const FitModelArguments& arguments);

// Times of whole runs from what is known of them, each way of it judged on rows beyond those of the fit.
Result<void> fit_network(const FitModelArguments& arguments);

}  // namespace rooftile::cli
