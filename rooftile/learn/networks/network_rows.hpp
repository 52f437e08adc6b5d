// Rows of tables that models of whole runs are fitted to.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/learn/networks/network_numbers.hpp"
#include "rooftile/regression/fit_equation.hpp"
#include "rooftile/validate/filter.hpp"
#include "rooftile/validate/measured_tables.hpp"

namespace rooftile {

struct RunRow {
  std::string place;   // "network.csv:12"
  double seconds = 0;  // measured
  Numbers numbers;
  std::map<std::string, std::string, std::less<>> cells;  // every column as text, the numbers among them

  std::string_view cell(const std::string& column) const;
};

struct RunRows {
  std::vector<RunRow> rows;
  std::size_t duplicates = 0;  // rows that say the same as an earlier one; they count once
  std::size_t flagged = 0, unmeasured = 0;
  std::vector<std::string> sources = {};  // the tables
};

struct RunRowsOptions {
  std::optional<Filter> where = {};  // which rows; its columns may be numbers of RunNumbers; none: all
  bool flagged = false;              // flagged rows too
  bool analytic = true;              // see RunNumbers
};

// One row; `columns` are those that become cells. A row without a time has 0 seconds.
RunRow run_row(const MeasuredTable& table, const LayerRow& row, const std::vector<std::string>& columns,
               RunNumbers& numbers, GpuCache& gpus, const Workload* share = nullptr);

// A row without a time but with a throughput has the time of a batch's worth of its units. Errors: an unknown
// column, no row.
Result<RunRows> run_rows(const std::vector<MeasuredTable>& tables, const RunRowsOptions& options);

// Numbers that all of the rows have, as columns. `rows` is not empty.
regression::FitProblem problem_of(std::span<const RunRow* const> rows);

// Error, with the nearest, if no row has the column.
Result<void> check_run_column(const std::string& column, const RunRows& rows);

}  // namespace rooftile
