#include "rooftile/regression/fit_equation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "rooftile/base/nearest.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/regression/conformal.hpp"
#include "rooftile/regression/nnls.hpp"
#include "rooftile/regression/ridge.hpp"
#include "rooftile/regression/scaler.hpp"
#include "rooftile/regression/selection.hpp"

namespace rooftile::regression {
namespace {

// Some rows of a problem with what is fitted in them: values as the terms' sum is to give them, and weights.
struct Prepared {
  Matrix design;
  std::vector<double> sums;
  std::vector<double> weights;  // empty: all 1
  std::vector<std::string> groups;
};

Prepared part_of(const Prepared& all, std::span<const std::size_t> rows) {
  Prepared part;
  part.design = rows_of(all.design, rows);
  part.sums = rows_of(std::span<const double>(all.sums), rows);
  if (!all.weights.empty()) part.weights = rows_of(std::span<const double>(all.weights), rows);
  if (!all.groups.empty()) part.groups = rows_of(std::span<const std::string>(all.groups), rows);
  return part;
}

// What a technique made of some rows: which columns of the design, and how they give the sum.
struct Solution {
  std::vector<std::size_t> columns;
  std::vector<double> coefficients;
  std::optional<TreeEnsemble> trees = {};
  std::optional<LinearFit> details = {};
  std::optional<double> penalty = {};
};

std::vector<double> sums_of(const Solution& solution, const Matrix& design) {
  if (solution.trees) return predict(*solution.trees, columns_of(design, solution.columns));
  std::vector<double> sums(design.rows(), 0);
  for (std::size_t i = 0; i < solution.columns.size(); ++i) {
    const std::span<const double> values = design.column(solution.columns[i]);
    for (std::size_t row = 0; row < sums.size(); ++row) sums[row] += solution.coefficients[i] * values[row];
  }
  return sums;
}

double squares(const Prepared& rows, std::span<const double> sums) {
  double total = 0;
  for (std::size_t row = 0; row < sums.size(); ++row) {
    const double off = sums[row] - rows.sums[row];
    total += (rows.weights.empty() ? 1 : rows.weights[row]) * off * off;
  }
  return total;
}

// A fit with the choices that its technique asks for, all made within the rows it is given.
class Fitter {
 public:
  Fitter(const std::vector<Term>& terms, const EquationOptions& options) : terms_(terms), options_(options) {
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (terms[i].empty()) intercept_ = i;
    }
  }

  Result<Solution> fit(const Prepared& rows) const {
    auto columns = TRY(columns_for(rows));
    switch (options_.technique) {
      case Technique::least_squares:
        return least_squares(rows, std::move(columns));
      case Technique::nnls:
        return nnls(rows, std::move(columns));
      case Technique::ridge:
        return ridge(rows, std::move(columns));
      case Technique::trees:
        return trees(rows, std::move(columns));
    }
    return Solution();
  }

 private:
  Result<std::vector<Split>> folds_of(const Prepared& rows) const {
    return up_to_k_fold(rows.sums.size(), options_.folds, options_.seed, rows.groups);
  }

  // Those that forward selection chooses, the intercept first; without selection all.
  Result<std::vector<std::size_t>> columns_for(const Prepared& rows) const {
    std::vector<std::size_t> columns;
    if (options_.most_terms == 0) {
      for (std::size_t i = 0; i < terms_.size(); ++i) columns.push_back(i);
      return columns;
    }
    if (intercept_) columns.push_back(*intercept_);
    const auto folds = TRY(folds_of(rows));
    const auto selection =
        TRY(select_columns(rows.design, rows.sums, rows.weights, columns, options_.most_terms, folds));
    columns.insert(columns.end(), selection.columns.begin(), selection.columns.end());
    return columns;
  }

  static Result<Solution> least_squares(const Prepared& rows, std::vector<std::size_t> columns) {
    auto fit = TRY(linear_fit(columns_of(rows.design, columns), rows.sums, rows.weights));
    Solution solution;
    solution.columns = std::move(columns);
    solution.coefficients = fit.coefficients;
    solution.details = std::move(fit);
    return solution;
  }

  static Result<Solution> nnls(const Prepared& rows, std::vector<std::size_t> columns) {
    auto coefficients = TRY(nnls_fit(columns_of(rows.design, columns), rows.sums, rows.weights));
    Solution solution;
    solution.columns = std::move(columns);
    solution.coefficients = std::move(coefficients);
    return solution;
  }

