// Measured rows made ready for a fit: every plan that could have run each row, counted once.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "rooftile/calibration/calibration.hpp"
#include "rooftile/error/error.hpp"
#include "rooftile/plan/launch.hpp"
#include "rooftile/timing/launch_time.hpp"
#include "rooftile/validate/filter.hpp"
#include "rooftile/validate/measured_tables.hpp"

namespace rooftile {

struct FitRow {
  std::vector<LaunchPlan> plans;  // the fastest is what ran
  std::size_t machine = 0;        // in FitRows::machines
  std::size_t harness = 0;        // in FitRows::harnesses
  Seconds measured;               // the harness's share subtracted
};

// The rows of one kernel family on the GPUs of one scope.
struct FitRows {
  KernelFamily family = KernelFamily::conv_simt;
  std::string scope;  // a GPU's id or an architecture
  TileChoice choice = TileChoice::least_time;
  std::vector<std::string> gpus;
  std::vector<Machine> machines;   // one for each GPU and precision; their constants are not set
  std::vector<Harness> harnesses;  // one for each framework and GPU
  std::vector<std::string> tables;
  std::vector<FitRow> rows;
};

struct FitRowsOptions {
  std::optional<Filter> where;
  TileChoice choice = TileChoice::least_time;
  bool blind = true;  // each row a second time without what is known of its kernel
};

// One FitRows for each family and GPU, and one for each family and architecture. Flagged rows, rows without a time and
// rows that no unit of the GPU can run are left out. Errors: an unknown GPU or column.
Result<std::vector<FitRows>> fit_rows(const std::vector<MeasuredTable>& tables, const FitRowsOptions& options);

}  // namespace rooftile
