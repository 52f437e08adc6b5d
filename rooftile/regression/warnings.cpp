// Warnings about a fit; the bounds are the textbooks' rules of thumb.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "rooftile/regression/fit_equation.hpp"

namespace rooftile::regression {
namespace {

constexpr double kHighVif = 10;        // Marquardt, Technometrics 12 (1970)
constexpr double kHighCondition = 30;  // Belsley, Kuh, Welsch, Regression Diagnostics (1980), section 3.2
constexpr double kRowsPerCoefficient = 5;
constexpr double kHighLeverage = 3;   // times the mean p / n
constexpr double kLargeResidual = 3;  // standard deviations
constexpr std::size_t kMostRows = 5;  // that are named

void add_odd_rows(const LinearFit& fit, std::vector<FitWarning>& warnings) {
  const double bound = kHighLeverage * static_cast<double>(fit.rank) / static_cast<double>(fit.fitted.size());
  std::vector<std::size_t> odd;
  for (std::size_t row = 0; row < fit.fitted.size(); ++row) {
    if (fit.leverage[row] > bound && std::abs(fit.standardised_residuals[row]) > kLargeResidual) odd.push_back(row);
  }
  std::stable_sort(odd.begin(), odd.end(),
                   [&](std::size_t a, std::size_t b) { return fit.cooks_distance[a] > fit.cooks_distance[b]; });
  odd.resize(std::min(odd.size(), kMostRows));
  for (const std::size_t row : odd) {
    warnings.push_back({FitWarning::Kind::odd_row, fmt::to_string(row + 1), fit.leverage[row], 0, bound});
  }
}

}  // namespace

std::vector<FitWarning> warnings_of(const LinearFit& fit, std::span<const std::string> names) {
  using Kind = FitWarning::Kind;
  std::vector<FitWarning> warnings;
  for (const std::size_t column : fit.left_out) warnings.push_back({Kind::left_out, names[column], 0, 0, 0});
  const double rows = static_cast<double>(fit.fitted.size()) / static_cast<double>(std::max<std::size_t>(fit.rank, 1));
  if (rows < kRowsPerCoefficient) warnings.push_back({Kind::few_rows, {}, rows, kRowsPerCoefficient, 0});
  for (std::size_t column = 0; column < names.size(); ++column) {
    if (fit.vif[column] > kHighVif) warnings.push_back({Kind::collinear, names[column], fit.vif[column], 0, kHighVif});
  }
  if (fit.condition_number > kHighCondition) {
    warnings.push_back({Kind::ill_conditioned, {}, fit.condition_number, 0, kHighCondition});
  }
  add_odd_rows(fit, warnings);
  return warnings;
}

}  // namespace rooftile::regression
