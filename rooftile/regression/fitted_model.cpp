#include "rooftile/regression/fitted_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "rooftile/base/nearest.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/time_range.hpp"
#include "rooftile/base/try.hpp"

namespace rooftile::regression {
namespace {

constexpr std::array<std::string_view, 4> kTechniques = {"least-squares", "ridge", "nnls", "trees"};

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

// The sum of the terms, or of the trees, for each row.
Result<std::vector<double>> sums_of(const FittedEquation& equation, const NumberTable& table) {
  std::vector<Term> terms;
  for (const FittedTerm& term : equation.terms) terms.push_back(term.term);
  auto design = TRY(design_matrix(terms, table));
  if (equation.trees) return predict(*equation.trees, design);
  std::vector<double> sums(table.rows(), 0);
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const std::span<const double> values = design.column(i);
    for (std::size_t row = 0; row < sums.size(); ++row) sums[row] += equation.terms[i].coefficient * values[row];
  }
  return sums;
}

Result<std::span<const double>> column_of(const NumberTable& table, const std::string& name) {
  const auto place = table.find(name);
  if (!place) {
    return fail(ErrorCode::not_found,
                fmt::format("there is no column '{}'{}", one_line(name), did_you_mean(name, table.names)));
  }
  return table.values.column(*place);
}

void warn_of_ranges(const FittedEquation& equation, const NumberTable& table, std::vector<Predicted>& predicted) {
  for (const ColumnRange& range : equation.ranges) {
    const auto column = table.find(range.column);
    if (!column) continue;
    for (std::size_t row = 0; row < predicted.size(); ++row) {
      const double value = table.values(row, *column);
      if (value >= range.low && value <= range.high) continue;
      predicted[row].warnings.push_back({FitWarning::Kind::extrapolation, range.column, value, range.low, range.high});
    }
  }
}

std::string extrapolation_text(const FitWarning& warning) {
  const bool above = warning.value > warning.high;
  const double end = above ? warning.high : warning.low;
  std::string far;
  if (warning.value > 0 && end > 0) {
    far = fmt::format(" ({:.3g} times the {})", warning.value / end, above ? "largest" : "smallest");
  }
  const std::string range = warning.low == warning.high
                                ? fmt::format("the {:.6g}", warning.low)
                                : fmt::format("the {:.6g} to {:.6g}", warning.low, warning.high);
  return fmt::format("{} is {:.6g}, outside {} of the fit{}", one_line(warning.subject), warning.value, range, far);
}

}  // namespace

std::string_view name_of(Technique technique) { return kTechniques[static_cast<std::size_t>(technique)]; }

Result<Technique> parse_technique(std::string_view text) {
  const auto found = std::find(kTechniques.begin(), kTechniques.end(), text);
  if (found != kTechniques.end()) return static_cast<Technique>(found - kTechniques.begin());
  const std::vector<std::string> names(kTechniques.begin(), kTechniques.end());
  return fail(ErrorCode::not_found, fmt::format("'{}' is not one of {}{}", one_line(text), fmt::join(names, ", "),
                                                did_you_mean(text, names)));
}

std::string FitWarning::text() const {
  const std::string name = one_line(subject);
  switch (kind) {
    case Kind::extrapolation:
      return extrapolation_text(*this);
    case Kind::left_out:
      return fmt::format("{} is a combination of other terms in these rows and was left out", name);
    case Kind::collinear:
      return fmt::format("{} is nearly a combination of the other terms: variance inflation {:.4g}, above {:.4g}", name,
                         value, high);
    case Kind::ill_conditioned:
      return fmt::format("the terms are nearly collinear: condition number {:.3g}, above {:.3g}", value, high);
    case Kind::few_rows:
      return fmt::format("{:.3g} rows per coefficient; below {:.3g} the coefficients are unreliable", value, low);
    case Kind::odd_row:
      return fmt::format("row {} dominates the fit: leverage {:.3g}, above {:.3g}, and a large residual", name, value,
                         high);
    case Kind::not_positive:
      return fmt::format("the prediction is {:.4g}, which is not positive", value);
  }
  return {};
}

std::vector<std::string> FittedEquation::columns() const {
  std::vector<std::string> names;
  for (const FittedTerm& term : terms) {
    for (const Factor& factor : term.term) add_once(names, factor.column);
  }
  if (!target.multiplier.empty()) add_once(names, target.multiplier);
  return names;
}

const FittedEquation* FittedModel::find(std::string_view equation) const {
  const auto found =
      std::find_if(equations.begin(), equations.end(), [&](const FittedEquation& one) { return one.name == equation; });
  return found == equations.end() ? nullptr : &*found;
}

Result<std::vector<Predicted>> predict(const FittedEquation& equation, const NumberTable& table) {
  const auto sums = TRY(sums_of(equation, table));
  std::span<const double> multipliers;
  if (!equation.target.multiplier.empty()) {
    const auto column = TRY(column_of(table, equation.target.multiplier));
    multipliers = column;
  }
  const bool is_seconds = equation.target.name == "time_s";
  std::vector<Predicted> predicted(sums.size());
  for (std::size_t row = 0; row < predicted.size(); ++row) {
    Predicted& one = predicted[row];
    one.value = equation.target.log ? std::exp(sums[row]) : sums[row];
    if (!multipliers.empty()) one.value *= multipliers[row];
    if (!std::isfinite(one.value)) {
      return fail(ErrorCode::bad_input, fmt::format("the prediction of row {} is not finite", row + 1));
    }
    if (is_seconds && !is_time(Seconds(std::abs(one.value)))) {
      return fail(ErrorCode::bad_input,
                  fmt::format("the prediction of row {} is {:.3g} s, which is not {}", row + 1, one.value, kTimeRange));
    }
    if (!(one.value > 0)) {
      one.warnings.push_back({FitWarning::Kind::not_positive, {}, one.value, 0, 0});
    } else if (equation.interval) {
      const double low = one.value / equation.interval->factor, high = one.value * equation.interval->factor;
      // A file may have any factor.
      if (!(low > 0 && std::isfinite(high)) || (is_seconds && !(is_time(Seconds(low)) && is_time(Seconds(high))))) {
        continue;
      }
      one.low = low;
      one.high = high;
    }
  }
  warn_of_ranges(equation, table, predicted);
  return predicted;
}

}  // namespace rooftile::regression
