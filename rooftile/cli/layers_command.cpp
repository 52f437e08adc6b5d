// rooftile predict --layers TABLE.csv: the rows of a layer table.
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/cli/commands.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/ingest/csv.hpp"
#include "rooftile/ingest/layer_table.hpp"
#include "rooftile/ingest/text_file.hpp"
#include "rooftile/validate/estimate_row.hpp"

namespace rooftile::cli {
namespace {

constexpr std::size_t kPredicted = 8;
constexpr std::array<const char*, kPredicted> kPredictedColumns = {
    "predicted_time_us",  "predicted_low_us",   "predicted_high_us",   "bottleneck", "method",
    "predicted_l1_bytes", "predicted_l2_bytes", "predicted_dram_bytes"};

std::string microseconds(Seconds time) {
  constexpr double kMicro = 1e6;
  return fmt::format("{:.6g}", time.value() * kMicro);
}

// The cells of the interval stay empty where the method has none.
std::array<std::string, kPredicted> predicted_cells(const LayerEstimate& layer) {
  const auto bytes = [](Bytes count) { return fmt::format("{:.0f}", count.value()); };
  return {microseconds(layer.time),
          layer.time_low ? microseconds(*layer.time_low) : "",
          layer.time_high ? microseconds(*layer.time_high) : "",
          std::string(name_of(layer.bottleneck)),
          std::string(name_of(layer.method)),
          bytes(layer.traffic.l1),
          bytes(layer.traffic.l2),
          bytes(layer.traffic.dram)};
}

// Where each predicted cell goes: into a column of that name from an earlier run, else behind the others.
std::array<std::size_t, kPredicted> place_columns(std::vector<std::string>& header) {
  std::array<std::size_t, kPredicted> places{};
  for (std::size_t i = 0; i < kPredicted; ++i) {
    const auto found = std::find(header.begin(), header.end(), kPredictedColumns[i]);
    places[i] = static_cast<std::size_t>(found - header.begin());
    if (found == header.end()) header.emplace_back(kPredictedColumns[i]);
  }
  return places;
}

// What the table as a whole is asked for, before any row can be blamed for it.
Result<void> check_options(const PredictionArguments& given) {
  if (auto result = check(predict_options(given)); !result) return result;
  if (given.gpus.empty()) return {};
  const auto gpu = gpu_of_option(given.gpus.front());
  if (!gpu) return tl::unexpected(gpu.error());
  return check(predict_options(given), *gpu);
}

}  // namespace

Result<void> predict_layers(const LayersArguments& arguments) {
  const PredictionArguments& given = arguments.prediction;
  if (auto result = check_options(given); !result) return result;
  const auto text = read_text_file(arguments.table);
  if (!text) return tl::unexpected(text.error());
  LayerTableOptions options;
  if (!given.gpus.empty()) options.gpu = given.gpus.front();
  if (given.precision) options.precision = std::string(name_of(*given.precision));
  options.override_cells = arguments.override_cells;
  options.skip_bad_rows = arguments.skip_bad_rows;
  const auto table = parse_layer_table(*text, arguments.table, options);
  if (!table) return tl::unexpected(table.error());

  std::vector<Error> bad_rows = table->bad_rows;
  std::vector<std::string> header = table->columns;
  const auto places = place_columns(header);
  std::string result = write_csv_row(header);
  GpuCache gpus;
  for (const LayerRow& row : table->rows) {
    const auto layer = estimate_row(row, predict_options(given), gpus);
    if (!layer) {
      Error error = layer.error();
      error.where = fmt::format("{}:{}, {}", arguments.table, row.line, error.where);
      if (!arguments.skip_bad_rows) return tl::unexpected(error);
      bad_rows.push_back(std::move(error));
      continue;
    }
    std::vector<std::string> cells = row.cells;
    cells.resize(header.size());
    auto predicted = predicted_cells(*layer);
    for (std::size_t i = 0; i < kPredicted; ++i) cells[places[i]] = std::move(predicted[i]);
    result += write_csv_row(cells);
  }
  if (!bad_rows.empty()) {
    write_error(fmt::format("{} of {} rows left out:", bad_rows.size(), table->bad_rows.size() + table->rows.size()));
    for (const Error& error : bad_rows) write_error(error.text());
  }
  return write_output(arguments.output, result);
}

}  // namespace rooftile::cli
