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

bool has_flagged(const Validation& validation) {
  return std::any_of(validation.overall.begin(), validation.overall.end(),
                     [](const ScoredGroup& group) { return group.score.flagged > 0; });
}

// The columns that not every table needs.
struct ShownColumns {
  bool intervals = false;
  bool flagged = false;
};

std::vector<std::string> cells_of(const Validation& validation, const ScoredGroup& group, const ShownColumns& shown) {
  std::vector<std::string> cells = group.key;
  for (std::string& cell : cells) {
    if (cell.empty()) cell = "-";
  }
  cells.resize(validation.by.size());
  if (group.key.empty() && !cells.empty()) cells.front() = "all";
  const Score& score = group.score;
  const auto figure = [&](std::string text) { return score.rows == 0 ? "-" : std::move(text); };
  for (std::string cell :
       {group.method, grouped(static_cast<double>(score.rows)), figure(fmt::format("{:.3f}", score.ratio)),
        figure(share(score.gmae)), figure(share(score.mape)), figure(share(score.median)), figure(share(score.p90))}) {
    cells.push_back(std::move(cell));
  }
  if (shown.intervals) {
    cells.push_back(score.inside ? share(*score.inside) : "-");
    cells.push_back(score.width ? share(*score.width) : "-");
  }
  if (shown.flagged) {
    cells.push_back(grouped(static_cast<double>(score.flagged)));
    cells.push_back(score.gmae_with_flagged ? share(*score.gmae_with_flagged) : "-");
  }
  return cells;
}

std::string figures(const Validation& validation, std::size_t width) {
  const ShownColumns shown = {has_intervals(validation), has_flagged(validation)};
  std::vector<TextTable::Column> columns;
  for (const std::string& column : validation.by) columns.push_back({column, Align::left});
  columns.push_back({"method"});
  for (const char* name : {"rows", "ratio", "GMAE", "MAPE", "median", "p90"}) columns.push_back({name, Align::right});
  if (shown.intervals) {
    columns.push_back({"inside", Align::right});
    columns.push_back({"width", Align::right});
  }
  if (shown.flagged) {
    columns.push_back({"flagged", Align::right});
    columns.push_back({"with them", Align::right});
  }
  TextTable table(std::move(columns));
  if (!validation.by.empty()) {
    for (const ScoredGroup& group : validation.groups) table.add(cells_of(validation, group, shown));
  }
  for (const ScoredGroup& group : validation.overall) table.add(cells_of(validation, group, shown));
  return table.text(width);
}

std::string pairs_of(const Validation& validation, std::size_t width) {
  if (validation.pairs.empty()) return "";
  std::vector<TextTable::Column> columns;
  for (const std::string& column : validation.by) columns.push_back({column, Align::left});
  columns.push_back({"method"});
  for (const char* name : {"pairs", "ordered right", "ratio off by"}) columns.push_back({name, Align::right});
  TextTable table(std::move(columns));
  for (const GpuPairs& pairs : validation.pairs) {
    std::vector<std::string> cells = pairs.key;
    cells.resize(validation.by.size());
    if (pairs.key.empty() && !cells.empty()) cells.front() = "all";
    cells.insert(cells.end(), {pairs.method, grouped(static_cast<double>(pairs.pairs)), share(pairs.ordered),
                               share(pairs.ratio_error)});
    table.add(std::move(cells));
  }
  return fmt::format("\npairs of GPUs that ran the same work, more than {:.0f} % apart\n\n", kPairsApart * 100) +
         table.text(width);
}

std::string reasons(const char* heading, const std::vector<LeftOut>& rows, std::size_t width) {
  if (rows.empty()) return "";
  TextTable table({{heading, Align::right}, {"method"}, {"reason", Align::left}});
  for (const LeftOut& left : rows) {
    table.add({grouped(static_cast<double>(left.rows)), left.method.empty() ? "all" : left.method, left.reason});
  }
  return "\n" + table.text(width);
}

}  // namespace

std::string validation_table(const Validation& validation, std::size_t width) {
  std::string text = fmt::format("{}: predicted against measured\n\n", name_of(validation.quantity));
  text += figures(validation, width) + pairs_of(validation, width) + reasons("left out", validation.left_out, width) +
          reasons("no interval", validation.no_interval, width);
  std::string notes;
  if (!validation.where.empty()) notes += fmt::format("  where   {}\n", one_line(validation.where));
  if (!validation.ignored.empty()) notes += fmt::format("  hidden  {}\n", fmt::join(validation.ignored, ", "));
  if (!notes.empty()) text += "\n" + notes;
  return text;
}

}  // namespace rooftile
