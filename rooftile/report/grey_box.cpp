#include "rooftile/report/grey_box.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/regression/errors.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {
namespace {

using regression::FittedEquation;
using regression::FittedTerm;

constexpr double kPercent = 100;

std::string in_percent(std::optional<double> share) {
  return share ? fmt::format("{:.1f}", kPercent * *share) : std::string("-");
}

std::string terms_text(const FittedEquation& equation) {
  std::string text;
  for (const FittedTerm& term : equation.terms) {
    const std::string name = term.term.empty() ? "1" : term.term.front().column;
    text += fmt::format("{}{:.3g} {}", text.empty() ? "" : ", ", term.coefficient, name);
  }
  return text;
}

bool is_physics(const FittedEquation& equation) { return equation.name.starts_with("physics "); }

// The equations that give values, not those that these are made of.
bool is_value(const FittedEquation& equation) {
  return !is_physics(equation) && equation.target.multiplier.empty() && !equation.trees;
}

}  // namespace

std::string grey_box_report(const regression::FittedModel& model) {
  std::string text = fmt::format("Grey-box model of {} rows, method rooftile times a correction\n\n",
                                 grouped(static_cast<double>(model.fitted_on.rows)));
  TextTable values({{"value"},
                    {"rows", Align::right},
                    {"MAPE", Align::right},
                    {"GMAE", Align::right},
                    {"90 %", Align::right},
                    {"of", Align::left, 24},
                    {"mean of", Align::left, 80}});
  for (const FittedEquation& equation : model.equations) {
    if (!is_value(equation)) continue;
    const auto& interval = equation.interval;
    values.add({equation.name, grouped(static_cast<double>(equation.figures.rows)),
                in_percent(equation.figures.held_out_mape), in_percent(equation.figures.held_out_gmae),
                interval ? fmt::format("x {:.2f}", interval->factor) : "-", interval ? interval->made_by : "-",
                terms_text(equation)});
  }
  text += values.text();
  text +=
      "\n  MAPE, GMAE  in %, of rows that the parts had not seen: other shapes, or with other GPUs a GPU left out\n"
      "  90 %        interval: the prediction over and times this\n\n";
  TextTable physics({{"physics of", Align::left, 60}, {"rows", Align::right}, {"sum of", Align::left, 200}});
  for (const FittedEquation& equation : model.equations) {
    if (!is_physics(equation)) continue;
    physics.add({equation.name.substr(std::string_view("physics ").size()),
                 grouped(static_cast<double>(equation.figures.rows)), terms_text(equation)});
  }
  return text + physics.text();
}

std::string grey_box_errors_report(const GreyBoxRows& rows, const std::vector<regression::Predicted>& predicted) {
  struct Group {
    std::vector<double> measured, predicted;
    std::size_t inside = 0, intervals = 0, beyond = 0;
  };
  std::map<std::pair<std::string, std::string>, Group> groups;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const regression::Predicted& one = predicted[row];
    for (const auto& key : {std::pair(rows.parts[row], rows.gpus[row]), std::pair(std::string("all"), std::string())}) {
      Group& group = groups[key];
      group.measured.push_back(rows.seconds[row]);
      group.predicted.push_back(one.value);
      if (!one.warnings.empty()) ++group.beyond;
      if (!one.low || !one.high) continue;
      ++group.intervals;
      if (*one.low <= rows.seconds[row] && rows.seconds[row] <= *one.high) ++group.inside;
    }
  }
  TextTable table({{"of"},
                   {"gpu"},
                   {"rows", Align::right},
                   {"MAPE", Align::right},
                   {"median", Align::right},
                   {"GMAE", Align::right},
                   {"inside", Align::right},
                   {"beyond", Align::right}});
  for (const auto& [key, group] : groups) {
    const regression::Errors errors = regression::errors_of(group.measured, group.predicted);
    table.add({key.first, key.second, grouped(static_cast<double>(errors.rows)), in_percent(errors.mape),
               in_percent(errors.median), in_percent(errors.gmae),
               percent(static_cast<double>(group.inside), static_cast<double>(group.intervals)),
               grouped(static_cast<double>(group.beyond))});
  }
  return "Grey-box model against measured rows\n\n" + table.text() +
         "\n  MAPE, median, GMAE  in %; inside: share of rows within the 90 % interval; beyond: rows outside of the "
         "sizes "
         "of the fit\n";
}

std::string model_comparison_report(const ModelComparison& comparison) {
  std::string text = fmt::format("Models on {} rows, each fitted without those that it is judged on\n\n",
                                 grouped(static_cast<double>(comparison.rows)));
  TextTable table({{"split", Align::left, 30},
                   {"operation"},
                   {"model"},
                   {"rows", Align::right},
                   {"MAPE", Align::right},
                   {"median", Align::right},
                   {"GMAE", Align::right},
                   {"p90", Align::right},
                   {"inside", Align::right},
                   {"width", Align::right}});
  for (const ModelScore& score : comparison.scores) {
    const bool interval = score.width > 0;
    table.add({score.split, score.operation.empty() ? "all" : score.operation, std::string(name_of(score.model)),
               grouped(static_cast<double>(score.errors.rows)), in_percent(score.errors.mape),
               in_percent(score.errors.median), in_percent(score.errors.gmae), in_percent(score.errors.p90),
               interval ? in_percent(score.inside) : "", interval ? in_percent(score.width) : ""});
  }
  text += table.text();
  text +=
      "\n  all figures in %; GMAE is - where a prediction is not positive\n"
      "  inside      share of rows within the 90 % interval; width: its median width over the prediction\n"
      "  analytic    method rooftile as it is; per-layer: a line of operations for each GPU, operation and phase\n"
      "  end-to-end  ridge regression of products of sizes and peak; trees: boosted, without the analytic model\n";
  if (comparison.left_out > 0) {
    text += fmt::format("  {} are left out of the splits: no row of their operation and pass to fit to\n",
                        counted(comparison.left_out, "held-out row"));
  }
  if (!comparison.trees) text += "  trees are left out: XGBoost's library is not installed\n";
  return text;
}

}  // namespace rooftile
