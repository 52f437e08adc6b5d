// Explored designs and the study of Table 16a, as JSON.
#include <string>

#include <nlohmann/json.hpp>

#include "rooftile/report/explore.hpp"
#include "rooftile/report/json_text.hpp"
#include "rooftile/report/scaled_resources.hpp"

namespace rooftile {
namespace {

using Json = nlohmann::ordered_json;

Json limits_json(const std::array<double, kBottlenecks>& amounts) {
  Json json = Json::object();
  for (std::size_t b = 0; b < kBottlenecks; ++b) {
    if (amounts[b] > 0) json[std::string(name_of(static_cast<Bottleneck>(b)))] = amounts[b];
  }
  return json;
}

void add_costs(Json& json, const std::array<double, kCosts>& costs) {
  for (const Cost cost : kAllCosts) json[column_name(cost)] = costs[static_cast<std::size_t>(cost)];
}

Json designs_json(const ExploreReport& report, std::span<const RankedDesign> designs) {
  Json json = Json::array();
  for (const RankedDesign& design : designs) {
    Json one = {{"index", design.index}, {"axes", Json::object()}, {"time_s", design.time}};
    for (const DesignAxis& axis : report.space.axes) {
      one["axes"][std::string(name_of(axis.parameter))] = at(design.point, axis.parameter);
    }
    if (report.base_time > 0) one["speedup"] = report.base_time / design.time;
    one["limited_by_s"] = limits_json(design.shares);
    if (report.base_costs) add_costs(one, design.costs);
    json.push_back(std::move(one));
  }
  return json;
}

}  // namespace

std::string explore_json(const ExploreReport& report) {
  const ExploreResults& results = report.results;
  Json unfit = Json::object();
  for (std::size_t u = 1; u < kUnfits; ++u) {
    if (results.unfit[u] > 0) unfit[std::string(name_of(static_cast<Unfit>(u)))] = results.unfit[u];
  }
  Json json = {{"schema", "rooftile/exploration/1"},
               {"gpu", report.space.base.id},
               {"method", report.method},
               {"designs", report.space.size()},
               {"done", results.designs},
               {"left_out", std::move(unfit)},
               {"notes", report.notes}};
  json["base_time_s"] = report.base_time > 0 ? Json(report.base_time) : Json(nullptr);
  json["best"] = designs_json(report, results.best.designs());
  if (!results.pareto.metrics().empty()) json["pareto"] = designs_json(report, results.pareto.designs());
  return json_text(json, 2);
}

std::string scaling_json(std::string_view what, std::span<const ScalingRow> rows) {
  Json options = Json::array();
  for (const ScalingRow& row : rows) {
    Json one = {{"option", std::string(row.option.name)}, {"multiples", Json::object()}};
    for (const ScaledResource& resource : kScaledResources) {
      one["multiples"][std::string(resource.column)] = row.option.*resource.multiple;
    }
    if (row.unfit == Unfit::none) {
      one["time_s"] = row.time;
      one["speedup"] = row.speedup;
      one["limited_by_s"] = limits_json(row.shares);
      one["layers_limited_by"] = limits_json(row.layers);
    } else {
      one["unfit"] = std::string(name_of(row.unfit));
    }
    options.push_back(std::move(one));
  }
  const Json json = {{"schema", "rooftile/scaling/1"}, {"what", std::string(what)}, {"options", std::move(options)}};
  return json_text(json, 2);
}

}  // namespace rooftile