  // The intercept's column comes first, where there is to be one: ridge has its own.
  Result<Solution> ridge(const Prepared& rows, std::vector<std::size_t> columns) const {
    std::erase_if(columns, [&](std::size_t column) { return column == intercept_; });
    if (columns.empty()) return least_squares(rows, {*intercept_});
    const auto fits_of = [&](const Prepared& some, const std::vector<double>& penalties) {
      return ridge_fits(columns_of(some.design, columns), some.sums, penalties, some.weights);
    };
    const auto solution_of = [&](const RidgeFit& fit) {
      Solution solution;
      solution.columns = columns;
      solution.coefficients = fit.coefficients;
      solution.columns.insert(solution.columns.begin(), *intercept_);
      solution.coefficients.insert(solution.coefficients.begin(), fit.intercept);
      solution.penalty = fit.penalty;
      return solution;
    };
    const auto folds = TRY(options_.penalties.size() > 1 ? folds_of(rows) : std::vector<Split>());
    std::vector<double> errors(options_.penalties.size(), 0);
    for (const Split& fold : folds) {
      const auto fits = TRY(fits_of(part_of(rows, fold.training), options_.penalties));
      const Prepared unseen = part_of(rows, fold.validation);
      for (std::size_t i = 0; i < errors.size(); ++i) {
        errors[i] += squares(unseen, sums_of(solution_of(fits[i]), unseen.design));
      }
    }
    const auto best = std::min_element(errors.begin(), errors.end()) - errors.begin();
    const auto fits = TRY(fits_of(rows, {options_.penalties[static_cast<std::size_t>(best)]}));
    return solution_of(fits.front());
  }

  Result<Solution> trees(const Prepared& rows, std::vector<std::size_t> columns) const {
    std::erase_if(columns, [&](std::size_t column) { return column == intercept_; });
    const auto fit_of = [&](const Prepared& some, const TreeOptions& options) -> Result<Solution> {
      auto fit = TRY(tree_fit(columns_of(some.design, columns), some.sums, options, some.weights));
      Solution solution;
      solution.columns = columns;
      solution.trees = std::move(fit);
      return solution;
    };
    const auto folds = TRY(options_.trees.size() > 1 ? folds_of(rows) : std::vector<Split>());
    std::vector<double> errors(options_.trees.size(), 0);
    for (const Split& fold : folds) {
      const Prepared seen = part_of(rows, fold.training), unseen = part_of(rows, fold.validation);
      for (std::size_t i = 0; i < errors.size(); ++i) {
        const auto solution = TRY(fit_of(seen, options_.trees[i]));
        errors[i] += squares(unseen, sums_of(solution, unseen.design));
      }
    }
    const auto best = std::min_element(errors.begin(), errors.end()) - errors.begin();
    return fit_of(rows, options_.trees[static_cast<std::size_t>(best)]);
  }

  const std::vector<Term>& terms_;
  const EquationOptions& options_;
  std::optional<std::size_t> intercept_;
};

Result<std::vector<double>> multipliers_of(const FitProblem& problem, const Target& target) {
  if (target.multiplier.empty()) return std::vector<double>(problem.values.size(), 1);
  const auto column = problem.table.find(target.multiplier);
  if (!column) {
    return fail(ErrorCode::not_found, fmt::format("there is no column '{}'{}", one_line(target.multiplier),
                                                  did_you_mean(target.multiplier, problem.table.names)));
  }
  const std::span<const double> values = problem.table.values.column(*column);
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (!(values[row] > 0)) {
      return fail(ErrorCode::bad_input,
                  fmt::format("{} is {} in row {}; values are fitted in proportion to it, so it must be positive",
                              one_line(target.multiplier), values[row], row + 1));
    }
  }
  return std::vector<double>(values.begin(), values.end());
}

Result<std::vector<Term>> terms_of(const FitProblem& problem, const EquationOptions& options) {
  if (!options.terms.empty()) return options.terms;
  const std::vector<std::string>& wanted = options.columns.empty() ? problem.table.names : options.columns;
  std::vector<std::string> columns;
  for (const std::string& name : wanted) {
    if (options.columns.empty() && name == options.target.multiplier) continue;
    const auto column = problem.table.find(name);
    if (!column) {
      return fail(ErrorCode::not_found,
                  fmt::format("there is no column '{}'{}", one_line(name), did_you_mean(name, problem.table.names)));
    }
    const std::span<const double> values = problem.table.values.column(*column);
    const bool constant =
        std::all_of(values.begin(), values.end(), [&](double value) { return value == values.front(); });
    if (!constant) columns.push_back(name);
  }
  auto terms = alphabet(columns, options.alphabet);
  if (terms && terms->empty()) return fail(ErrorCode::bad_input, "no column varies; there is nothing to fit with");
  return terms;
}

