// rooftile predict, by a method or by a fitted model.
#pragma once

#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/cli/output_options.hpp"
#include "rooftile/cli/prediction_options.hpp"

namespace rooftile::cli {

struct PredictArguments {
  std::vector<std::string> models;
  PredictionArguments prediction;
  bool all_layers = false;
  bool require_fit = false;
  double headroom = 0;  // share of a GPU's memory that stays free, of --batch-size max
  std::string save;     // the store's file; "own": the user's; empty: nowhere
  OutputArguments output;
};

// The fitted model is that of --method.
Result<void> predict_fitted(const PredictArguments& arguments);

}  // namespace rooftile::cli
