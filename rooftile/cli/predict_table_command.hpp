// rooftile predict-table, by a method or by a fitted model.
#pragma once

#include <string>

#include "rooftile/base/error.hpp"
#include "rooftile/cli/prediction_options.hpp"

namespace rooftile::cli {

struct PredictTableArguments {
  std::string table;
  PredictionArguments prediction;  // GPU, precision, framework and algorithm: of rows that name none
  bool override_cells = false;     // or of all rows
  bool skip_bad_rows = false;
  std::string output;
};

// By the grey-box model of --method. Rows that it has no time of are listed on standard error and left out. Error: no
// row is left.
Result<void> predict_table_fitted(const PredictTableArguments& arguments);

}  // namespace rooftile::cli
