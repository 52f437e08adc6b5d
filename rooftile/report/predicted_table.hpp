// A layer table with what is predicted of each row, as CSV, JSON and text.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "rooftile/report/predicted_columns.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {

struct PredictedRow {
  std::size_t line = 0;  // in the file
  std::string label;     // what the row is
  std::string gpu;
  std::vector<std::string> cells;                        // as read
  std::array<std::string, kPredictedColumns> predicted;  // predicted_cells()
  std::string no_interval = {};                          // why it has none; not in the CSV
};

struct PredictedTable {
  std::vector<std::string> columns;  // as read
  std::vector<PredictedRow> rows;
};

// What was read, then the predicted columns; those of that name, as of an earlier run, are replaced.
std::string predicted_csv(const PredictedTable& table);

// The same as "rooftile/predicted-table/1", with numbers as numbers. Schema: data/schema/predicted-table-1.json.
std::string predicted_json(const PredictedTable& table);

// A line a row, and how many rows have no interval for which reason.
std::string predicted_text(const PredictedTable& table, std::size_t width = kAnyWidth);

}  // namespace rooftile
