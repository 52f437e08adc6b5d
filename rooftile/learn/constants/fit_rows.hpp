// Measured rows made ready for a fit: every plan that could have run each row, counted once.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/calibration/calibration.hpp"
#include "rooftile/plan/launch.hpp"
#include "rooftile/timing/launch_time.hpp"
#include "rooftile/validate/filter.hpp"
#include "rooftile/validate/measured_tables.hpp"

namespace rooftile {

// What the kernels of a row take on a GPU whose constants are set.
using KernelTime = std::function<Seconds(const GpuRates&)>;

// The one of the plans that a library would choose, which is what ran.
KernelTime chosen_of(std::vector<LaunchPlan> plans);

struct FitRow {
  KernelTime kernels;
  std::size_t gpu = 0;      // in FitRows::rates
  std::size_t harness = 0;  // in FitRows::harnesses
  std::size_t source = 0;   // in FitRows::sources
  Seconds measured;         // the harness's share subtracted
  std::size_t shape = 0;    // equal for equal shapes, whatever the GPU and the pass
};

// The rows of one kernel family on one GPU, or of several merged.
struct FitRows {
  KernelFamily family = KernelFamily::conv_simt;
  std::string scope;  // the GPU's id; of merged ones what the merger called them
  std::string architecture, vendor;
  std::optional<Board> board;  // of one GPU
  std::string spread_scope;    // spread_scope() of the GPU
  TileChoice choice = TileChoice::least_time;
  std::vector<std::string> gpus;
  std::vector<GpuRates> rates;       // one for each GPU and precision; their constants are not set
  std::vector<Harness> harnesses;    // one for each framework and GPU
  std::vector<std::string> sources;  // source_of() of the rows
  std::vector<std::string> tables;
  std::vector<FitRow> rows;
};

// Who measured a row: the folder of its table and the framework, as in "deepbench/cuDNN".
std::string source_of(const std::string& table, const LayerRow& row);

// A number that is equal for equal shapes and spread evenly: rows of a shape belong together when some are held out.
std::size_t shape_of(const LayerRow& row);

struct FitRowsOptions {
  // Which rows take part; none: all. `table` and `row` are places, as ComparedRow has them.
  std::function<bool(std::size_t table, std::size_t row)> keep = {};
  TileChoice choice = TileChoice::least_time;
  bool blind = true;  // each row whose kernel the library chose a second time, without what is known of it
};

// One FitRows for each family and GPU. Flagged rows, rows without a time and rows that no unit of the GPU can run are
// left out. Error: an unknown GPU.
Result<std::vector<FitRows>> fit_rows(const std::vector<MeasuredTable>& tables, const FitRowsOptions& options);

// The rows of several GPUs as one, at most `most_of(rows)` evenly spread rows of each, so that none drowns the others.
FitRows merged(const std::vector<const FitRows*>& parts, std::string scope,
               const std::function<std::size_t(const FitRows&)>& most_of);

}  // namespace rooftile
