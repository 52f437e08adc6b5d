// The table of a comparison.
#include "rooftile/report/comparison.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "rooftile/report/shown_columns.hpp"

namespace rooftile {
namespace {

// Lines "GPU: why", of which a GPU has one for each network where these differ.
std::size_t gpus_of(const std::vector<std::string>& lines) {
  std::set<std::string> gpus;
  for (const std::string& line : lines) gpus.insert(line.substr(0, line.find(": ")));
  return gpus.size();
}

}  // namespace

std::string grid_text(const Grid& grid) {
  const std::string place =
      grid.country.empty() ? "" : fmt::format(" of {} in {} ({})", grid.country, grid.year, grid.source);
  return fmt::format("at {:g} g of CO2 per kWh{}", grid.grams_per_kwh, place);
}

std::string comparison_table(const ComparisonReport& report, std::size_t width) {
  const Comparison& comparison = report.comparison;
  std::string text;
  for (const std::string& answer : report.answers) text += page_line(answer, width, "  ");
  if (!report.answers.empty()) text += "\n";
  text += fmt::format("{}, {}{}{}\n\n", comparison.pass, comparison.execution,
                      comparison.optimizer.empty() ? "" : ", " + comparison.optimizer,
                      comparison.baseline.empty() ? "" : ", against " + comparison.baseline);
  const std::vector<ShownColumn> columns = shown_columns(report, false);
  std::vector<TextTable::Column> headers;
  for (const ShownColumn& column : columns) headers.push_back(column.column);
  TextTable table(std::move(headers));
  for (const ComparedRun& run : comparison.runs) {
    std::vector<std::string> cells;
    for (const ShownColumn& column : columns) cells.push_back(column.cell(run));
    table.add(std::move(cells));
  }
  text += table.empty() ? "  no GPU is left\n" : table.text(width);
  const auto any_price = [&](bool GpuPrice::*mark) {
    return std::any_of(comparison.runs.begin(), comparison.runs.end(),
                       [&](const ComparedRun& run) { return run.price && (*run.price).*mark; });
  };
  if (any_price(&GpuPrice::few)) text += "  ?: of fewer than four offers, or of one provider\n";
  if (any_price(&GpuPrice::old)) text += "  *: the newest offer is more than 18 months old\n";
  if (comparison.grid) text += page_line("  g CO2: " + grid_text(*comparison.grid), width, "    ");
  if (!comparison.left_out.empty())
    text += fmt::format("\n  left out    {}\n", counted(gpus_of(comparison.left_out), "GPU"));
  for (const std::string& line : comparison.left_out) text += page_line("    " + line, width, "      ");
  return text;
}

}  // namespace rooftile
