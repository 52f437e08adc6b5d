// rooftile predict-table, by a method or by a fitted model.
#pragma once

#include <string>

#include "rooftile/base/error.hpp"
#include "rooftile/cli/output_options.hpp"
#include "rooftile/cli/prediction_options.hpp"
#include "rooftile/report/predicted_table.hpp"

namespace rooftile::cli {

struct PredictTableArguments {
  std::string table;
  PredictionArguments prediction;  // GPU, precision, framework and algorithm: of rows that name none
  bool override_cells = false;     // or of all rows
  bool skip_bad_rows = false;
  OutputArguments output;
};

// By the grey-box model of --method. Rows that it has no time of are listed on standard error and left out. Error: no
// row is left.
Result<void> predict_table_fitted(const PredictTableArguments& arguments);

// Writes it as the arguments say.
Result<void> write_predicted(const PredictedTable& table, const OutputArguments& output);

}  // namespace rooftile::cli
