#include "rooftile/validate/measured_tables.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/nearest.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/ingest/layer_table_row.hpp"

namespace rooftile {

MeasuredTable::MeasuredTable(std::string name, LayerTable table) : name_(std::move(name)), table_(std::move(table)) {
  for (std::size_t i = 0; i < table_.columns.size(); ++i) {
    columns_.emplace(std::string(trimmed(table_.columns[i])), i);
  }
}

std::string_view MeasuredTable::raw(const std::vector<std::string>& cells, const std::string& column) const {
  const auto found = columns_.find(column);
  return found == columns_.end() ? std::string_view() : trimmed(cells[found->second]);
}

std::string_view MeasuredTable::cell(const LayerRow& row, const std::string& column, GpuCache& gpus) const {
  if (column == "op") return name_of(row.op);
  if (column == "pass") return name_of(row.phase);
  if (column == "precision" && row.autocast) return row.precision == DType::fp16 ? "amp-fp16" : "amp-bf16";
  if (column == "precision") return name_of(row.precision);
  if (column == "gpu") {
    const auto gpu = gpus.find(row.gpu);
    return gpu ? std::string_view((*gpu)->id) : std::string_view(row.gpu);
  }
  if (column == "table" && !has(column)) return name_;
  return raw(row.cells, column);
}

std::size_t count_rows(const std::vector<MeasuredTable>& tables) {
  std::size_t rows = 0;
  for (const MeasuredTable& table : tables) rows += table.table().rows.size();
  return rows;
}

std::vector<std::string> known_columns(const std::vector<MeasuredTable>& tables) {
  std::set<std::string> names = {"gpu", "op", "pass", "precision", "table"};
  for (const MeasuredTable& table : tables) {
    for (const std::string& column : table.table().columns) {
      if (const std::string_view name = trimmed(column); !name.empty()) names.emplace(name);
    }
  }
  return {names.begin(), names.end()};
}

Result<void> check_column(const std::string& column, const std::vector<MeasuredTable>& tables) {
  const std::vector<std::string> known = known_columns(tables);
  if (std::binary_search(known.begin(), known.end(), column)) return {};
  constexpr std::size_t kShown = 400;
  const std::string meant = did_you_mean(column, known);
  return fail(
      ErrorCode::not_found,
      fmt::format("no table has a column '{}'{}", one_line(column, 40),
                  meant.empty() ? one_line(fmt::format("; one of {}", fmt::join(known, ", ")), kShown) : meant));
}

std::vector<std::string> hidden_columns(const std::vector<std::string>& ignored) {
  std::set<std::string> hidden(ignored.begin(), ignored.end());
  if (hidden.count("algorithm") > 0) hidden.insert({"kernel", "kernels"});
  if (hidden.count("kernel") > 0) hidden.insert({"grid", "block_threads"});
  if (hidden.erase("grid") > 0) hidden.insert({"grid_x", "grid_y", "grid_z"});
  return {hidden.begin(), hidden.end()};
}

}  // namespace rooftile
