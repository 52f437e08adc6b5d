// Fitted equations as a person reads them: coefficients and warnings as text, residuals as pictures.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "rooftile/regression/fit_equation.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {

// One line a term: coefficient, standard error, t and variance inflation, where the technique has them; then the
// figures of the fit.
std::string coefficient_table(const regression::FittedEquation& equation, std::size_t width = kAnyWidth);

// One line a warning, or "".
std::string fit_warnings_text(std::span<const regression::FitWarning> warnings, std::size_t width = kAnyWidth);

// Values with what was fitted or predicted for them.
struct FittedPoints {
  std::string title;
  std::string unit = "s";                          // of both; "s" is labelled as times are
  std::vector<double> measured = {}, fitted = {};  // of equal length
  std::vector<std::string> groups = {};            // a colour each, or empty; the largest five are named
};

// Fitted over measured, both axes logarithmic. What is not positive is left out and counted in the caption.
std::string actual_versus_fitted_plot(const FittedPoints& points);

// measured / fitted - 1 over the fitted value.
std::string residual_plot(const FittedPoints& points);

}  // namespace rooftile
