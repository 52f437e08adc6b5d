// Measured rows as the grey-box model sees them: what the analytic model says of each, what its bytes and its update
// would take, and its shape.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/calibration/calibration.hpp"
#include "rooftile/regression/fitted_model.hpp"
#include "rooftile/regression/matrix.hpp"
#include "rooftile/validate/estimate_row.hpp"
#include "rooftile/validate/measured_tables.hpp"

namespace rooftile {

// Terms that add up to a time, in seconds unless said otherwise. Bytes are over the DRAM bandwidth of the row's GPU;
// input_s, output_s and weights_s hold each element once.
inline constexpr std::array<std::string_view, 12> kPhysicsTerms = {
    "call",            // 1: what the harness takes whatever it runs
    "fwd_s",           // the analytic model's kernels of a pass; 0 where the row does not run it
    "bwd_data_s",      //
    "bwd_weight_s",    //
    "input_s",         // layouts that are converted, the gradient of an input
    "output_s",        //
    "weights_s",       //
    "activation_s",    // output_s where an activation follows
    "padded_s",        // input_s where the two ends of an axis are padded differently: a copy before the convolution
    "compute_s",       // operations over the peak
    "update_s",        // what an optimiser reads and writes, of weights and of the input, a variable in these harnesses
    "update_kernels",  // launches of an update, a number
};

// A row that has no prediction, and why: "t.csv:4, column gpu: …".
struct RefusedRow {
  std::size_t table = 0, line = 0;
  Error why;
};

struct GreyBoxRows {
  regression::NumberTable table;
  // One a row.
  std::vector<double> seconds;          // measured, without the harness's known share; 0 where nothing was
  std::vector<std::string> operations;  // "conv", "gemm", "gemm linear": what has a correction of its own
  std::vector<std::string> parts;       // operation and phase, "conv step": what has physics of its own
  std::vector<std::string> gpus;        // catalogue ids
  std::vector<std::string> shapes;      // equal for equal shapes, whatever the GPU and the phase
  std::vector<const LayerRow*> rows;
  std::vector<std::size_t> tables;  // place of the row's table
  regression::FittedOn fitted_on;   // without rows, date and split
  std::vector<RefusedRow> refused;  // only with list_refused

  std::size_t size() const { return rows.size(); }
};

// The rows with these indices, in their order.
GreyBoxRows rows_of(const GreyBoxRows& all, const std::vector<std::size_t>& chosen);

struct GreyBoxRowsOptions {
  std::function<bool(std::size_t table, std::size_t row)> keep = {};  // none: all
  const Calibration* calibration = nullptr;                           // of the analytic model; null: what ships
  bool measured = true;                                               // only rows with a measured time and no flag
  const Gpu* gpu = nullptr;                                           // that rows name by its id; null: the catalogue's
  bool list_refused = false;                                          // rows that are errors, instead of failing
};

// Errors: the row, which stands at `place`, names no GPU or one that is not known.
Result<const Gpu*> gpu_of(const LayerRow& row, const std::string& place, GpuCache& gpus);

// Convolutions and products; other rows take no part. Errors: an unknown GPU, a precision or pass that it cannot run;
// no row, unless those that are errors are listed.
Result<GreyBoxRows> grey_box_rows(const std::vector<MeasuredTable>& tables, const GreyBoxRowsOptions& options = {});

}  // namespace rooftile
