#include "rooftile/learn/networks/network_rows.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "rooftile/base/nearest.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/ingest/layer_table_row.hpp"

namespace rooftile {
namespace {

// Seconds of one batch.
std::optional<double> seconds_of(const MeasuredTable& table, const LayerRow& row) {
  if (row.measured.time) {
    const double seconds = (*row.measured.time - row.measured.host_overhead).value();
    return seconds > 0 ? std::optional(seconds) : std::nullopt;
  }
  const auto* run = std::get_if<NetworkRun>(&row.op);
  if (run == nullptr || !run->batch) return std::nullopt;
  const std::string throughput(table.raw(row.cells, "throughput"));
  char* end = nullptr;
  const double per_second = std::strtod(throughput.c_str(), &end);
  if (throughput.empty() || *end != '\0' || !(per_second > 0)) return std::nullopt;
  return static_cast<double>(*run->batch) / per_second;
}

// Everything that a row says.
std::string text_of(const std::vector<std::string>& cells) {
  std::string text;
  for (const std::string& cell : cells) text += std::string(trimmed(cell)) + '\n';
  return text;
}

// Every column of a condition is one of the tables or of RunNumbers.
Result<void> check_where(const Filter& where, std::vector<std::string> known) {
  for (const RunColumn& column : run_columns()) known.emplace_back(column.name);
  for (const Filter::Use& use : where.columns()) {
    if (std::find(known.begin(), known.end(), use.column) != known.end()) continue;
    return fail(ErrorCode::not_found,
                fmt::format("no table has a column '{}'{}", one_line(use.column, 40), did_you_mean(use.column, known)));
  }
  return {};
}

// Whether a condition asks for columns of the tables alone, so that the numbers of rows that it leaves out are not
// needed. `known` is sorted.
bool only_of(const std::vector<Filter::Use>& uses, const std::vector<std::string>& known) {
  return std::all_of(uses.begin(), uses.end(), [&](const Filter::Use& use) {
    return std::binary_search(known.begin(), known.end(), use.column);
  });
}

}  // namespace

std::string_view RunRow::cell(const std::string& column) const {
  const auto found = cells.find(column);
  return found == cells.end() ? std::string_view() : std::string_view(found->second);
}

RunRow run_row(const MeasuredTable& table, const LayerRow& row, const std::vector<std::string>& columns,
               RunNumbers& numbers, GpuCache& gpus, const Workload* share) {
  RunRow run;
  run.place = fmt::format("{}:{}", table.name(), row.line);
  run.seconds = seconds_of(table, row).value_or(0);
  run.numbers = numbers.of(table, row, gpus, share);
  for (const std::string& column : columns) run.cells.emplace(column, table.cell(row, column, gpus));
  for (const auto& [name, number] : run.numbers) run.cells[name] = fmt::format("{}", number);
  return run;
}

Result<RunRows> run_rows(const std::vector<MeasuredTable>& tables, const RunRowsOptions& options) {
  RunRows result;
  RunNumbers numbers(options.analytic);
  GpuCache gpus;
  std::set<std::string> seen;
  const std::vector<std::string> columns = known_columns(tables);
  const bool early = options.where && only_of(options.where->columns(), columns);
  for (std::size_t place = 0; place < tables.size(); ++place) {
    const MeasuredTable& table = tables[place];
    for (std::size_t i = 0; i < table.table().rows.size(); ++i) {
      const LayerRow& row = table.table().rows[i];
      const auto cell = [&](const std::string& column) { return table.cell(row, column, gpus); };
      if (early && !options.where->matches(cell)) continue;
      const auto seconds = seconds_of(table, row);
      if (!seconds) {
        ++result.unmeasured;
      } else if (!options.flagged && !row.flag.empty()) {
        ++result.flagged;
      } else if (!seen.insert(fmt::format("{}\n{}", place, text_of(row.cells))).second) {
        ++result.duplicates;
      } else {
        RunRow run = run_row(table, row, columns, numbers, gpus);
        if (options.where && !early) {
          if (!options.where->matches([&](const std::string& column) { return run.cell(column); })) continue;
        }
        result.rows.push_back(std::move(run));
      }
    }
    result.sources.push_back(table.name());
  }
  if (options.where && !early) {
    TRY(check_where(*options.where, columns));
  }
  if (result.rows.empty()) return fail(ErrorCode::bad_input, "no row has a measured time to fit to");
  return result;
}

regression::FitProblem problem_of(std::span<const RunRow* const> rows) {
  regression::FitProblem problem;
  for (const auto& number : rows.front()->numbers) {
    const bool everywhere =
        std::all_of(rows.begin(), rows.end(), [&](const RunRow* row) { return row->numbers.contains(number.first); });
    if (everywhere) problem.table.names.push_back(number.first);
  }
  problem.table.values = regression::Matrix(rows.size(), problem.table.names.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    problem.values.push_back(rows[i]->seconds);
    for (std::size_t column = 0; column < problem.table.names.size(); ++column) {
      problem.table.values(i, column) = rows[i]->numbers.find(problem.table.names[column])->second;
    }
  }
  return problem;
}

Result<void> check_run_column(const std::string& column, const RunRows& rows) {
  std::set<std::string> known;
  for (const RunRow& row : rows.rows) {
    for (const auto& cell : row.cells) known.insert(cell.first);
  }
  if (known.contains(column)) return {};
  const std::vector<std::string> names(known.begin(), known.end());
  return fail(ErrorCode::not_found,
              fmt::format("no row has a column '{}'{}", one_line(column, 40), did_you_mean(column, names)));
}

}  // namespace rooftile
