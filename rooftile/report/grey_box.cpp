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

constexpr double kAsPercent = 100;

std::string in_percent(std::optional<double> share) {
  return share ? fmt::format("{:.1f}", kAsPercent * *share) : std::string("-");
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

std::string grey_box_report(const regression::FittedModel& model, std::size_t width) {
  std::string text = fmt::format("Grey-box model of {} rows, method rooftile times a correction\n\n",
                                 grouped(static_cast<double>(model.fitted_on.rows)));
  TextTable values({{"value"},
                    {"rows", Align::right},
                    {"MAPE", Align::right},
                    {"GMAE", Align::right},
                    {"90 %", Align::right},
                    {"of", Align::left},
                    {"mean of", Align::left, Cut::wraps}});
  for (const FittedEquation& equation : model.equations) {
    if (!is_value(equation)) continue;
    const auto& interval = equation.interval;
    values.add({equation.name, grouped(static_cast<double>(equation.figures.rows)),
                in_percent(equation.figures.held_out_mape), in_percent(equation.figures.held_out_gmae),
                interval ? fmt::format("x {:.2f}", interval->factor) : "-", interval ? interval->made_by : "-",
                terms_text(equation)});
  }
  text += values.text(width);
  text += "\n" + page_line("  MAPE, GMAE  in %, on unseen rows: other shapes, or for 'other GPUs' a left-out GPU",
                           width, "              ");
  text += "  90 %        interval: the prediction over and times this\n\n";
  TextTable physics({{"physics of", Align::left}, {"rows", Align::right}, {"sum of", Align::left, Cut::wraps}});
  for (const FittedEquation& equation : model.equations) {
    if (!is_physics(equation)) continue;
    physics.add({equation.name.substr(std::string_view("physics ").size()),
                 grouped(static_cast<double>(equation.figures.rows)), terms_text(equation)});
  }
  return text + physics.text(width);
}

FittedPoints fitted_points(const GreyBoxRows& rows, const std::vector<regression::Predicted>& predicted) {
  FittedPoints points;
  points.title = "Grey box on the rows of its fit";
  points.measured = rows.seconds;
  points.groups = rows.parts;
  for (const regression::Predicted& one : predicted) points.fitted.push_back(one.value);
  return points;
}

std::string model_comparison_report(const ModelComparison& comparison, std::size_t width) {
  std::string text = fmt::format("Models on {} rows, each tested on rows left out of its fit\n\n",
                                 grouped(static_cast<double>(comparison.rows)));
  TextTable table({{"split", Align::left},
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
  text += table.text(width);
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
