// What each resource of a GPU is worth to a network, as JSON and CSV.
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "rooftile/base/csv.hpp"
#include "rooftile/report/json_text.hpp"
#include "rooftile/report/sensitivity.hpp"

namespace rooftile {
namespace {

using Json = nlohmann::ordered_json;

// A number, or null and the jump.
Json slope_json(const Slope& slope) {
  if (slope.step) return {{"elasticity", nullptr}, {"jump", slope.jump}};
  return {{"elasticity", slope.elasticity}};
}

// Factors are found to about seven digits.
double six_digits(double factor) { return std::stod(fmt::format("{:.6g}", factor)); }

// Elasticity and jump.
void add_cells(std::vector<std::string>& cells, const Slope& slope) {
  cells.push_back(slope.step ? "" : fmt::format("{:.6f}", slope.elasticity));
  cells.push_back(slope.step ? fmt::format("{:.6g}", slope.jump) : "");
}

Json json_of(const Sensitivity& study) {
  const Prediction& prediction = study.prediction;
  Json json = {{"schema", "rooftile/sensitivity/1"},
               {"model", prediction.model},
               {"gpu", prediction.gpu},
               {"batch_size", prediction.batch_size},
               {"precision", prediction.precision_name()},
               {"pass", prediction.pass},
               {"method", prediction.method},
               {"time_s", prediction.time.value()},
               {"resources", Json::array()},
               {"layers", Json::array()}};
  for (const ResourceSensitivity& row : study.resources) {
    json["resources"].push_back({{"name", row.resource->name},
                                 {"value", row.value},
                                 {"less_is_better", row.resource->less_is_better},
                                 {"less", slope_json(row.less)},
                                 {"more", slope_json(row.more)},
                                 {"unlimited_time_ratio", row.unlimited},
                                 {"half_of_gain_at", six_digits(row.half_at)},
                                 {"gain_stops_at", six_digits(row.stops_at)},
                                 {"next_limit", name_of(row.next)}});
  }
  for (std::size_t i = 0; i < prediction.layers.size(); ++i) {
    const LayerEstimate& layer = prediction.layers[i];
    Json resources = Json::object();
    for (const ResourceSensitivity& row : study.resources) {
      resources[std::string(row.resource->name)] = {{"less", slope_json(row.layers_less[i])},
                                                    {"more", slope_json(row.layers_more[i])}};
    }
    json["layers"].push_back({{"name", layer.name},
                              {"op", layer.op},
                              {"pass", name_of(layer.pass)},
                              {"time_s", layer.time.value()},
                              {"bottleneck", name_of(layer.bottleneck)},
                              {"resources", std::move(resources)}});
  }
  return json;
}

// One row a resource of the network, then one a resource and layer.
void add_rows(std::string& text, const Sensitivity& study) {
  const Prediction& prediction = study.prediction;
  for (const ResourceSensitivity& row : study.resources) {
    std::vector<std::string> cells = {prediction.gpu,
                                      "",
                                      "",
                                      prediction.pass,
                                      fmt::format("{:.9g}", prediction.time.value()),
                                      "",
                                      std::string(row.resource->name),
                                      fmt::format("{:.9g}", row.value)};
    add_cells(cells, row.less);
    add_cells(cells, row.more);
    for (const double factor : {row.unlimited, row.half_at, row.stops_at})
      cells.push_back(fmt::format("{:.6g}", factor));
    cells.emplace_back(name_of(row.next));
    text += write_csv_row(cells);
  }
  for (std::size_t i = 0; i < prediction.layers.size(); ++i) {
    const LayerEstimate& layer = prediction.layers[i];
    for (const ResourceSensitivity& row : study.resources) {
      std::vector<std::string> cells = {prediction.gpu,
                                        layer.name,
                                        layer.op,
                                        std::string(name_of(layer.pass)),
                                        fmt::format("{:.9g}", layer.time.value()),
                                        std::string(name_of(layer.bottleneck)),
                                        std::string(row.resource->name),
                                        fmt::format("{:.9g}", row.value)};
      add_cells(cells, row.layers_less[i]);
      add_cells(cells, row.layers_more[i]);
      cells.insert(cells.end(), 4, "");
      text += write_csv_row(cells);
    }
  }
}

}  // namespace

std::string sensitivity_json(std::span<const Sensitivity> studies) {
  Json json = Json::array();
  for (const Sensitivity& study : studies) json.push_back(json_of(study));
  return json_list_text(json);
}

std::string sensitivity_csv(std::span<const Sensitivity> studies) {
  std::string text =
      "gpu,layer,op,pass,time_s,bottleneck,resource,value,less_elasticity,less_jump,more_elasticity,more_jump,"
      "unlimited_time_ratio,half_of_gain_at,gain_stops_at,next_limit\n";
  for (const Sensitivity& study : studies) add_rows(text, study);
  return text;
}

}  // namespace rooftile
