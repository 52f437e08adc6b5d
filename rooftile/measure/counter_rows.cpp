#include "rooftile/measure/counter_rows.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/csv.hpp"
#include "rooftile/base/text_file.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/base/whole_file.hpp"
#include "rooftile/measure/cases.hpp"

namespace rooftile::measure {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kL1 = "l1_bytes_measured", kL2 = "l2_bytes_measured", kDram = "dram_bytes_measured";

std::string path_of(const std::string& folder, std::size_t table) {
  return (fs::path(folder) / "layers" / fmt::format("{}.csv", kTables[table])).string();
}

// A table's rows with the header first; none where there is no such table.
Result<std::vector<CsvRow>> read_rows(const std::string& folder, std::size_t table) {
  const std::string path = path_of(folder, table);
  std::error_code error;
  if (!fs::exists(path, error)) return std::vector<CsvRow>();
  auto rows = read_text_file(path).and_then([&](const std::string& text) { return parse_csv(text, path); });
  if (rows && (rows->empty() || rows->front().cells != columns_of(table))) {
    return fail(ErrorCode::bad_input, "has other columns: written by another version", path + ":1");
  }
  return rows;
}

std::string& cell(std::size_t table, CsvRow& row, std::string_view column) {
  const std::vector<std::string> columns = columns_of(table);
  const auto found = std::find(columns.begin(), columns.end(), column);
  return row.cells[static_cast<std::size_t>(found - columns.begin())];
}

void set(std::string& text, std::optional<double> bytes) {
  if (bytes) text = fmt::format("{:.12g}", *bytes);
}

}  // namespace

Result<std::vector<CounterCase>> rows_without_counters(const std::string& folder) {
  std::vector<CounterCase> cases;
  for (std::size_t table = 0; table < kTables.size(); ++table) {
    auto rows = TRY(read_rows(folder, table));
    for (std::size_t i = 1; i < rows.size(); ++i) {
      CsvRow& row = rows[i];
      if (row.cells.size() != rows.front().cells.size()) {
        return fail(ErrorCode::bad_input, "a row is cut off; measure layers again to repair it",
                    fmt::format("{}:{}", path_of(folder, table), row.line));
      }
      if (!cell(table, row, kDram).empty()) continue;
      const std::string text = write_csv_row(rows.front().cells) + write_csv_row(row.cells);
      const auto layer = TRY(cases_of_table(text, path_of(folder, table)));
      for (const LayerCase& one : layer.cases) cases.push_back({one, table, i - 1});
    }
  }
  return cases;
}

Result<std::size_t> write_counters(const std::string& folder, const std::vector<CounterCase>& cases,
                                   const JoinedCounters& joined) {
  std::size_t written = 0;
  for (std::size_t table = 0; table < kTables.size(); ++table) {
    auto rows = TRY(read_rows(folder, table));
    bool changed = false;
    for (std::size_t i = 0; i < std::min(cases.size(), joined.cases.size()); ++i) {
      const std::optional<CaseCounters>& counted = joined.cases[i];
      if (cases[i].table != table || !counted || cases[i].row + 1 >= rows.size()) continue;
      CsvRow& row = rows[cases[i].row + 1];
      set(cell(table, row, kL1), counted->l1_bytes);
      set(cell(table, row, kL2), counted->l2_bytes);
      set(cell(table, row, kDram), counted->dram_bytes);
      std::vector<std::string> stalls;
      for (const profile::StallShare& stall : counted->stalls) {
        stalls.push_back(fmt::format("{} {:.3f}", stall.reason, stall.share));
      }
      cell(table, row, "stalls") = fmt::format("{}", fmt::join(stalls, "; "));
      std::string& launches = cell(table, row, "kernel_launches");
      if (launches.empty()) set(launches, counted->kernel_launches);
      changed = true;
      ++written;
    }
    if (!changed) continue;
    std::string text;
    for (const CsvRow& row : rows) text += write_csv_row(row.cells);
    TRY(write_whole_file(path_of(folder, table), text, Durability::disk));
  }
  return written;
}

}  // namespace rooftile::measure
