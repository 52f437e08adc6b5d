// Layer tables: CSV with a header, one op a row (docs/formats.md).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rooftile/error/error.hpp"
#include "rooftile/workload/dtype.hpp"
#include "rooftile/workload/op.hpp"

namespace rooftile {

struct LayerRow {
  std::size_t line = 0;            // in the file, the header is 1
  std::vector<std::string> cells;  // as read, one per column of LayerTable::columns
  std::variant<Conv, Gemm> op;
  std::string gpu;                // the row's own; empty if the table gives none
  DType precision = DType::fp32;  // the row's own, or the default
};

struct LayerTable {
  std::vector<std::string> columns;
  std::vector<LayerRow> rows;
  std::vector<Error> bad_rows;  // only with skip_bad_rows
};

struct LayerTableOptions {
  std::string gpu = {};         // fills empty cells
  std::string precision = {};   // fills empty cells; empty: fp32
  bool override_cells = false;  // --gpu and --precision win over the row's own
  bool skip_bad_rows = false;
};

// Errors name file, line and column.
Result<LayerTable> parse_layer_table(std::string_view csv, std::string_view where,
                                     const LayerTableOptions& options = {});

}  // namespace rooftile
