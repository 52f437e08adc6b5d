// The time of a run by an end-to-end model that `fit network` made.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/learn/asked_run.hpp"
#include "rooftile/learn/fitted_run.hpp"
#include "rooftile/learn/networks/network_rows.hpp"
#include "rooftile/predict/prediction.hpp"
#include "rooftile/regression/fitted_model.hpp"

namespace rooftile {

// A number that the equation takes, or that says which runs it was fitted to.
struct RunNumber {
  std::string column;
  double value = 0;
  bool in_equation = false;
  std::optional<regression::ColumnRange> fit = {};  // where the fit kept it
};

struct NetworkPrediction : FittedRun {
  std::string group;              // whose equation it is; empty: the only one
  std::optional<Interval> range;  // conformal, of `level`
  double level = 0.9;
  std::vector<RunNumber> numbers;
  std::vector<std::string> warnings;
};

// Whether a prediction by the equation needs the column.
bool takes(const regression::FittedEquation& equation, std::string_view column);

// The numbers of the run are worked out as those of the fit were; the equation is that of the group whose cells are the
// run's. Warns of columns outside of the fit and of a GPU, a precision or a network that it had not. Errors: a model of
// another kind; a group that it has not or that is not decided, with those that there are; a pass that it was not
// fitted to; a column that does not follow from the run; a time that is not positive.
Result<NetworkPrediction> predict_network(const regression::FittedModel& model, const AskedRun& run);

// The same for a row of a table, in seconds of one row; `run` must come from run_row() with analytic numbers.
Result<regression::Predicted> predict_row(const regression::FittedModel& model, const RunRow& run);

}  // namespace rooftile
