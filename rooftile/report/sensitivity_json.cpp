// What each resource of a GPU is worth to a network, as JSON and CSV.
#include <cstddef>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

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

// A cell that may hold a comma or a quote.
std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + "\"";
}

std::string slope_cells(const Slope& slope) {
  return slope.step ? fmt::format(",{:.6g}", slope.jump) : fmt::format("{:.6f},", slope.elasticity);
}

}  // namespace

std::string sensitivity_json(const Sensitivity& study) {
  const Prediction& prediction = study.prediction;
  Json json = {{"schema", "rooftile/sensitivity/1"},
               {"model", prediction.model},
               {"gpu", prediction.gpu},
               {"batch_size", prediction.batch_size},
               {"precision", name_of(prediction.precision)},
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
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string sensitivity_csv(const Sensitivity& study) {
  std::string text =
      "layer,op,pass,time_s,bottleneck,resource,value,less_elasticity,less_jump,more_elasticity,more_jump,"
      "unlimited_time_ratio,half_of_gain_at,gain_stops_at,next_limit\n";
  auto out = std::back_inserter(text);
  for (const ResourceSensitivity& row : study.resources) {
    fmt::format_to(out, ",,{},{:.9g},,{},{:.9g},{},{},{:.6g},{:.6g},{:.6g},{}\n", study.prediction.pass,
                   study.prediction.time.value(), row.resource->name, row.value, slope_cells(row.less),
                   slope_cells(row.more), row.unlimited, row.half_at, row.stops_at, name_of(row.next));
  }
  for (std::size_t i = 0; i < study.prediction.layers.size(); ++i) {
    const LayerEstimate& layer = study.prediction.layers[i];
    for (const ResourceSensitivity& row : study.resources) {
      fmt::format_to(out, "{},{},{},{:.9g},{},{},{:.9g},{},{},,,,\n", quoted(layer.name), layer.op, name_of(layer.pass),
                     layer.time.value(), name_of(layer.bottleneck), row.resource->name, row.value,
                     slope_cells(row.layers_less[i]), slope_cells(row.layers_more[i]));
    }
  }
  return text;
}

}  // namespace rooftile
