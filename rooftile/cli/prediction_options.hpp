// The options that decide a prediction, shared by the commands that make one.
#pragma once

#include <string>

#include <CLI/App.hpp>

#include "rooftile/cli/commands.hpp"

namespace rooftile::cli {

// Each as the user typed it, before it means anything; empty: not given.
struct TypedPrediction {
  std::string gpu, batch_size, seq_len, precision, pass = "inference", method = "rooftile", miss_rate, tile,
                                                   active_ctas, algorithm, framework, calibration;
  bool skip_unsupported = false;
};

// All but --pass, whose help differs from command to command. `typed` must live as long as the app parses.
void add_prediction_options(CLI::App* command, TypedPrediction& typed, const std::string& gpu_help);

// Checks and converts them. Errors: wrong usage, an unknown framework, what is wrong with the calibration file; each
// names the option.
Result<PredictionArguments> prediction_arguments(const TypedPrediction& typed);

}  // namespace rooftile::cli
