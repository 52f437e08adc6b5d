#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "rooftile/base/csv.hpp"
#include "rooftile/report/diff.hpp"
#include "rooftile/report/json_text.hpp"

namespace rooftile {
namespace {

using Json = nlohmann::ordered_json;

Json side_json(const DiffSide& side) {
  return {{"file", side.file},
          {"model", side.model},
          {"gpu", side.gpu},
          {"batch_size", side.batch_size},
          {"precision", side.precision},
          {"method", side.method},
          {"time_s", side.time.value()}};
}

Json estimate_json(const std::optional<DiffLayer::Estimate>& estimate) {
  if (!estimate) return nullptr;
  return {{"time_s", estimate->time.value()},
          {"bottleneck", estimate->limit == "-" ? Json(nullptr) : Json(estimate->limit)}};
}

std::string seconds_cell(const std::optional<DiffLayer::Estimate>& estimate) {
  return estimate ? fmt::format("{}", estimate->time.value()) : "";
}

std::string limit_cell(const std::optional<DiffLayer::Estimate>& estimate) {
  return estimate && estimate->limit != "-" ? estimate->limit : "";
}

}  // namespace

std::string diff_json(const PredictionDiff& diff) {
  Json layers = Json::array();
  for (const DiffLayer& layer : diff.layers) {
    layers.push_back({{"name", layer.name}, {"a", estimate_json(layer.a)}, {"b", estimate_json(layer.b)}});
  }
  const Json json = {
      {"schema", "rooftile/diff/1"}, {"a", side_json(diff.a)}, {"b", side_json(diff.b)}, {"layers", std::move(layers)}};
  return json_text(json, 2);
}

std::string diff_csv(const PredictionDiff& diff) {
  std::string text =
      write_csv_row(std::vector<std::string>{"layer", "a_time_s", "b_time_s", "a_bottleneck", "b_bottleneck"});
  for (const DiffLayer& layer : diff.layers) {
    text += write_csv_row(std::vector<std::string>{layer.name, seconds_cell(layer.a), seconds_cell(layer.b),
                                                   limit_cell(layer.a), limit_cell(layer.b)});
  }
  return text;
}

}  // namespace rooftile
