// Fitted models of every kind against measured rows, in the figures of `validate`.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/regression/fitted_model.hpp"
#include "rooftile/validate/filter.hpp"
#include "rooftile/validate/measured_tables.hpp"
#include "rooftile/validate/validate.hpp"

namespace rooftile {

struct FittedValidationOptions {
  std::vector<std::string> by = {};  // columns whose cells make the groups; none: one group
  std::optional<Filter> where = {};  // rows that are meant
  bool flagged = false;              // flagged rows too; of models of whole runs alone
  std::string gpu = {};              // of rows that name none
};

// One row with what the model says of it, in seconds.
struct FittedComparison {
  std::string place;  // "table.csv:12"
  KeyedComparison row;
  bool beyond = false;  // outside of what the model was fitted to
};

// Rows that are judged though the fit had none of their GPU, or of their precision.
struct UnseenRows {
  std::size_t rows = 0;
  std::set<std::string> names = {};  // of the GPUs or precisions
};

struct FittedValidation {
  Validation validation;  // of one method, the model; `rows` is empty
  std::vector<FittedComparison> rows;
  UnseenRows other_gpus = {}, other_precisions = {};  // they are `beyond`, too
};

// A model of layers judges convolutions, products and layers of networks, forward or backward; a grey box convolutions
// and products; an end-to-end model whatever rows the groups of its fit have; each of the passes of its fit alone.
// Other rows are counted as left out. Errors: a kind that judges no rows, a column that no table has, no row to
// compare.
Result<FittedValidation> validate_fitted(const regression::FittedModel& model, const std::vector<MeasuredTable>& tables,
                                         const FittedValidationOptions& options);

}  // namespace rooftile
