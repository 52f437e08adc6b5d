// Predictions by fitted models: predict MODEL --fitted and predict --layers TABLE --fitted.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "rooftile/cli/commands.hpp"

namespace rooftile::cli {

struct PredictFittedArguments {
  std::string model, fitted;                   // the network; the name or file of the fitted model
  std::string db;                              // the store whose models have names, too; empty: the user's own
  PredictionArguments prediction;              // what is run; GPU and precision may be left to the fitted model
  int gpus = 1;                                // that share the batch
  std::optional<std::int64_t> iterations;      // of the whole run
  std::map<std::string, std::string> columns;  // what the fit's tables say besides
  Format format = Format::table;
  bool all_layers = false;
  std::string output;  // empty or "-": standard output
};
Result<void> predict_fitted(const PredictFittedArguments& arguments);

struct LayersFittedArguments {
  std::string table, fitted;   // the rows; the name or file of a grey-box model
  std::string db;              // as above
  std::string gpu, precision;  // of rows that name none
  bool skip_bad_rows = false;
  std::string output;  // empty or "-": standard output
};
// Rows that the model has no time of are listed on standard error and left out. Error: no row is left.
Result<void> predict_layers_fitted(const LayersFittedArguments& arguments);

}  // namespace rooftile::cli
