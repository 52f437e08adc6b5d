// A network's prediction by a per-layer model.
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/csv.hpp"
#include "rooftile/base/units_text.hpp"
#include "rooftile/report/fitted_head_json.hpp"
#include "rooftile/report/json_text.hpp"
#include "rooftile/report/layers.hpp"
#include "rooftile/report/text.hpp"
#include "rooftile/workload/phase.hpp"

namespace rooftile {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kPerLayer = "per-layer";

std::string_view pass_of(LayerDirection direction) { return direction == LayerDirection::forward ? "fwd" : "bwd"; }

Json json_of(const FittedLayerTime& layer) {
  Json json = {{"name", layer.name}, {"op", layer.op}};
  if (!layer.function.empty()) json["function"] = layer.function;
  json["pass"] = pass_of(layer.direction);
  json["method"] = kPerLayer;
  json["output"] = layer.output;
  json["category"] = name_of(layer.category);
  json["complexity"] = layer.complexity;
  json["time_s"] = layer.time.value();
  if (layer.time_low) json["time_low_s"] = layer.time_low->value();
  if (layer.time_high) json["time_high_s"] = layer.time_high->value();
  json["bottleneck"] = nullptr;
  return json;
}

std::string layers_of(const LayersPrediction& prediction, bool all, std::size_t width) {
  const std::vector<const FittedLayerTime*> order = shown_layers(prediction.layers, all);
  TextTable table({{all ? "layer" : "slowest layers", Align::left},
                   {"category"},
                   {"output", Align::right},
                   {"operations", Align::right},
                   {"time", Align::right},
                   {"share", Align::right}});
  for (const FittedLayerTime* layer : order) {
    const bool backward = layer->direction == LayerDirection::backward;
    table.add({layer->name + (backward ? " bwd" : ""), std::string(name_of(layer->category)), print(layer->output),
               fmt::format("{:.4g}", layer->complexity), print(layer->time),
               percent(layer->time.value(), prediction.time.value())});
  }
  std::string text = table.empty() ? "  no layers\n" : table.text(width);
  const std::size_t hidden = prediction.layers.size() - order.size();
  if (hidden > 0) text += fmt::format("  … and {} more; --all lists every layer\n", hidden);
  return text;
}

std::string categories(const LayersPrediction& prediction, std::size_t width) {
  TextTable table(
      {{"category"}, {"direction"}, {"layers", Align::right}, {"time", Align::right}, {"share", Align::right}});
  for (const LayerCategory category : kLayerCategories) {
    for (const LayerDirection direction : kLayerDirections) {
      std::size_t count = 0;
      Seconds time;
      for (const FittedLayerTime& layer : prediction.layers) {
        if (layer.category != category || layer.direction != direction) continue;
        ++count;
        time += layer.time;
      }
      if (count == 0) continue;
      table.add({std::string(name_of(category)), std::string(name_of(direction)), fmt::format("{}", count), print(time),
                 percent(time.value(), prediction.time.value())});
    }
  }
  return table.text(width);
}

}  // namespace

std::string layers_table(const LayersPrediction& prediction, bool all, std::size_t width) {
  std::string text = head_text(prediction, kPerLayer, interval_of(prediction), width);
  text += categories(prediction, width) + "\n" + layers_of(prediction, all, width) + "\n";
  const auto beyond = std::count_if(prediction.layers.begin(), prediction.layers.end(),
                                    [](const FittedLayerTime& layer) { return layer.extrapolated; });
  if (beyond > 0) {
    text += fmt::format("  extrapolated  {} of {} times: more or fewer operations than any layer in the fit\n", beyond,
                        prediction.layers.size());
  }
  text += left_out_text(prediction.left_out);
  return text + "  not modelled  weight update, host time, transfers to and from the host\n";
}

std::string layers_json(const LayersPrediction& prediction) {
  Json json = head_json(prediction, kPerLayer, interval_of(prediction));
  json["layers"] = Json::array();
  for (const FittedLayerTime& layer : prediction.layers) json["layers"].push_back(json_of(layer));
  return json_text(json);
}

std::string layers_csv(const LayersPrediction& prediction) {
  std::vector<std::string> header(kLayerColumns.begin(), kLayerColumns.end());
  header.insert(header.end(), {"category", "complexity"});
  header.insert(header.end(), kTimeColumns.begin(), kTimeColumns.end());
  header.insert(header.end(), kRunColumns.begin(), kRunColumns.end());
  std::string text = write_csv_row(header);
  const std::vector<std::string> warnings = warnings_of(prediction);
  for (const FittedLayerTime& layer : prediction.layers) {
    std::vector<std::string> row = layer_cells(prediction, layer, pass_of(layer.direction), kPerLayer);
    row.emplace_back(name_of(layer.category));
    row.push_back(fmt::format("{}", layer.complexity));
    add_times(row, layer);
    add_run(row, prediction, layer.time, warnings);
    text += write_csv_row(row);
  }
  return text;
}

}  // namespace rooftile
