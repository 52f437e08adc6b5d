#include <algorithm>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/report/text.hpp"
#include "rooftile/report/validation.hpp"

namespace rooftile {
namespace {

std::string share(double fraction) { return percent(fraction, 1); }

bool has_intervals(const Validation& validation) {
  return std::any_of(validation.overall.begin(), validation.overall.end(),
                     [](const ScoredGroup& group) { return group.score.inside.has_value(); });
}

std::vector<std::string> cells_of(const Validation& validation, const ScoredGroup& group, bool intervals) {
  std::vector<std::string> cells = group.key;
  for (std::string& cell : cells) {
    if (cell.empty()) cell = "-";
  }
  cells.resize(validation.by.size());
  if (group.key.empty() && !cells.empty()) cells.front() = "all";
  const Score& score = group.score;
  for (std::string cell : {group.method, grouped(static_cast<double>(score.rows)), fmt::format("{:.3f}", score.ratio),
                           share(score.gmae), share(score.mape), share(score.median), share(score.p90)}) {
    cells.push_back(std::move(cell));
  }
  if (intervals) {
    cells.push_back(score.inside ? share(*score.inside) : "-");
    cells.push_back(score.width ? share(*score.width) : "-");
  }
  return cells;
}

std::string figures(const Validation& validation, std::size_t width) {
  const bool intervals = has_intervals(validation);
  std::vector<TextTable::Column> columns;
  for (const std::string& column : validation.by) columns.push_back({column, Align::left});
  columns.push_back({"method"});
  for (const char* name : {"rows", "ratio", "GMAE", "MAPE", "median", "p90"}) columns.push_back({name, Align::right});
  if (intervals) {
    columns.push_back({"inside", Align::right});
    columns.push_back({"width", Align::right});
  }
  TextTable table(std::move(columns));
  if (!validation.by.empty()) {
    for (const ScoredGroup& group : validation.groups) table.add(cells_of(validation, group, intervals));
  }
  for (const ScoredGroup& group : validation.overall) table.add(cells_of(validation, group, intervals));
  return table.text(width);
}

std::string left_out(const Validation& validation, std::size_t width) {
  if (validation.left_out.empty()) return "";
  TextTable table({{"left out", Align::right}, {"method"}, {"reason", Align::left}});
  for (const LeftOut& left : validation.left_out) {
    table.add({grouped(static_cast<double>(left.rows)), left.method.empty() ? "all" : left.method, left.reason});
  }
  return "\n" + table.text(width);
}

}  // namespace

std::string validation_table(const Validation& validation, std::size_t width) {
  std::string text = fmt::format("{}: predicted against measured\n\n", name_of(validation.quantity));
  text += figures(validation, width) + left_out(validation, width);
  std::string notes;
  if (!validation.where.empty()) notes += fmt::format("  where   {}\n", one_line(validation.where));
  if (!validation.ignored.empty()) notes += fmt::format("  hidden  {}\n", fmt::join(validation.ignored, ", "));
  if (!notes.empty()) text += "\n" + notes;
  return text;
}

}  // namespace rooftile
