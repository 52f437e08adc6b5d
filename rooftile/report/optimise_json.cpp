// The best designs of a space, as JSON and CSV.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "rooftile/base/csv.hpp"
#include "rooftile/report/json_text.hpp"
#include "rooftile/report/optimise.hpp"

namespace rooftile {
namespace {

using Json = nlohmann::ordered_json;

// "time_s": names of metrics with their units, parameters as they are.
std::string key_of(Metric metric) {
  std::string name(name_of(metric));
  switch (metric) {
    case Metric::time:
      return name + "_s";
    case Metric::area:
      return name + "_mm2";
    case Metric::power:
      return name + "_w";
    case Metric::manufacturing_cost:
      return name + "_usd";
    case Metric::energy:
      return name + "_j";
    default:
      return name;
  }
}

Json metrics_json(const OptimumReport& report, const MeasuredDesign& design) {
  Json json = Json::object();
  for (const Metric metric : outcome_metrics(report)) json[key_of(metric)] = at(design.metrics, metric);
  return json;
}

Json slack_json(const OptimumReport& report, const std::vector<double>& excess) {
  Json json = Json::array();
  for (std::size_t i = 0; i < excess.size(); ++i) {
    if (!report.optimum.has_slack[i]) {
      json.push_back(excess[i] <= 0);
    } else if (std::isfinite(excess[i])) {
      json.push_back(-excess[i] + 0.0);
    } else {
      json.push_back(nullptr);
    }
  }
  return json;
}

// A design: its axes, its metrics, what limits it.
Json design_json(const OptimumReport& report, const MeasuredDesign& design) {
  Json axes = Json::object(), shares = Json::object();
  for (const DesignAxis& axis : report.space.axes) {
    axes[std::string(name_of(axis.parameter))] = at(design.point, axis.parameter);
  }
  Json json = {{"axes", std::move(axes)}};
  if (design.unfit != Unfit::none) {
    json["unfit"] = reason_of(design.unfit);
    return json;
  }
  for (std::size_t b = 0; b < kBottlenecks; ++b) {
    shares[std::string(name_of(static_cast<Bottleneck>(b)))] = design.shares[b];
  }
  json["metrics"] = metrics_json(report, design);
  json["limited_by_s"] = std::move(shares);
  return json;
}

Json chosen_json(const OptimumReport& report, const ChosenDesign& chosen) {
  Json json = design_json(report, chosen.design);
  json["slack"] = slack_json(report, chosen.excess);
  return json;
}

Json step_json(const OptimumReport& report, Parameter parameter, const std::optional<StepAnswer>& step) {
  if (!step) return nullptr;
  const MeasuredDesign& design = step->design.design;
  Json json = {{"value", at(design.point, parameter)}};
  if (design.unfit != Unfit::none) {
    json["unfit"] = reason_of(design.unfit);
    return json;
  }
  json["metrics"] = metrics_json(report, design);
  json["breaks"] = Json::array();
  for (const std::size_t limit : step->broken) json["breaks"].push_back(report.optimum.constraints[limit]);
  return json;
}

Json workloads_json(const DesignSpace& space) {
  Json json = Json::array();
  for (const WorkloadChoice& choice : space.workloads) {
    json.push_back({{"model", choice.model},
                    {"batch_size", choice.batch_size ? Json(*choice.batch_size) : Json(nullptr)},
                    {"weight", choice.weight},
                    {"layers", choice.convolutions_only ? "convolutions" : "all"},
                    {"pass", name_of_pass(choice.phase)}});
  }
  return json;
}

}  // namespace

std::string optimum_json(const OptimumReport& report) {
  const Optimum& optimum = report.optimum;
  Json json = {{"schema", "rooftile/optimum/1"},
               {"gpu", report.space.base.id},
               {"workloads", workloads_json(report.space)},
               {"method", report.method},
               {"objectives", Json::array()},
               {"seed", report.seed},
               {"designs_in_space",
                std::isfinite(optimum.size) ? Json(static_cast<std::uint64_t>(optimum.size)) : Json(nullptr)},
               {"designs_tried", optimum.trials},
               {"designs_tried_to_explain", optimum.more_trials},
               {"exact", optimum.exact},
               {"stopped", optimum.stopped},
               {"notes", report.notes},
               {"base", design_json(report, optimum.base)},
               {"designs", Json::array()},
               {"constraints", Json::array()},
               {"axes", Json::array()}};
  for (const Metric metric : optimum.objectives) json["objectives"].push_back(key_of(metric));
  for (const ChosenDesign& chosen : optimum.designs) json["designs"].push_back(chosen_json(report, chosen));
  for (std::size_t i = 0; i < optimum.constraints.size(); ++i) {
    Json constraint = {{"expression", optimum.constraints[i]}};
    if (!optimum.limits.empty()) {
      const LimitAnswer& limit = optimum.limits[i];
      constraint["binds"] = limit.binds;
      if (optimum.has_slack[i]) {
        constraint["objective_1_percent_looser"] = limit.looser_1;
        constraint["objective_10_percent_looser"] = limit.looser_10;
      }
      constraint["objective_without"] = limit.without;
    }
    json["constraints"].push_back(std::move(constraint));
  }
  for (std::size_t a = 0; a < optimum.axes.size(); ++a) {
    const Parameter parameter = report.space.axes[a].parameter;
    const AxisAnswer& axis = optimum.axes[a];
    Json answer = {{"name", name_of(parameter)},
                   {"less", step_json(report, parameter, axis.less)},
                   {"more", step_json(report, parameter, axis.more)},
                   {"beyond", nullptr}};
    if (axis.beyond) answer["beyond"] = {{"value", *axis.beyond_value}, {"objective", *axis.beyond}};
    json["axes"].push_back(std::move(answer));
  }
  return json_text(json);
}

std::string optimum_csv(const OptimumReport& report) {
  const Optimum& optimum = report.optimum;
  std::vector<std::string> names = {"rank"};
  for (const DesignAxis& axis : report.space.axes) names.emplace_back(name_of(axis.parameter));
  for (const Metric metric : outcome_metrics(report)) names.push_back(key_of(metric));
  for (const char* name : {"speedup", "bottleneck"}) names.emplace_back(name);
  for (const std::string& constraint : optimum.constraints) names.push_back("slack of " + constraint);
  std::string text = write_csv_row(names);
  const double base = optimum.base.unfit == Unfit::none ? at(optimum.base.metrics, Metric::time) : 0;
  for (std::size_t i = 0; i < optimum.designs.size(); ++i) {
    const MeasuredDesign& design = optimum.designs[i].design;
    std::vector<std::string> cells = {fmt::format("{}", i + 1)};
    for (const DesignAxis& axis : report.space.axes) {
      cells.push_back(fmt::format("{}", at(design.point, axis.parameter)));
    }
    for (const Metric metric : outcome_metrics(report)) cells.push_back(fmt::format("{}", at(design.metrics, metric)));
    cells.push_back(base > 0 ? fmt::format("{:.6g}", base / at(design.metrics, Metric::time)) : "");
    const auto most = std::max_element(design.shares.begin(), design.shares.end());
    cells.emplace_back(name_of(static_cast<Bottleneck>(most - design.shares.begin())));
    for (const double excess : optimum.designs[i].excess) cells.push_back(fmt::format("{:.6g}", -excess + 0.0));
    text += write_csv_row(cells);
  }
  return text;
}

}  // namespace rooftile
