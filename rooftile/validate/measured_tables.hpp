// Several measured tables as one: their columns by name, whichever table has them.
//
//     const std::string csv = "gpu,M,N,K,time_us\nt4,64,64,64,12\n";
//     const LayerTable rows = parse_layer_table(csv, "mine.csv", {.measurements = true}).value();
//     const std::vector<MeasuredTable> tables = {MeasuredTable("mine.csv", rows)};
//     assert(check_column("gpu", tables));
//     assert(!check_column("gqu", tables));
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/ingest/layer_table.hpp"
#include "rooftile/validate/estimate_row.hpp"

namespace rooftile {

// A table and how a user calls it.
class MeasuredTable {
 public:
  MeasuredTable(std::string name, LayerTable table);

  const std::string& name() const { return name_; }
  const LayerTable& table() const { return table_; }
  bool has(const std::string& column) const { return columns_.count(column) > 0; }

  // The cell of a row as the table has it, without blanks at its ends; empty if there is no such column.
  std::string_view raw(const std::vector<std::string>& cells, const std::string& column) const;

  // The same as the row was read: `op`, `pass`, `precision` and `gpu` by their own names, whatever the table calls them
  // or leaves out, and `table`, the name of the table.
  std::string_view cell(const LayerRow& row, const std::string& column, GpuCache& gpus) const;

 private:
  std::string name_;
  LayerTable table_;
  std::unordered_map<std::string, std::size_t> columns_;
};

// Of all tables together.
std::size_t count_rows(const std::vector<MeasuredTable>& tables);

// Every column that any of the tables has, and those that cell() adds; sorted.
std::vector<std::string> known_columns(const std::vector<MeasuredTable>& tables);

// Error, with the nearest name, if no table has that column.
Result<void> check_column(const std::string& column, const std::vector<MeasuredTable>& tables);

// The columns to keep from the predictor where a user names `ignored`: what gives a hidden one away goes with it. The
// algorithm is hidden with the kernel's name, the kernel's name with its grid and block; `grid` is grid_x, grid_y and
// grid_z.
std::vector<std::string> hidden_columns(const std::vector<std::string>& ignored);

}  // namespace rooftile
