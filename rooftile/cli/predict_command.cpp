// rooftile predict: a network, or the rows of a layer table.
#include <array>
#include <iterator>
#include <map>
#include <span>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "rooftile/cli/commands.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/ingest/csv.hpp"
#include "rooftile/ingest/layer_table.hpp"
#include "rooftile/ingest/model.hpp"
#include "rooftile/ingest/text_file.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/report/report.hpp"

namespace rooftile::cli {
namespace {

constexpr std::array kPredictedColumns = {
    "predicted_time_us",  "predicted_low_us",   "predicted_high_us",   "bottleneck", "method",
    "predicted_l1_bytes", "predicted_l2_bytes", "predicted_dram_bytes"};

std::string report(std::span<const Prediction> predictions, const PredictArguments& arguments) {
  switch (arguments.format) {
    case Format::json:
      return json_report(predictions);
    case Format::csv:
      return csv_report(predictions);
    case Format::table:
      break;
  }
  std::string text;
  for (const Prediction& prediction : predictions) {
    if (!text.empty()) text += '\n';
    text += table_report(prediction, {.all_layers = arguments.all_layers});
  }
  return text;
}

// The predicted cells of a row. DeLTA has no interval: those stay empty.
void append_cells(std::vector<std::string>& cells, const LayerEstimate& layer) {
  const auto bytes = [](Bytes count) { return fmt::format("{:.0f}", count.value()); };
  constexpr double kMicro = 1e6;
  cells.insert(cells.end(), {fmt::format("{:.6g}", layer.time.value() * kMicro), "", "",
                             std::string(name_of(layer.bottleneck)), std::string(name_of(layer.method)),
                             bytes(layer.traffic.l1), bytes(layer.traffic.l2), bytes(layer.traffic.dram)});
}

// GPUs by the name that a row gives them, each read once.
class Gpus {
 public:
  Result<const Gpu*> find(const std::string& name) {
    const auto known = gpus_.find(name);
    if (known != gpus_.end()) return &known->second;
    auto gpu = find_gpu(name);
    if (!gpu) return tl::unexpected(gpu.error());
    return &gpus_.emplace(name, std::move(*gpu)).first->second;
  }

 private:
  std::map<std::string, Gpu> gpus_;
};

Result<LayerEstimate> estimate_row(const LayerRow& row, const PlanOptions& plan, Gpus& gpus) {
  if (row.gpu.empty()) return fail(ErrorCode::bad_input, "the row names no GPU; fill its gpu column or give --gpu");
  const PredictOptions options = {.precision = row.precision, .plan = plan};
  if (auto result = check(options); !result) return tl::unexpected(result.error());
  const auto gpu = gpus.find(row.gpu);
  if (!gpu) return tl::unexpected(gpu.error());
  return std::visit([&](const auto& op) { return estimate(op, **gpu, options); }, row.op);
}

}  // namespace

Result<void> predict_model(const PredictArguments& arguments) {
  const PredictionArguments& given = arguments.prediction;
  const PredictOptions options = {.precision = given.precision, .plan = given.plan};
  if (auto result = check(options); !result) return result;
  std::vector<Gpu> gpus;
  for (const std::string& selector : given.gpus) {
    auto gpu = find_gpu(selector);
    if (!gpu) return tl::unexpected(gpu.error());
    gpus.push_back(std::move(*gpu));
  }
  const auto workload =
      load_model(arguments.model, {.batch_size = given.batch_size, .skip_unsupported = given.skip_unsupported});
  if (!workload) return tl::unexpected(workload.error());
  std::vector<Prediction> predictions;
  for (const Gpu& gpu : gpus) {
    auto prediction = predict(*workload, gpu, options);
    if (!prediction) return tl::unexpected(prediction.error());
    predictions.push_back(std::move(*prediction));
  }
  return write_output(arguments.output, report(predictions, arguments));
}

Result<void> predict_layers(const LayersArguments& arguments) {
  const PredictionArguments& given = arguments.prediction;
  const auto text = read_text_file(arguments.table);
  if (!text) return tl::unexpected(text.error());
  LayerTableOptions options;
  if (!given.gpus.empty()) options.gpu = given.gpus.front();
  if (given.precision_given) options.precision = std::string(name_of(given.precision));
  options.override_cells = arguments.override_cells;
  options.skip_bad_rows = arguments.skip_bad_rows;
  const auto table = parse_layer_table(*text, arguments.table, options);
  if (!table) return tl::unexpected(table.error());

  std::vector<Error> bad_rows = table->bad_rows;
  std::vector<std::string> header = table->columns;
  header.insert(header.end(), kPredictedColumns.begin(), kPredictedColumns.end());
  std::string result = write_csv_row(header);
  Gpus gpus;
  for (const LayerRow& row : table->rows) {
    const auto layer = estimate_row(row, given.plan, gpus);
    if (!layer) {
      Error error = layer.error();
      error.message = error.text();
      error.where = fmt::format("{}:{}", arguments.table, row.line);
      if (!arguments.skip_bad_rows) return tl::unexpected(error);
      bad_rows.push_back(std::move(error));
      continue;
    }
    std::vector<std::string> cells = row.cells;
    append_cells(cells, *layer);
    result += write_csv_row(cells);
  }
  if (!bad_rows.empty()) {
    fmt::print(stderr, "rooftile: {} of {} rows left out:\n", bad_rows.size(), bad_rows.size() + table->rows.size());
    for (const Error& error : bad_rows) fmt::print(stderr, "  {}\n", error.text());
  }
  return write_output(arguments.output, result);
}

}  // namespace rooftile::cli