Result<Prepared> prepare(const FitProblem& problem, const std::vector<Term>& terms, const EquationOptions& options) {
  if (problem.values.empty()) return fail(ErrorCode::bad_input, "there are no rows to fit to");
  auto design = TRY(design_matrix(terms, problem.table));
  auto multipliers = TRY(multipliers_of(problem, options.target));
  Prepared prepared;
  prepared.design = std::move(design);
  prepared.groups = problem.groups;
  for (std::size_t row = 0; row < problem.values.size(); ++row) {
    const double value = problem.values[row];
    if (!(value > 0 && std::isfinite(value))) {
      return fail(ErrorCode::bad_input,
                  fmt::format("the value to fit is {} in row {}; it must be positive", value, row + 1));
    }
    const double ratio = value / multipliers[row];
    prepared.sums.push_back(options.target.log ? std::log(ratio) : ratio);
  }
  if (options.relative && !options.target.log) {
    auto weights = TRY(relative_weights(prepared.sums));
    prepared.weights = std::move(weights);
  }
  return prepared;
}

std::vector<double> values_of(std::span<const double> sums, std::span<const double> multipliers, bool log) {
  std::vector<double> values;
  for (std::size_t row = 0; row < sums.size(); ++row) {
    values.push_back(multipliers[row] * (log ? std::exp(sums[row]) : sums[row]));
  }
  return values;
}

std::optional<double> if_number(double value) {
  return std::isfinite(value) ? std::optional<double>(value) : std::nullopt;
}

std::vector<ColumnRange> ranges_of(const FittedEquation& equation, const NumberTable& table) {
  std::vector<ColumnRange> ranges;
  for (const std::string& name : equation.columns()) {
    if (name == equation.target.multiplier) continue;
    const std::span<const double> values = table.values.column(*table.find(name));
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    ranges.push_back({name, *low, *high});
  }
  return ranges;
}

FittedEquation equation_of(const Solution& solution, const std::vector<Term>& terms, const Prepared& rows,
                           const FitProblem& problem, const EquationOptions& options) {
  FittedEquation equation;
  equation.name = options.name;
  equation.technique = options.technique;
  equation.target = options.target;
  equation.trees = solution.trees;
  const bool standardises = options.technique == Technique::ridge;
  const Scaler scaler = standardises ? scaler_of(rows.design, rows.weights) : Scaler();
  for (std::size_t i = 0; i < solution.columns.size(); ++i) {
    FittedTerm term;
    term.term = terms[solution.columns[i]];
    if (!solution.trees) term.coefficient = solution.coefficients[i];
    if (solution.details) {
      term.standard_error = if_number(solution.details->standard_errors[i]);
      term.vif = if_number(solution.details->vif[i]);
    }
    if (standardises && !term.term.empty()) {
      term.mean = scaler.means[solution.columns[i]];
      term.deviation = scaler.deviations[solution.columns[i]];
    }
    equation.terms.push_back(std::move(term));
  }
  equation.ranges = ranges_of(equation, problem.table);
  equation.figures.rows = problem.values.size();
  equation.figures.penalty = solution.penalty;
  if (solution.details) {
    equation.figures.r2 = if_number(solution.details->r2);
    equation.figures.adjusted_r2 = if_number(solution.details->adjusted_r2);
    equation.figures.residual_standard_error = if_number(solution.details->residual_standard_error);
    equation.figures.condition_number = if_number(solution.details->condition_number);
  }
  return equation;
}

// Predictions of every row by a fit to the other folds; none where there are too few rows to try.
struct HeldOutValues {
  std::vector<double> values = {};
  std::size_t folds = 0;
};

