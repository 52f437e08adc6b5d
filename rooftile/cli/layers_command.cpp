// rooftile predict --layers TABLE.csv: the rows of a layer table.
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/csv.hpp"
#include "rooftile/base/text_file.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/calibration_note.hpp"
#include "rooftile/cli/commands.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/tables.hpp"
#include "rooftile/ingest/layer_table.hpp"
#include "rooftile/report/predicted_columns.hpp"
#include "rooftile/validate/estimate_row.hpp"

namespace rooftile::cli {
namespace {

// What the table as a whole is asked for, before any row can be blamed for it.
Result<void> check_options(const PredictionArguments& given) {
  if (auto result = check(predict_options(given)); !result) return result;
  if (given.gpus.empty()) return {};
  const auto gpu = TRY(gpu_of_option(given.gpus.front()));
  return check(predict_options(given), gpu);
}

// What an option says of a cell: it fills an empty one, or wins.
void fill(std::string& cell, const std::string& option, bool wins) {
  if (!option.empty() && (wins || cell.empty())) cell = option;
}

}  // namespace

Result<void> predict_layers(const LayersArguments& arguments) {
  const PredictionArguments& given = arguments.prediction;
  if (auto result = check_options(given); !result) return result;
  const auto text = TRY(read_text_file(arguments.table));
  LayerTableOptions options;
  if (!given.gpus.empty()) options.gpu = given.gpus.front();
  if (given.precision) options.precision = std::string(name_of(*given.precision));
  options.override_cells = arguments.override_cells;
  options.skip_bad_rows = arguments.skip_bad_rows;
  const auto table = TRY(parse_layer_table(text, arguments.table, options));

  std::vector<Error> bad_rows = table.bad_rows;
  std::vector<std::string> header = table.columns;
  const auto places = place_columns(header, kPredictedNames);
  std::string result = write_csv_row(header);
  GpuCache gpus;
  std::vector<std::string> ids;
  for (LayerRow row : table.rows) {
    fill(row.framework, given.framework, arguments.override_cells);
    fill(row.algorithm, given.plan.algorithm.value_or(""), arguments.override_cells);
    const auto layer = estimate_row(row, predict_options(given), gpus);
    if (!layer) {
      Error error = layer.error();
      error.where = fmt::format("{}:{}, {}", arguments.table, row.line, error.where);
      if (!arguments.skip_bad_rows) return tl::unexpected(error);
      bad_rows.push_back(std::move(error));
      continue;
    }
    ids.push_back((*gpus.find(row.gpu))->id);
    std::vector<std::string> cells = row.cells;
    cells.resize(header.size());
    auto predicted = predicted_cells(*layer);
    for (std::size_t i = 0; i < predicted.size(); ++i) cells[places[i]] = std::move(predicted[i]);
    result += write_csv_row(cells);
  }
  note_unused_factors(predict_options(given).calibration, ids);
  write_left_out(bad_rows, table.bad_rows.size() + table.rows.size());
  return write_output(arguments.output, result);
}

}  // namespace rooftile::cli
