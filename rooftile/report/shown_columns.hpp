// What the table and the page of a comparison show of each run.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "rooftile/report/comparison.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {

struct ShownColumn {
  TextTable::Column column;
  std::string figure;  // the column of the CSV that says the same, by which the page sorts
  std::function<std::string(const ComparedRun&)> cell;
};

// Those that the runs have something for; what is the same in all runs (model, precision) only if `all` are wanted.
std::vector<ShownColumn> shown_columns(const ComparisonReport& report, bool all);

}  // namespace rooftile
