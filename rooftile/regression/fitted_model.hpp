// What was fitted, in a form that can be kept, read by people and applied to new rows: the equations of a model, what
// they were fitted on, and how far they can be trusted.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/regression/matrix.hpp"
#include "rooftile/regression/term.hpp"
#include "rooftile/regression/trees.hpp"

namespace rooftile::regression {

enum class Technique {
  least_squares,
  ridge,
  nnls,   // least squares without negative coefficients
  trees,  // gradient-boosted
};
std::string_view name_of(Technique technique);
Result<Technique> parse_technique(std::string_view text);

// What the terms stand for: value = [multiplier] x exp(sum) or [multiplier] x sum.
struct Target {
  std::string name = "time_s";  // of the value, with its unit
  bool log = false;             // the terms give the natural logarithm
  std::string multiplier = {};  // a column that the value is in proportion to, as an analytic prediction; empty: none
  bool operator==(const Target&) const = default;
};

struct FittedTerm {
  Term term;
  double coefficient = 0;  // of the term as it is, not as standardised
  std::optional<double> standard_error = {};
  std::optional<double> vif = {};
  // Over the rows of the fit, where columns were standardised.
  std::optional<double> mean = {}, deviation = {};
  bool operator==(const FittedTerm&) const = default;
};

// Values that a column had in the rows of the fit.
struct ColumnRange {
  std::string column;
  double low = 0, high = 0;
  bool operator==(const ColumnRange&) const = default;
};

// A new value lies between the prediction / factor and the prediction x factor at the rate `level`.
struct Interval {
  double level = 0.9;
  double factor = 1;
  std::string made_by = {};  // "split conformal", "5-fold cross-validation"
  std::size_t rows = 0;      // whose errors it is made of
  bool operator==(const Interval&) const = default;
};

// Figures of the fit; absent where they do not exist.
struct FitFigures {
  std::size_t rows = 0;
  std::optional<double> r2 = {}, adjusted_r2 = {}, residual_standard_error = {}, condition_number = {};
  std::optional<double> penalty = {};                            // of ridge
  std::optional<double> mape = {}, gmae = {};                    // on the rows of the fit
  std::optional<double> held_out_mape = {}, held_out_gmae = {};  // by cross-validation within them
  bool operator==(const FitFigures&) const = default;
};

// Why a fit or a prediction deserves care.
struct FitWarning {
  enum class Kind {
    extrapolation,    // column `subject` is `value`, outside of `low` to `high`
    left_out,         // term `subject` is a combination of the others
    collinear,        // term `subject` has a variance inflation of `value`, above `high`
    ill_conditioned,  // condition number `value`, above `high`
    few_rows,         // `value` rows a coefficient, below `low`
    odd_row,          // row `subject` (from 1): leverage `value` above `high` with a large residual
    not_positive,     // the prediction is `value`
  };
  Kind kind = Kind::extrapolation;
  std::string subject = {};
  double value = 0;
  double low = 0, high = 0;
  // One line: "batch is 512, beyond the 8 to 64 of the fit (8 times)".
  std::string text() const;
  bool operator==(const FitWarning&) const = default;
};

struct Predicted {
  double value = 0;
  std::optional<double> low = {}, high = {};  // the interval, where there is one
  std::vector<FitWarning> warnings = {};
};

// What the rows of a group have in common: one cell of a column.
struct GroupCell {
  std::string column, cell;
  bool operator==(const GroupCell&) const = default;
};

struct FittedEquation {
  std::string name = {};              // what it is for, where a model has several: "conv forward"
  std::vector<GroupCell> group = {};  // rows that it is for, where a model has an equation for each group of rows
  Technique technique = Technique::least_squares;
  Target target = {};
  std::vector<FittedTerm> terms = {};  // with trees, the columns of these, without coefficients
  std::optional<TreeEnsemble> trees = {};
  std::vector<ColumnRange> ranges = {};
  std::optional<Interval> interval = {};
  FitFigures figures = {};
  bool operator==(const FittedEquation&) const = default;

  // Columns that a prediction needs, each once.
  std::vector<std::string> columns() const;
};

struct FittedOn {
  std::size_t rows = 0;
  std::vector<std::string> gpus = {}, software = {}, precisions = {}, passes = {}, networks = {}, sources = {};
  std::string date = {};   // as ISO 8601 has it
  std::string split = {};  // what was held out, and how
  std::string note = {};
  bool operator==(const FittedOn&) const = default;
};

struct FittedModel {
  std::string name = {};
  std::string kind = {};  // "layers", "network", "grey-box", …
  FittedOn fitted_on = {};
  std::vector<FittedEquation> equations = {};
  bool operator==(const FittedModel&) const = default;

  // Null if there is none of that name.
  const FittedEquation* find(std::string_view equation) const;
};

// One value a row of the table, which may have further columns. Errors: a column is missing; a term that is no number.
Result<std::vector<Predicted>> predict(const FittedEquation& equation, const NumberTable& table);

}  // namespace rooftile::regression
