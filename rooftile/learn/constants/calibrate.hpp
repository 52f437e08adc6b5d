// A calibration from measured tables: constants for any GPU, for each architecture and for each GPU, harnesses, and how
// far rows that a fit has not seen lie from it.
//
//     std::vector<MeasuredTable> tables;  // of parse_layer_table() with `measurements`, or of a store
//     assert(!calibrate(tables, {}));     // nothing to fit to
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/calibration/calibration.hpp"
#include "rooftile/learn/constants/fit.hpp"
#include "rooftile/learn/constants/fit_rows.hpp"

namespace rooftile {

struct CalibrateOptions {
  FitRowsOptions rows = {};
  int evaluations = 2000;
  // What is wanted of it; each costs fits of its own.
  bool known_gpus = true;                             // entries of GPUs, with intervals from sizes and shapes held out
  bool unknown_gpus = true;                           // entries of architectures, and intervals from GPUs held out
  bool foreign_spreads = true;                        // of unknown_gpus: the intervals
  bool unknown_harnesses = true;                      // of known_gpus: what another harness changes
  std::set<std::string, std::less<>> only_gpus = {};  // of known_gpus: by id; none named: all
  std::string date = {};
  std::function<void(std::size_t done, std::size_t of)> progress = {};  // fits
};

struct CalibrationReport {
  Calibration calibration;
  std::vector<Fit> fits;  // one for each entry
};

// Entries of every family in the order: any GPU, architectures, GPUs. Constants for any GPU come from all GPUs alike,
// near the starting values; those of an architecture and of a GPU start from them, and few rows cannot carry them far.
// A convolution's TileChoice is the one that fits better. Errors: those of fit_rows(); no row.
Result<CalibrationReport> calibrate(const std::vector<MeasuredTable>& tables, const CalibrateOptions& options);

}  // namespace rooftile
