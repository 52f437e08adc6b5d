// A layer table row by row, for tables too large to hold; parse_layer_table() reads a whole one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "rooftile/base/csv.hpp"
#include "rooftile/base/error.hpp"
#include "rooftile/ingest/layer_table.hpp"
#include "rooftile/ingest/layer_table_row.hpp"

namespace rooftile {

class LayerTableReader {
 public:
  // Errors: an unknown precision among the options, a column named twice, no layer table.
  static Result<LayerTableReader> from_header(const CsvRow& header, std::string_view where, LayerTableOptions options);

  // Puts the row where it belongs in `into`: among its rows, the wrong ones or those that are not predicted yet. The
  // error of a row that belongs nowhere.
  Result<void> read(CsvRow cells, LayerTable& into) const;

 private:
  // What the row is, where that is not predicted yet; `row` then has the error.
  std::string read_cells(TableRow& row, LayerRow& layer) const;

  ColumnIndex columns_;
  std::size_t width_ = 0;
  std::string default_op_;
  std::string where_;
  DType default_precision_ = DType::fp32;
  LayerTableOptions options_;
};

}  // namespace rooftile