Result<HeldOutValues> held_out_values(const Fitter& fitter, const Prepared& rows,
                                      const std::vector<double>& multipliers, const EquationOptions& options) {
  const auto folds = up_to_k_fold(rows.sums.size(), options.folds, options.seed + 1, rows.groups);
  if (!folds) return HeldOutValues();
  std::vector<double> sums(rows.sums.size(), 0);
  for (const Split& fold : *folds) {
    const auto solution = TRY(fitter.fit(part_of(rows, fold.training)));
    const std::vector<double> part = sums_of(solution, rows_of(rows.design, fold.validation));
    for (std::size_t i = 0; i < part.size(); ++i) sums[fold.validation[i]] = part[i];
  }
  return HeldOutValues{values_of(sums, multipliers, options.target.log), folds->size()};
}

void set_interval(EquationFit& fit, const std::vector<double>& values, std::size_t folds, double level) {
  const Errors errors = errors_of(values, fit.held_out);
  fit.equation.figures.held_out_mape = if_number(errors.mape);
  fit.equation.figures.held_out_gmae = errors.gmae;
  const auto width = conformal_quantile(log_ratio_scores(values, fit.held_out), level);
  if (!width || !std::isfinite(std::exp(*width))) return;
  fit.equation.interval =
      Interval{level, std::exp(*width), fmt::format("{}-fold cross-validation", folds), values.size()};
}

}  // namespace

FitProblem rows_of(const FitProblem& problem, std::span<const std::size_t> rows) {
  FitProblem part;
  part.table = rows_of(problem.table, rows);
  part.values = rows_of(std::span<const double>(problem.values), rows);
  if (!problem.groups.empty()) part.groups = rows_of(std::span<const std::string>(problem.groups), rows);
  return part;
}

Result<EquationFit> fit_equation(const FitProblem& problem, const EquationOptions& options) {
  if (problem.values.empty()) return fail(ErrorCode::bad_input, "there are no rows to fit to");
  const auto terms = TRY(terms_of(problem, options));
  const auto rows = TRY(prepare(problem, terms, options));
  const bool needs_intercept = options.technique == Technique::ridge;
  if (needs_intercept && std::find(terms.begin(), terms.end(), Term()) == terms.end()) {
    return fail(ErrorCode::usage, "ridge regression standardises its terms and so needs the intercept among them");
  }
  const Fitter fitter(terms, options);
  const auto solution = TRY(fitter.fit(rows));
  EquationFit fit;
  fit.equation = equation_of(solution, terms, rows, problem, options);
  fit.details = solution.details;
  if (fit.details) {
    std::vector<std::string> names;
    for (const FittedTerm& term : fit.equation.terms) names.push_back(text_of(term.term));
    fit.warnings = warnings_of(*fit.details, names);
  }
  const auto multipliers = multipliers_of(problem, options.target);
  const auto fitted = values_of(sums_of(solution, rows.design), *multipliers, options.target.log);
  const Errors errors = errors_of(problem.values, fitted);
  fit.equation.figures.mape = if_number(errors.mape);
  fit.equation.figures.gmae = errors.gmae;
  if (options.level > 0) {
    auto held_out = TRY(held_out_values(fitter, rows, *multipliers, options));
    fit.held_out = std::move(held_out.values);
    if (!fit.held_out.empty()) set_interval(fit, problem.values, held_out.folds, options.level);
  }
  return fit;
}

Result<SplitResult> judge(const FitProblem& problem, const Split& split, const EquationOptions& options) {
  const FitProblem training = rows_of(problem, split.training), validation = rows_of(problem, split.validation);
  auto fit = TRY(fit_equation(training, options));
  auto predicted = TRY(predict(fit.equation, validation.table));
  const auto fitted = TRY(predict(fit.equation, training.table));
  const auto errors = [](const FitProblem& rows, const std::vector<Predicted>& predictions) {
    std::vector<double> values;
    std::size_t inside = 0, intervals = 0;
    for (std::size_t row = 0; row < predictions.size(); ++row) {
      const Predicted& one = predictions[row];
      values.push_back(one.value);
      if (!one.low || !one.high) continue;
      ++intervals;
      if (*one.low <= rows.values[row] && rows.values[row] <= *one.high) ++inside;
    }
    Errors result = errors_of(rows.values, values);
    if (intervals > 0) result.inside = static_cast<double>(inside) / static_cast<double>(intervals);
    return result;
  };
  SplitResult result;
  result.split = split;
  result.training = errors(training, fitted);
  result.validation = errors(validation, predicted);
  result.fit = std::move(fit);
  result.predicted = std::move(predicted);
  return result;
}

}  // namespace rooftile::regression
