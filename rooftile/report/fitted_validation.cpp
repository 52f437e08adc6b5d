#include "rooftile/report/fitted_validation.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/csv.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/units_text.hpp"
#include "rooftile/report/regression.hpp"
#include "rooftile/report/text.hpp"
#include "rooftile/report/validation.hpp"

namespace rooftile {
namespace {

constexpr double kMicro = 1e6;

// What a network's or any group's rows take together, measured and predicted.
std::string sums_table(const FittedValidation& result, std::size_t width) {
  TextTable table(
      {{result.validation.by.empty() ? "sums" : fmt::format("sums by {}", fmt::join(result.validation.by, ", ")),
        Align::left},
       {"measured", Align::right},
       {"predicted", Align::right},
       {"ratio", Align::right}});
  struct Sums {
    double measured = 0, predicted = 0;
  };
  std::map<std::vector<std::string>, Sums> of_groups;
  Sums all;
  for (const FittedComparison& one : result.rows) {
    for (Sums* sums : {&of_groups[one.row.key], &all}) {
      sums->measured += one.row.values.measured;
      sums->predicted += one.row.values.predicted;
    }
  }
  const auto add = [&](const std::string& name, const Sums& sums) {
    table.add({name, print(Seconds(sums.measured)), print(Seconds(sums.predicted)),
               fmt::format("{:.3f}", sums.predicted / sums.measured)});
  };
  if (!result.validation.by.empty()) {
    for (const ScoredGroup& group : result.validation.groups) {
      add(fmt::format("{}", fmt::join(group.key, ", ")), of_groups[group.key]);
    }
  }
  add("all", all);
  return table.text(width);
}

void add_unseen(std::vector<std::string>& notes, const UnseenRows& unseen, const char* what) {
  constexpr std::size_t kLongest = 120;
  if (unseen.rows == 0) return;
  notes.push_back(fmt::format("{} with {} not in the fit: {}", counted(unseen.rows, "row"), what,
                              one_line(fmt::format("{}", fmt::join(unseen.names, ", ")), kLongest)));
}

}  // namespace

std::size_t rows_beyond(const FittedValidation& result) {
  return static_cast<std::size_t>(
      std::count_if(result.rows.begin(), result.rows.end(), [](const FittedComparison& one) { return one.beyond; }));
}

std::vector<std::string> notes_of_beyond(const FittedValidation& result) {
  const std::size_t beyond = rows_beyond(result);
  if (beyond == 0) return {};
  std::vector<std::string> notes = {fmt::format("{} of {} lie outside the range of the fit",
                                                grouped(static_cast<double>(beyond)),
                                                counted(result.rows.size(), "row"))};
  add_unseen(notes, result.other_gpus, "GPUs");
  add_unseen(notes, result.other_precisions, "precisions");
  return notes;
}

std::string fitted_validation_table(const FittedValidation& result, std::size_t width) {
  std::string text = validation_table(result.validation, width) + "\n" + sums_table(result, width);
  const std::vector<std::string> notes = notes_of_beyond(result);
  if (!notes.empty()) text += fmt::format("\n  beyond  {}\n", fmt::join(notes, "\n          "));
  return text;
}

std::string fitted_validation_rows(const FittedValidation& result) {
  std::vector<std::string> header = {"place"};
  header.insert(header.end(), result.validation.by.begin(), result.validation.by.end());
  for (const char* name : {"measured_us", "predicted_us", "predicted_low_us", "predicted_high_us", "beyond"}) {
    header.emplace_back(name);
  }
  std::string text = write_csv_row(header);
  const auto micros = [](std::optional<double> seconds) {
    return seconds ? fmt::format("{}", kMicro * *seconds) : std::string();
  };
  for (const FittedComparison& one : result.rows) {
    std::vector<std::string> cells = {one.place};
    cells.insert(cells.end(), one.row.key.begin(), one.row.key.end());
    const Compared& values = one.row.values;
    for (const auto& value :
         {std::optional(values.measured), std::optional(values.predicted), values.low, values.high}) {
      cells.push_back(micros(value));
    }
    cells.emplace_back(one.beyond ? "yes" : "");
    text += write_csv_row(cells);
  }
  return text;
}

std::string fitted_validation_plot(const FittedValidation& result) {
  FittedPoints points;
  points.title = fmt::format("{} model, measured rows", result.validation.methods.front());
  for (const FittedComparison& one : result.rows) {
    points.measured.push_back(one.row.values.measured);
    points.fitted.push_back(one.row.values.predicted);
    if (!one.row.key.empty()) points.groups.push_back(fmt::format("{}", fmt::join(one.row.key, ", ")));
  }
  return actual_versus_fitted_plot(points);
}

}  // namespace rooftile
