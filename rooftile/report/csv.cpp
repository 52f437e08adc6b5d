#include "rooftile/base/csv.hpp"

#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "rooftile/report/prediction_json.hpp"
#include "rooftile/report/report.hpp"

namespace rooftile {
namespace {

using Json = nlohmann::ordered_json;

// The JSON's names, in its order; nested ones with dots. The prediction's own come first and repeat in each row.
constexpr std::string_view kPredictionColumns[] = {"model", "gpu", "batch_size", "precision"};
constexpr std::string_view kPredictedLayerColumns[] = {"name",
                                                       "op",
                                                       "function",
                                                       "pass",
                                                       "method",
                                                       "output",
                                                       "flops",
                                                       "time_s",
                                                       "time_low_s",
                                                       "time_high_s",
                                                       "bottleneck",
                                                       "kernels",
                                                       "gemm.m",
                                                       "gemm.n",
                                                       "gemm.k",
                                                       "gemm.groups",
                                                       "plan.algorithm",
                                                       "plan.tile",
                                                       "plan.split_k",
                                                       "plan.ctas",
                                                       "plan.active_ctas_per_sm",
                                                       "plan.waves",
                                                       "traffic_bytes.l1",
                                                       "traffic_bytes.l2",
                                                       "traffic_bytes.dram",
                                                       "traffic_bytes.store_l2",
                                                       "traffic_bytes.store_dram",
                                                       "traffic_bytes.compulsory",
                                                       "cases_s.compute",
                                                       "cases_s.smem",
                                                       "cases_s.latency",
                                                       "cases_s.l1",
                                                       "cases_s.l2",
                                                       "cases_s.dram",
                                                       "cases_s.power",
                                                       "cases_s.launch"};

// "128x64x4" for an array, nothing for null.
std::string cell(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::string text;
  for (const Json& element : value) text += (text.empty() ? "" : "x") + element.dump();
  return text;
}

// The value at "a.b", or null.
const Json& at(const Json& object, std::string_view path) {
  static const Json kNull;
  const std::size_t dot = path.find('.');
  const auto found = object.find(std::string(path.substr(0, dot)));
  if (found == object.end()) return kNull;
  return dot == std::string_view::npos ? *found : at(*found, path.substr(dot + 1));
}

}  // namespace

std::string csv_report(std::span<const Prediction> predictions) {
  std::vector<std::string> header(std::begin(kPredictionColumns), std::end(kPredictionColumns));
  header.insert(header.end(), std::begin(kPredictedLayerColumns), std::end(kPredictedLayerColumns));
  std::string text = write_csv_row(header);
  for (const Prediction& prediction : predictions) {
    const Json json = prediction_json(prediction);
    std::vector<std::string> prefix;
    for (const std::string_view column : kPredictionColumns) prefix.push_back(cell(at(json, column)));
    for (const Json& layer : json["layers"]) {
      std::vector<std::string> row = prefix;
      for (const std::string_view column : kPredictedLayerColumns) row.push_back(cell(at(layer, column)));
      text += write_csv_row(row);
    }
  }
  return text;
}

}  // namespace rooftile
