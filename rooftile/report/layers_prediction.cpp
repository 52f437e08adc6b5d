// A network's prediction by a per-layer model.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "rooftile/error/one_line.hpp"
#include "rooftile/ingest/csv.hpp"
#include "rooftile/report/interval.hpp"
#include "rooftile/report/layers.hpp"
#include "rooftile/report/names.hpp"
#include "rooftile/report/text.hpp"
#include "rooftile/units/text.hpp"
#include "rooftile/workload/phase.hpp"

namespace rooftile {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kMethod = "per-layer";
constexpr std::size_t kSlowest = 10;

std::string pass_of(Phase phase) {
  if (phase == Phase::fwd) return "inference";
  return phase == Phase::step ? "training" : std::string(name_of(phase));
}

std::string_view pass_of(LayerDirection direction) { return direction == LayerDirection::forward ? "fwd" : "bwd"; }

Json json_of(const FittedLayerTime& layer) {
  Json json = {{"name", layer.name}, {"op", layer.op}};
  if (!layer.function.empty()) json["function"] = layer.function;
  json["pass"] = pass_of(layer.direction);
  json["method"] = kMethod;
  json["output"] = layer.output;
  json["category"] = name_of(layer.category);
  json["complexity"] = layer.complexity;
  json["time_s"] = layer.time.value();
  if (layer.time_low) json["time_low_s"] = layer.time_low->value();
  if (layer.time_high) json["time_high_s"] = layer.time_high->value();
  json["bottleneck"] = nullptr;
  return json;
}

std::string layers_of(const LayersPrediction& prediction, bool all) {
  std::vector<const FittedLayerTime*> order;
  for (const FittedLayerTime& layer : prediction.layers) order.push_back(&layer);
  if (!all) {
    std::stable_sort(order.begin(), order.end(), [](auto a, auto b) { return a->time > b->time; });
    order.resize(std::min(order.size(), kSlowest));
  }
  TextTable table({{all ? "layer" : "slowest layers", Align::left, 48},
                   {"category"},
                   {"output", Align::right, 20},
                   {"operations", Align::right},
                   {"time", Align::right},
                   {"share", Align::right}});
  for (const FittedLayerTime* layer : order) {
    const bool backward = layer->direction == LayerDirection::backward;
    table.add({layer->name + (backward ? " bwd" : ""), std::string(name_of(layer->category)), print(layer->output),
               fmt::format("{:.4g}", layer->complexity), print(layer->time),
               percent(layer->time.value(), prediction.time.value())});
  }
  std::string text = table.empty() ? "  no layers\n" : table.text();
  const std::size_t hidden = prediction.layers.size() - order.size();
  if (hidden > 0) text += fmt::format("  … and {} more; --all lists every layer\n", hidden);
  return text;
}

std::string categories(const LayersPrediction& prediction) {
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
  return table.text();
}

}  // namespace

std::string layers_table(const LayersPrediction& prediction, bool all) {
  std::string text = fmt::format("{} on {}: batch size {}, {}, {}, method {} ({})\n\n", prediction.model,
                                 prediction.gpu, prediction.batch_size, name_of(prediction.precision),
                                 pass_of(prediction.phase), kMethod, one_line(prediction.fitted));
  const double samples = static_cast<double>(prediction.batch_size);
  text += fmt::format("  time        {} an iteration", print(prediction.time, interval_of(prediction)));
  if (prediction.time > Seconds(0)) {
    text += fmt::format("   {} samples/s", four_digits(samples / prediction.time.value()));
  }
  const MemoryUse& memory = prediction.memory;
  text += fmt::format("\n  memory      {}: weights {}, activations {}\n\n", print(memory.total()),
                      print(memory.weights), print(memory.activations));
  text += categories(prediction) + "\n" + layers_of(prediction, all) + "\n";
  const auto beyond = std::count_if(prediction.layers.begin(), prediction.layers.end(),
                                    [](const FittedLayerTime& layer) { return layer.extrapolated; });
  if (beyond > 0) {
    text += fmt::format("  extrapolated  {} of {} times: of more or fewer operations than any layer of the fit\n",
                        beyond, prediction.layers.size());
  }
  if (!prediction.left_out.empty()) {
    text += fmt::format("  left out      {}, not in any number above: {}\n", prediction.left_out.size(),
                        wrapped(list_of(prediction.left_out), 76, "                "));
  }
  return text + "  not modelled  update of weights, host time, transfers to and from the host\n";
}

std::string layers_json(const LayersPrediction& prediction) {
  const MemoryUse& memory = prediction.memory;
  const bool takes_time = prediction.time > Seconds(0);
  Json json = {{"schema", "rooftile/prediction/1"},
               {"model", prediction.model},
               {"gpu", prediction.gpu},
               {"batch_size", prediction.batch_size},
               {"precision", name_of(prediction.precision)},
               {"pass", pass_of(prediction.phase)},
               {"method", kMethod},
               {"fitted", prediction.fitted},
               {"time_s", prediction.time.value()}};
  if (const auto interval = interval_of(prediction)) {
    json["time_low_s"] = interval->low.value();
    json["time_high_s"] = interval->high.value();
  }
  const double samples = static_cast<double>(prediction.batch_size);
  json["throughput_per_s"] = takes_time ? Json(samples / prediction.time.value()) : Json(nullptr);
  const auto whole = [](Bytes bytes) { return static_cast<std::int64_t>(std::llround(bytes.value())); };
  json["memory_bytes"] = {{"weights", whole(memory.weights)},
                          {"activations", whole(memory.activations)},
                          {"workspace", whole(memory.workspace)},
                          {"total", whole(memory.total())}};
  json["unsupported"] = Json::array();
  for (const Skipped& op : prediction.left_out) {
    json["unsupported"].push_back({{"name", op.name}, {"op_type", op.op_type}});
  }
  json["layers"] = Json::array();
  for (const FittedLayerTime& layer : prediction.layers) json["layers"].push_back(json_of(layer));
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string layers_csv(const LayersPrediction& prediction) {
  const std::vector<std::string> header = {"model",    "gpu",        "batch_size", "precision",  "name",
                                           "op",       "function",   "pass",       "method",     "output",
                                           "category", "complexity", "time_s",     "time_low_s", "time_high_s"};
  std::string text = write_csv_row(header);
  const auto bound = [](const std::optional<Seconds>& time) {
    return time ? fmt::format("{}", time->value()) : std::string();
  };
  for (const FittedLayerTime& layer : prediction.layers) {
    const std::vector<std::string> row = {prediction.model,
                                          prediction.gpu,
                                          fmt::format("{}", prediction.batch_size),
                                          std::string(name_of(prediction.precision)),
                                          layer.name,
                                          layer.op,
                                          layer.function,
                                          std::string(pass_of(layer.direction)),
                                          std::string(kMethod),
                                          layer.output.empty() ? "" : print(layer.output),
                                          std::string(name_of(layer.category)),
                                          fmt::format("{}", layer.complexity),
                                          fmt::format("{}", layer.time.value()),
                                          bound(layer.time_low),
                                          bound(layer.time_high)};
    text += write_csv_row(row);
  }
  return text;
}

}  // namespace rooftile
