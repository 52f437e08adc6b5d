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

// Throughput against batch size where there are several; else time against cost with the front where prices are known;
// else throughput as bars.
std::string comparison_svg(const ComparisonReport& report);
std::string comparison_scatter(const Comparison& comparison);
std::string comparison_bars(const Comparison& comparison);
std::string comparison_batches(const Comparison& comparison);

// All charts that there is something for, and the table.
std::string comparison_page(const ComparisonReport& report);

}  // namespace rooftile
