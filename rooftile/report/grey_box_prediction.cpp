// A network's prediction by a grey-box model.
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/csv.hpp"
#include "rooftile/base/units_text.hpp"
#include "rooftile/report/fitted_head_json.hpp"
#include "rooftile/report/fitted_prediction.hpp"
#include "rooftile/report/interval.hpp"
#include "rooftile/report/json_text.hpp"
#include "rooftile/report/prediction_json.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kGreyBox = "grey-box";

std::string_view method_of(const GreyBoxLayerTime& layer) { return layer.fitted ? kGreyBox : "rooftile"; }

std::string layers_of(const GreyBoxPrediction& prediction, bool all, std::size_t width) {
  const std::vector<const GreyBoxLayerTime*> order = shown_layers(prediction.layers, all);
  TextTable table({{all ? "layer" : "slowest layers", Align::left},
                   {"pass"},
                   {"method"},
                   {"output", Align::right},
                   {"time", Align::right},
                   {"share", Align::right}});
  for (const GreyBoxLayerTime* layer : order) {
    std::optional<Interval> range;
    if (layer->time_low && layer->time_high) range = Interval{*layer->time_low, *layer->time_high};
    table.add({layer->name, layer->pass, std::string(method_of(*layer)),
               layer->output.empty() ? "" : print(layer->output), print(layer->time, range),
               percent(layer->time.value(), prediction.time.value())});
  }
  std::string text = table.text(width);
  const std::size_t hidden = prediction.layers.size() - order.size();
  if (hidden > 0) text += fmt::format("  … and {} more; --all lists every layer\n", hidden);
  return text + "\n";
}

Json json_of(const GreyBoxLayerTime& layer, double sm_count) {
  if (layer.analytic) return layer_json(*layer.analytic, sm_count);
  Json json = {{"name", layer.name}, {"op", layer.op}};
  if (!layer.function.empty()) json["function"] = layer.function;
  json["pass"] = layer.pass;
  json["method"] = method_of(layer);
  if (!layer.output.empty()) json["output"] = layer.output;
  json["time_s"] = layer.time.value();
  if (layer.time_low) json["time_low_s"] = layer.time_low->value();
  if (layer.time_high) json["time_high_s"] = layer.time_high->value();
  json["bottleneck"] = nullptr;
  return json;
}

}  // namespace

std::string grey_box_prediction_table(std::span<const GreyBoxPrediction> predictions, bool all, std::size_t width) {
  std::string text;
  for (const GreyBoxPrediction& prediction : predictions) {
    if (!text.empty()) text += "\n";
    text += head_text(prediction, kGreyBox, interval_of(prediction), width);
    const auto fitted = std::count_if(prediction.layers.begin(), prediction.layers.end(),
                                      [](const GreyBoxLayerTime& layer) { return layer.fitted; });
    text += fmt::format("  grey-box    {}, {} of the time: each timed alone, as in the fit\n",
                        counted(static_cast<std::size_t>(fitted), "layer"),
                        percent(prediction.fitted_time.value(), prediction.time.value()));
    text += "  rooftile    the others, by the analytic model\n\n";
    text += layers_of(prediction, all, width) + warnings_text(prediction.warnings) + left_out_text(prediction.left_out);
  }
  return text;
}

std::string grey_box_prediction_json(std::span<const GreyBoxPrediction> predictions) {
  std::vector<Json> values;
  for (const GreyBoxPrediction& prediction : predictions) {
    Json json = head_json(prediction, kGreyBox, interval_of(prediction));
    json["warnings"] = prediction.warnings;
    json["layers"] = Json::array();
    for (const GreyBoxLayerTime& layer : prediction.layers)
      json["layers"].push_back(json_of(layer, prediction.sm_count));
    values.push_back(std::move(json));
  }
  return json_list_text(values);
}

std::string grey_box_prediction_csv(std::span<const GreyBoxPrediction> predictions) {
  std::vector<std::string> header(kLayerColumns.begin(), kLayerColumns.end());
  header.insert(header.end(), kTimeColumns.begin(), kTimeColumns.end());
  header.insert(header.end(), kRunColumns.begin(), kRunColumns.end());
  std::string text = write_csv_row(header);
  for (const GreyBoxPrediction& prediction : predictions) {
    for (const GreyBoxLayerTime& layer : prediction.layers) {
      std::vector<std::string> row = layer_cells(prediction, layer, layer.pass, method_of(layer));
      add_times(row, layer);
      add_run(row, prediction, layer.time, prediction.warnings);
      text += write_csv_row(row);
    }
  }
  return text;
}

}  // namespace rooftile
