// A run's prediction by an end-to-end model.
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/csv.hpp"
#include "rooftile/report/fitted_head_json.hpp"
#include "rooftile/report/fitted_prediction.hpp"
#include "rooftile/report/json_text.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kNetwork = "network";

bool is_beyond(const RunNumber& number) {
  return number.fit && (number.value < number.fit->low || number.value > number.fit->high);
}

std::string numbers_table(const NetworkPrediction& prediction, std::size_t width) {
  TextTable table({{"column"},
                   {"value", Align::right},
                   {"fitted from", Align::right},
                   {"to", Align::right},
                   {"in the equation"},
                   {"of the fit"}});
  for (const RunNumber& number : prediction.numbers) {
    table.add({number.column, fmt::format("{:.6g}", number.value),
               number.fit ? fmt::format("{:.6g}", number.fit->low) : "-",
               number.fit ? fmt::format("{:.6g}", number.fit->high) : "-", number.in_equation ? "yes" : "no",
               !number.fit ? "-" : (is_beyond(number) ? "beyond" : "inside")});
  }
  return table.empty() ? "" : table.text(width) + "\n";
}

Json json_of(const NetworkPrediction& prediction) {
  Json json = head_json(prediction, kNetwork, prediction.range);
  if (!prediction.group.empty()) json["group"] = prediction.group;
  json["columns"] = Json::array();
  for (const RunNumber& number : prediction.numbers) {
    Json one = {{"name", number.column}, {"value", number.value}, {"in_equation", number.in_equation}};
    if (number.fit) {
      one["fit_low"] = number.fit->low;
      one["fit_high"] = number.fit->high;
    }
    json["columns"].push_back(std::move(one));
  }
  json["warnings"] = prediction.warnings;
  json["layers"] = Json::array();
  return json;
}

}  // namespace

std::string network_prediction_table(std::span<const NetworkPrediction> predictions, std::size_t width) {
  std::string text;
  for (const NetworkPrediction& prediction : predictions) {
    if (!text.empty()) text += "\n";
    text += head_text(prediction, kNetwork, prediction.range, width);
    if (!prediction.group.empty()) text += fmt::format("  equation of   {}\n\n", prediction.group);
    text += numbers_table(prediction, width) + warnings_text(prediction.warnings) + left_out_text(prediction.left_out);
    if (prediction.range) {
      text += fmt::format("  interval      {:.3g} %, conformal: for runs like those of the fit, not beyond them\n",
                          100 * prediction.level);
    }
  }
  return text;
}

std::string network_prediction_json(std::span<const NetworkPrediction> predictions) {
  std::vector<Json> values;
  for (const NetworkPrediction& prediction : predictions) values.push_back(json_of(prediction));
  return json_list_text(values);
}

std::string network_prediction_csv(std::span<const NetworkPrediction> predictions) {
  std::vector<std::string> header = {"model",  "gpu",    "gpus",  "batch_size", "precision",  "pass",
                                     "method", "fitted", "group", "time_s",     "time_low_s", "time_high_s"};
  header.insert(header.end(), kRunColumns.begin(), kRunColumns.end());
  std::string text = write_csv_row(header);
  for (const NetworkPrediction& prediction : predictions) {
    const auto seconds = [](double time) { return fmt::format("{}", time); };
    std::vector<std::string> row = {prediction.model,
                                    prediction.gpu,
                                    fmt::format("{}", prediction.gpus),
                                    fmt::format("{}", prediction.batch_size),
                                    std::string(name_of(prediction.precision)),
                                    std::string(name_of_pass(prediction.phase)),
                                    std::string(kNetwork),
                                    prediction.fitted,
                                    prediction.group,
                                    seconds(prediction.time.value()),
                                    prediction.range ? seconds(prediction.range->low.value()) : "",
                                    prediction.range ? seconds(prediction.range->high.value()) : ""};
    add_run(row, prediction, prediction.time, prediction.warnings);
    text += write_csv_row(row);
  }
  return text;
}

}  // namespace rooftile
