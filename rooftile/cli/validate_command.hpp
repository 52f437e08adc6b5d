// rooftile validate, of methods or of a fitted model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/cli/output_options.hpp"
#include "rooftile/cli/prediction_options.hpp"
#include "rooftile/ingest/layer_table.hpp"
#include "rooftile/learn/constants/held_out.hpp"
#include "rooftile/validate/filter.hpp"
#include "rooftile/validate/quantity.hpp"

namespace rooftile::cli {

struct ValidateArguments {
  std::vector<std::string> tables;
  std::vector<MethodArgument> methods = {{}};  // side by side
  std::vector<std::string> by, ignore;         // columns
  std::optional<Filter> where;
  ComparedQuantity quantity = ComparedQuantity::time;
  bool quantity_named = false, bias_kernel = false;
  bool pairs = false;              // of GPUs, ordered as measured
  bool choice = false;             // how methods choose algorithm and tile, in place of a quantity
  std::optional<Tier> tier;        // constants of method rooftile fitted without the row
  std::vector<std::string> gpu;    // of rows that name none
  std::optional<DType> precision;  // the same
  bool override_cells = false;     // or of all rows
  bool flagged = false, skip_bad_rows = false;
  OutputArguments output;
};

// How the tables are to be read.
LayerTableOptions reading_options(const ValidateArguments& arguments);

// The only method is a fitted model.
Result<void> validate_fitted_model(const ValidateArguments& arguments);
void list_bad_rows(const std::vector<Error>& bad_rows);  // on standard error, where there are any

}  // namespace rooftile::cli
