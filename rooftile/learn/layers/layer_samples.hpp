// Measured layers with their complexity: what per-layer models are fitted to and judged on.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/base/units.hpp"
#include "rooftile/learn/layers/layer_complexity.hpp"
#include "rooftile/validate/measured_tables.hpp"

namespace rooftile {

struct LayerSample {
  std::string where;    // "table.csv:12"
  std::string network;  // the row's column `model`; may be empty
  std::string layer;    // its column `layer`; may be empty
  LayerCategory category = LayerCategory::conv_fc;
  LayerDirection direction = LayerDirection::forward;
  double complexity = 0;  // operations
  Seconds time;           // without the harness's own
  std::string gpu, precision, software;
  std::string group;  // what `group_by` says of the row; empty without it
  bool held_out = false;
  std::vector<std::string> cells;  // of LayerSampleOptions::columns
};

// Rows of the tables that no model is for, and their time.
struct LeftOutLayers {
  std::size_t rows = 0;
  Seconds time;
};

struct LayerSamples {
  std::vector<LayerSample> samples;
  // By what they are: "concat layers", "flagged rows", "bwd_data rows".
  std::map<std::string, LeftOutLayers> left_out;
};

// A row's cell by the name of its column.
using RowCell = std::function<std::string_view(const std::string& column)>;

struct LayerSampleOptions {
  std::function<bool(const RowCell&)> keep = {};      // rows to read; none: all
  std::function<bool(const RowCell&)> hold_out = {};  // sets LayerSample::held_out
  std::string group_by = {};                          // a column
  std::string gpu = {};                               // of network_layer rows that name none
  std::vector<std::string> columns = {};              // whose cells are kept
};

// Rows of op network_layer (by LayerWalk; those of a network stand in the order of its layers, whatever `keep` says),
// conv and gemm with a measured time, forward or backward (both gradients together). Errors name table and line.
Result<LayerSamples> layer_samples(const std::vector<MeasuredTable>& tables, const LayerSampleOptions& options = {});

}  // namespace rooftile
