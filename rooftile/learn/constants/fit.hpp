// Constants of the refined model from measured times: least mean |ln(predicted / measured)| within physical bounds.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rooftile/calibration/calibration.hpp"
#include "rooftile/learn/constants/fit_rows.hpp"

namespace rooftile {

// Where a fit starts, and how hard it is to leave: moving a constant over its whole range costs as much as `strength`
// rows that are off by a factor of e. Constants that few rows speak for stay near the start.
struct Prior {
  std::optional<Constants> constants;  // none: those of the family's table
  double strength = 0.02;
};

struct FitOptions {
  Prior prior = {};
  int evaluations = 4000;  // of the whole set of rows, at most
  std::string date = {};   // for the entry
};

struct Fit {
  CalibrationEntry entry;
  std::vector<Harness> harnesses;
  std::vector<double> residuals;                                // ln(measured / predicted), row by row
  std::vector<std::string> at_bound;                            // constants that ended on a bound
  std::vector<std::string> unseen;                              // constants that the rows do not depend on
  std::vector<std::pair<std::string, std::string>> confounded;  // pairs that the rows cannot tell apart
};

// The same rows give the same fit. Constants that the rows do not see stay at their starting values.
Fit fit(const FitRows& rows, const FitOptions& options = {});

// Predicted time of a row under constants and a harness.
Seconds fitted_time(const FitRow& row, const std::vector<GpuRates>& rates, const Constants& constants,
                    const Harness& harness);

// ln(measured / predicted).
double residual_of(const FitRow& row, const std::vector<GpuRates>& rates, const Constants& constants,
                   const Harness& harness);

// The same where the harness has a range: of the nearest time within it, 0 where that is the measured one.
double residual_beyond(const FitRow& row, const std::vector<GpuRates>& rates, const Constants& constants,
                       const Harness& harness);

// exp(mean |residual|) - 1.
double gmae_of(const std::vector<double>& residuals);

}  // namespace rooftile
