// Predictions by fitted models: predict MODEL --fitted and predict --layers TABLE --fitted.
#pragma once

#include <string>

#include "rooftile/cli/commands.hpp"

namespace rooftile::cli {

struct PredictFittedArguments {
  std::string model, fitted;       // the network; the name or file of the fitted model
  std::string db;                  // the store whose models have names, too; empty: the user's own
  PredictionArguments prediction;  // batch size, pass and how the model is loaded; GPUs must be that of the fit
  Format format = Format::table;
  bool all_layers = false;
  std::string output;  // empty or "-": standard output
};
Result<void> predict_fitted(const PredictFittedArguments& arguments);

struct LayersFittedArguments {
  std::string table, fitted;  // the rows; the name or file of a grey-box model
  std::string db;             // as above
  std::string gpu;            // of rows that name none
  std::string output;         // empty or "-": standard output
};
Result<void> predict_layers_fitted(const LayersFittedArguments& arguments);

}  // namespace rooftile::cli
