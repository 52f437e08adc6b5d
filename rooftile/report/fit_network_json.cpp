#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "rooftile/report/fit_network.hpp"
#include "rooftile/report/json_text.hpp"

namespace rooftile {
namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json errors_json(const regression::Errors& errors) {
  return {{"rows", errors.rows},
          {"mape", errors.mape},
          {"median", errors.median},
          {"p90", errors.p90},
          {"gmae", number_or_null(errors.gmae)},
          {"inside", number_or_null(errors.inside)}};
}

Json equation_json(const regression::FittedEquation& equation) {
  Json json = {{"technique", regression::name_of(equation.technique)},
               {"multiplier", equation.target.multiplier.empty() ? Json(nullptr) : Json(equation.target.multiplier)},
               {"log", equation.target.log},
               {"terms", Json::array()}};
  for (const regression::FittedTerm& term : equation.terms) {
    Json one = {{"term", regression::text_of(term.term)}};
    if (!equation.trees) one["coefficient"] = term.coefficient;
    if (term.standard_error) one["standard_error"] = *term.standard_error;
    if (term.vif) one["vif"] = *term.vif;
    json["terms"].push_back(std::move(one));
  }
  const regression::FitFigures& figures = equation.figures;
  json["r2"] = number_or_null(figures.r2);
  json["condition_number"] = number_or_null(figures.condition_number);
  json["held_out_mape"] = number_or_null(figures.held_out_mape);
  json["interval_factor"] = equation.interval ? Json(equation.interval->factor) : Json(nullptr);
  return json;
}

Json verdict_json(const NetworkVerdict& verdict) {
  Json json = {{"way", verdict.way},
               {"training", errors_json(verdict.training)},
               {"held_out", errors_json(verdict.validation)},
               {"equation", equation_json(verdict.fit.equation)},
               {"warnings", Json::array()}};
  for (const auto* warnings : {&verdict.fit.warnings, &verdict.beyond}) {
    for (const regression::FitWarning& warning : *warnings) json["warnings"].push_back(warning.text());
  }
  return json;
}

Json group_json(const NetworkFit& fit, const NetworkGroup& group) {
  Json json = {{"key", Json::object()}, {"fitted", group.training}, {"held_out", group.validation}};
  for (std::size_t i = 0; i < group.key.size(); ++i) json["key"][fit.by[i]] = group.key[i];
  json["ways"] = Json::array();
  for (const NetworkVerdict& verdict : group.verdicts) json["ways"].push_back(verdict_json(verdict));
  json["left_out"] = Json::array();
  for (const Error& error : group.left_out) {
    json["left_out"].push_back({{"way", error.where}, {"reason", error.message}});
  }
  return json;
}

// What a point's colour stands for: of many groups the first column, as more colours than a few tell nothing.
std::string colour_of(const NetworkFit& fit, const NetworkGroup& group, const NetworkVerdict& verdict) {
  constexpr std::size_t kFew = 5;
  if (fit.totals.size() > 1) return verdict.way;
  if (fit.groups.size() > kFew && !group.key.empty()) return group.key.front();
  return fmt::format("{}", fmt::join(group.key, ", "));
}

}  // namespace

std::string network_fit_json(const NetworkFit& fit, const RunRows& rows) {
  Json json = {{"schema", "rooftile/network-fit/1"},
               {"tables", rows.sources},
               {"rows", rows.rows.size()},
               {"repeated", rows.duplicates},
               {"flagged", rows.flagged},
               {"without_time", rows.unmeasured},
               {"split", fit.split},
               {"by", fit.by},
               {"groups_without_split", fit.groups_without_split},
               {"groups", Json::array()},
               {"overall", Json::array()}};
  for (const NetworkGroup& group : fit.groups) json["groups"].push_back(group_json(fit, group));
  for (const NetworkTotal& total : fit.totals) {
    json["overall"].push_back({{"way", total.way},
                               {"groups", total.groups},
                               {"fitted", total.training},
                               {"held_out", errors_json(total.validation)}});
  }
  return json_text(json);
}

FittedPoints fitted_points(const NetworkFit& fit) {
  FittedPoints points;
  points.title = fit.split;
  for (const NetworkGroup& group : fit.groups) {
    for (const NetworkVerdict& verdict : group.verdicts) {
      points.measured.insert(points.measured.end(), verdict.measured.begin(), verdict.measured.end());
      points.fitted.insert(points.fitted.end(), verdict.predicted.begin(), verdict.predicted.end());
      points.groups.insert(points.groups.end(), verdict.measured.size(), colour_of(fit, group, verdict));
    }
  }
  return points;
}

}  // namespace rooftile
