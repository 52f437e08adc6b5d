#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "rooftile/base/quantile.hpp"
#include "rooftile/report/text.hpp"
#include "rooftile/report/validation.hpp"

namespace rooftile {
namespace {

std::string share_of(std::size_t part, std::size_t whole) {
  return percent(static_cast<double>(part), static_cast<double>(whole));
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

std::string choice_table(const std::vector<ChoiceGroup>& groups, const std::vector<std::string>& by,
                         std::size_t width) {
  constexpr double kTail = 0.9;
  constexpr std::size_t kLegend = 19;  // of the names below the table, with two spaces on either side
  std::vector<TextTable::Column> columns;
  for (const std::string& column : by) columns.push_back({column});
  if (by.empty()) columns.push_back({""});
  for (const char* name : {"rows", "algorithm", "of", "tile", "of", "regret", "p90"}) {
    columns.push_back({name, Align::right});
  }
  TextTable table(std::move(columns));
  for (const ChoiceGroup& group : groups) {
    std::vector<std::string> cells = group.key;
    cells.resize(std::max<std::size_t>(1, by.size()));
    if (group.key.empty()) cells.front() = "all";
    const ChoiceScore& score = group.score;
    const auto count = [](std::size_t rows) { return grouped(static_cast<double>(rows)); };
    cells.push_back(count(score.rows));
    cells.push_back(share_of(score.algorithm_right, score.algorithm_rows));
    cells.push_back(count(score.algorithm_rows));
    cells.push_back(share_of(score.tile_right, score.tile_rows));
    cells.push_back(count(score.tile_rows));
    cells.push_back(percent(mean(score.regret), 1));
    cells.push_back(percent(quantile(score.regret, kTail), 1));
    table.add(std::move(cells));
  }
  const std::string indent(kLegend, ' ');
  const auto legend = [&](std::string_view names, const std::string& text) {
    return fmt::format("  {:<{}}{}\n", names, kLegend - 2, wrapped(text, width - kLegend, indent));
  };
  return "The plan chosen without a hint against the kernel that ran\n\n" + table.text(width) + "\n" +
         legend("algorithm, tile",
                "share of rows where the choice was the one that ran (tiles where the algorithm was)") +
         legend("regret", "predicted time of what ran over that of what was chosen, less 1: mean and 90th percentile");
}

}  // namespace rooftile
