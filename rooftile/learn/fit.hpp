// Constants of the refined model from measured times: least mean |ln(predicted / measured)| within physical bounds.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "rooftile/calibration/calibration.hpp"
#include "rooftile/learn/fit_rows.hpp"

namespace rooftile {

// Where a fit starts, and how many rows it takes to leave it: constants that few rows speak for stay near it.
struct Prior {
  Constants constants = unfitted_constants();
  double strength = 0.02;
};

struct FitOptions {
  Prior prior = {};
  int evaluations = 4000;  // of the whole set of rows, at most
  std::string date = {};   // for the entry
};

struct Fit {
  CalibrationEntry entry;
  std::vector<Overhead> overheads;
  std::vector<double> residuals;                                // ln(measured / predicted), row by row
  std::vector<std::string> at_bound;                            // constants that ended on a bound
  std::vector<std::string> unseen;                              // constants that the rows do not depend on
  std::vector<std::pair<std::string, std::string>> confounded;  // pairs that the rows cannot tell apart
};

// The same rows give the same fit. Constants that the rows do not see stay at their starting values.
Fit fit(const FitRows& rows, const FitOptions& options = {});

// Predicted time of a row under constants and an overhead.
Seconds fitted_time(const FitRow& row, const std::vector<Machine>& machines, const Constants& constants,
                    Seconds overhead);

// exp(mean |residual|) - 1.
double gmae_of(const std::vector<double>& residuals);

// Bounds of the middle 90 % of exp(residual).
Spread spread_of(std::vector<double> residuals);

}  // namespace rooftile
