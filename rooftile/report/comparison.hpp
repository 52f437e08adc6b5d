// A comparison of GPUs: table, JSON, CSV, charts, page (docs/compare.md).
#pragma once

#include <string>
#include <vector>

#include "rooftile/compare/compare.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {

struct ComparisonReport {
  Comparison comparison;
  std::vector<std::string> answers = {};  // to a question, sentences
  bool boards = false;                    // the table has what a board costs, and when it has paid for itself
};

// The columns of the CSV, which --sort and --where name, and their cells of a run; an empty cell is not known.
std::vector<std::string> comparison_columns();
std::string comparison_cell(const ComparedRun& run, const std::string& name);
// Whether more of it is better, so that the most comes first.
bool most_is_best(const std::string& column);

std::string comparison_table(const ComparisonReport& report, std::size_t width = kAnyWidth);
// "rooftile/comparison/1".
std::string comparison_json(const ComparisonReport& report);
std::string comparison_csv(const ComparisonReport& report);

// "at 56 g of CO2 per kWh of france in 2023 (Ember, via Our World in Data)".
std::string grid_text(const Grid& grid);

// Time against cost with the front, throughput as bars, throughput against batch size.
enum class ComparisonChart { scatter, bars, batches };
std::string comparison_chart(const Comparison& comparison, ComparisonChart chart);
// Batches where there are several, else a scatter where two prices are known, else bars.
ComparisonChart fitting_chart(const Comparison& comparison);
// Why a chart would be empty; empty where it is not.
std::string nothing_to_draw(const Comparison& comparison, ComparisonChart chart);

// All charts that there is something for, and the table.
std::string comparison_page(const ComparisonReport& report);

}  // namespace rooftile
