#include "rooftile/cli/predict_table_command.hpp"

#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/text_file.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/calibration_note.hpp"
#include "rooftile/cli/gpu_list.hpp"
#include "rooftile/cli/option_kinds.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/output_options.hpp"
#include "rooftile/cli/progress.hpp"
#include "rooftile/cli/report_writers.hpp"
#include "rooftile/cli/table_options.hpp"
#include "rooftile/ingest/layer_table.hpp"
#include "rooftile/report/predicted_columns.hpp"
#include "rooftile/report/row_label.hpp"
#include "rooftile/validate/estimate_row.hpp"

namespace rooftile::cli {
namespace {

constexpr Writers<const PredictedTable&> kPredictedWriters = {
    {Format::csv, predicted_csv}, {Format::json, predicted_json}, {Format::table, predicted_text}};

// What the table as a whole is asked for, before any row can be blamed for it.
Result<void> check_options(const PredictionArguments& given) {
  TRY(check(predict_options(given)));
  if (given.gpus.empty()) return {};
  const auto gpu = TRY(gpu_of_option(given.gpus.front()));
  return check(predict_options(given), gpu);
}

// What an option says of a cell: it fills an empty one, or wins.
void fill(std::string& cell, const std::string& option, bool wins) {
  if (!option.empty() && (wins || cell.empty())) cell = option;
}

// What would change nothing: a row has what it needs of a sequence in its own columns.
Result<void> check_effect(const PredictTableArguments& arguments) {
  const PredictionArguments& given = arguments.prediction;
  const auto& named = given.set.named;
  for (const char* key : {"seq-len", "context", "batch-norm"}) {
    if (named.contains(key))
      return usage(fmt::format("--set: {} plays no part: rows name their networks and sizes", key));
  }
  const bool overrides =
      !given.gpus.empty() || given.precision || named.contains("framework") || named.contains("algorithm");
  if (!arguments.override_cells || overrides) return {};
  return usage("--override needs --gpu, --precision, or --set with framework or algorithm");
}

Result<void> run(PredictTableArguments& arguments) {
  PredictionArguments& given = arguments.prediction;
  TRY(check_effect(arguments));
  TRY(complete(given));
  if (!given.method.fitted.empty()) return predict_table_fitted(arguments);
  TRY(check_options(given));
  const auto text = TRY(read_text_file(arguments.table));
  LayerTableOptions options;
  if (!given.gpus.empty()) options.gpu = given.gpus.front();
  if (given.precision) options.precision = std::string(name_of(*given.precision));
  options.override_cells = arguments.override_cells;
  options.skip_bad_rows = arguments.skip_bad_rows;
  const auto table = TRY(parse_layer_table(text, arguments.table, options));

  std::vector<Error> bad_rows = table.bad_rows;
  PredictedTable predicted{.columns = table.columns, .rows = {}};
  GpuCache gpus;
  std::vector<std::string> ids;
  std::optional<Progress> progress(std::in_place, "rows");
  std::size_t done = 0;
  for (LayerRow row : table.rows) {
    progress->show(done++, table.rows.size());
    fill(row.framework, given.set.framework, arguments.override_cells);
    fill(row.algorithm, given.set.plan.algorithm.value_or(""), arguments.override_cells);
    const auto layer = estimate_row(row, predict_options(given), gpus);
    if (!layer) {
      Error error = layer.error();
      error.where = fmt::format("{}:{}, {}", arguments.table, row.line, error.where);
      if (!arguments.skip_bad_rows) return tl::unexpected(error);
      bad_rows.push_back(std::move(error));
      continue;
    }
    ids.push_back((*gpus.find(row.gpu))->id);
    predicted.rows.push_back({.line = row.line,
                              .label = label_of(row),
                              .gpu = ids.back(),
                              .cells = std::move(row.cells),
                              .predicted = predicted_cells(*layer),
                              .no_interval = interval_of(*layer) ? "" : why_no_interval(*layer)});
  }
  progress.reset();
  note_unused_factors(predict_options(given).calibration, ids);
  write_left_out(bad_rows, table.bad_rows.size() + table.rows.size());
  return write_predicted(predicted, arguments.output);
}

}  // namespace

Result<void> write_predicted(const PredictedTable& table, const OutputArguments& output) {
  return write_report(output, kPredictedWriters, table);
}

void add_predict_table(CommandList& commands) {
  auto [app, arguments] =
      commands.add<PredictTableArguments>("predict-table", "Predict each row of a table of layers and networks",
                                          "rooftile predict-table layers.csv --gpu t4 -o predicted.csv", run);
  add_text(app, "TABLE", arguments.table, "FILE", "a layer table (CSV), or - (standard input)")->required();
  PredictionArguments& prediction = arguments.prediction;
  add_gpu(app, prediction.gpus)->description("GPU for rows that name none");
  add_precision(app, prediction.precision)->description("precision for rows that name none (default: fp32)");
  add_method(app, prediction.method, Fitted::yes);
  add_set(app, prediction.set);
  app->add_flag("--override", arguments.override_cells, "--gpu, --precision and --set override the row's own values");
  app->add_flag("--skip-bad-rows", arguments.skip_bad_rows, "skip invalid rows, and list them");
  add_output_options(app, arguments.output, kPredictedWriters);
}

}  // namespace rooftile::cli
