#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "rooftile/base/csv.hpp"
#include "rooftile/report/json_text.hpp"
#include "rooftile/report/simulation.hpp"

namespace rooftile {
namespace {

using Json = nlohmann::ordered_json;

// Whole bytes; beyond 2^53 the number as it is.
Json whole(double value) {
  constexpr double kExact = 9007199254740992.0;
  if (std::abs(value) < kExact) return static_cast<std::int64_t>(std::llround(value));
  return value;
}

Json bytes_json(const LevelBytes& bytes) {
  return {{"l1", whole(bytes.l1)},     {"l1_requests", whole(bytes.l1_lines)}, {"l2", whole(bytes.l2)},
          {"dram", whole(bytes.dram)}, {"store_l2", whole(bytes.store_l2)},    {"store_dram", whole(bytes.store_dram)}};
}

Json traffic_json(const Traffic& traffic) {
  return {{"l1", whole(traffic.l1.value())},
          {"l2", whole(traffic.l2.value())},
          {"dram", whole(traffic.dram.value())},
          {"store_dram", whole(traffic.store_dram.value())}};
}

Json layer_json(const SimulationReport& report, const SimulatedLayer& layer) {
  const Simulation& simulation = layer.simulation;
  const Tile& tile = layer.plan.kernel.tile;
  const auto rate = [](double part, double all) { return all > 0 ? Json(part / all) : Json(nullptr); };
  Json json = {{"name", layer.name},
               {"set", layer.set},
               {"count", whole(layer.layers * layer.kernels)},
               {"gemm",
                {{"m", whole(layer.gemm.m)},
                 {"n", whole(layer.gemm.n)},
                 {"k", whole(layer.gemm.k)},
                 {"groups", whole(layer.gemm.groups)}}},
               {"tile", fmt::format("{}x{}x{}", tile.m, tile.n, tile.k)},
               {"ctas", whole(layer.plan.ctas)},
               {"active_ctas_per_sm", whole(layer.plan.active_ctas_per_sm)},
               {"l1_capacity", whole(simulation.l1_capacity.value())},
               {"bytes", bytes_json(simulation.bytes)},
               {"compulsory_bytes", whole(simulation.compulsory.value())},
               {"l1_miss_rate", rate(simulation.bytes.l2, simulation.bytes.l1)},
               {"l2_miss_rate", rate(simulation.bytes.dram, simulation.bytes.l2)},
               {"replayed_share", simulation.replayed_share},
               {"standard_error", bytes_json(simulation.standard_error)}};
  for (std::size_t i = 0; i < report.methods.size(); ++i) {
    json[report.methods[i]] = traffic_json(layer.closed_forms[i]);
  }
  return json;
}

Json settings_json(const SimulationReport& report) {
  return {{"gpu", report.gpu},
          {"start", name_of(report.options.start)},
          {"replacement", name_of(report.options.policy)},
          {"l1_enabled", report.options.l1},
          {"element_bytes", whole(report.options.element.value())}};
}

// Names with dots for what is nested, and their values.
void flatten(const Json& json, const std::string& prefix, std::vector<std::string>& names,
             std::vector<std::string>& cells) {
  for (const auto& [key, value] : json.items()) {
    const std::string name = prefix.empty() ? key : fmt::format("{}.{}", prefix, key);
    if (value.is_object()) {
      flatten(value, name, names, cells);
      continue;
    }
    names.push_back(name);
    cells.push_back(value.is_string() ? value.get<std::string>() : (value.is_null() ? "" : value.dump()));
  }
}

}  // namespace

std::string simulation_json(const SimulationReport& report) {
  Json json = {{"schema", "rooftile/simulation/1"}};
  json.update(settings_json(report));
  json["layers"] = Json::array();
  for (const SimulatedLayer& layer : report.layers) json["layers"].push_back(layer_json(report, layer));
  return json_text(json);
}

std::string simulation_csv(const SimulationReport& report) {
  std::string text;
  for (const SimulatedLayer& layer : report.layers) {
    Json json = settings_json(report);
    json.update(layer_json(report, layer));
    std::vector<std::string> names, cells;
    flatten(json, "", names, cells);
    if (text.empty()) text = write_csv_row(names);
    text += write_csv_row(cells);
  }
  return text;
}

}  // namespace rooftile
