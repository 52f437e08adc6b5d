// Fitting an equation to rows: terms, technique, hyper-parameters by cross-validation, interval and warnings; and
// judging it on rows that it has not seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/regression/errors.hpp"
#include "rooftile/regression/fitted_model.hpp"
#include "rooftile/regression/linear_fit.hpp"
#include "rooftile/regression/split.hpp"
#include "rooftile/regression/term.hpp"

namespace rooftile::regression {

// Rows to fit to.
struct FitProblem {
  NumberTable table;                     // the columns that terms may use, and the multiplier
  std::vector<double> values;            // to be predicted; positive
  std::vector<std::string> groups = {};  // a name a row: rows of a group stay together in cross-validation; or empty
};
FitProblem rows_of(const FitProblem& problem, std::span<const std::size_t> rows);

struct EquationOptions {
  std::string name = {};
  Target target = {};
  Technique technique = Technique::least_squares;
  // The terms, or empty: all of `alphabet` over `columns` (empty: all of the table but the multiplier) that are not
  // constant in the rows of the fit.
  std::vector<Term> terms = {};
  std::vector<std::string> columns = {};
  AlphabetOptions alphabet = {};
  // The squares are of relative errors; without effect on logarithms, whose squares are that already.
  bool relative = true;
  std::size_t most_terms = 0;  // forward selection keeps at most these besides the intercept; 0: no selection
  std::size_t folds = 5;       // of every cross-validation
  std::uint64_t seed = 1;
  // Hyper-parameters to choose among, by the cross-validated squared error.
  std::vector<double> penalties = {1e-6, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100};
  std::vector<TreeOptions> trees = {{.rounds = 100, .depth = 3}, {.rounds = 300, .depth = 4}};
  double level = 0.9;  // of the interval; 0: none, and no cross-validation for one
};

struct EquationFit {
  FittedEquation equation;
  std::optional<LinearFit> details =
      {};  // of least squares, in the order of the equation's terms and the problem's rows
  std::vector<FitWarning> warnings = {};
  // For each row what was predicted by a fit to the other folds (the whole procedure, choices included); empty without
  // an interval.
  std::vector<double> held_out = {};
};

// Everything is chosen from these rows alone, so that a caller who holds rows back has them unseen.
// Errors: values that are not positive, no rows, an unknown column, a term that is no number, no XGBoost for trees.
Result<EquationFit> fit_equation(const FitProblem& problem, const EquationOptions& options);

// A split's verdict.
struct SplitResult {
  Split split;
  EquationFit fit;                   // to the rows of training
  std::vector<Predicted> predicted;  // of the rows of validation
  Errors training, validation;       // `inside` is set where there is an interval
};
Result<SplitResult> judge(const FitProblem& problem, const Split& split, const EquationOptions& options);

// What a statistician would warn of; `names` are those of the columns of the fit.
std::vector<FitWarning> warnings_of(const LinearFit& fit, std::span<const std::string> names);

}  // namespace rooftile::regression
