// rooftile predict-table TABLE.csv --method FITTED: the rows of a layer table by a grey-box model.
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/text_file.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/predict_table_command.hpp"
#include "rooftile/cli/stored_fitted.hpp"
#include "rooftile/cli/table_options.hpp"
#include "rooftile/ingest/layer_table.hpp"
#include "rooftile/learn/grey_box/grey_box.hpp"
#include "rooftile/learn/grey_box/table.hpp"
#include "rooftile/report/predicted_columns.hpp"
#include "rooftile/report/row_label.hpp"

namespace rooftile::cli {
namespace {

constexpr double kMicro = 1e6;

std::array<std::string, kPredictedColumns> cells_of(const regression::Predicted& predicted) {
  std::array<std::string, kPredictedColumns> cells;
  cells[0] = fmt::format("{}", kMicro * predicted.value);
  if (predicted.low && predicted.high) {
    cells[1] = fmt::format("{}", kMicro * *predicted.low);
    cells[2] = fmt::format("{}", kMicro * *predicted.high);
  }
  cells[kMethodCell] = kGreyBoxKind;
  return cells;
}

// One line for each thing that rows are warned of, with the first of them.
void write_warnings(const GreyBoxTimes& times) {
  struct Warned {
    std::size_t rows = 0, line = 0;
    std::string first;
  };
  std::map<std::string, Warned> all;
  for (std::size_t row = 0; row < times.predicted.size(); ++row) {
    for (const regression::FitWarning& warning : times.predicted[row].warnings) {
      Warned& warned = all[warning.subject];
      if (warned.rows++ > 0) continue;
      warned.line = times.rows.rows[row]->line;
      warned.first = warning.text();
    }
  }
  for (const auto& [subject, warned] : all) {
    write_error(fmt::format("warning: rows beyond the fit: {}, the first in line {}: {}", warned.rows, warned.line,
                            warned.first));
  }
}

// Rows that are right, but that the model has no time of, are no errors.
Result<void> check_rows(const std::vector<RefusedRow>& refused) {
  for (const RefusedRow& row : refused) {
    if (row.why.code != ErrorCode::unsupported) return tl::unexpected(row.why);
  }
  return {};
}

void write_left_out_of(const LayerTable& table, const std::vector<RefusedRow>& refused) {
  std::vector<Error> left_out = table.bad_rows;
  for (const RefusedRow& row : refused) left_out.push_back(row.why);
  write_left_out(left_out, table.rows.size() + table.unsupported.size() + table.bad_rows.size());
}

}  // namespace

Result<void> predict_table_fitted(const PredictTableArguments& arguments) {
  const PredictionArguments& given = arguments.prediction;
  if (arguments.override_cells) return usage("--override cannot be used with a fitted model");
  if (!given.set.columns.empty() || !given.set.framework.empty() || given.set.seq_len || given.set.context) {
    return usage("--set cannot be used with a fitted model here; give the values in the rows");
  }
  const auto fitted = TRY(fitted_of_option(given.method.fitted));
  if (fitted.kind != kGreyBoxKind) {
    return fail(ErrorCode::usage,
                fmt::format("'{}' is a model of kind '{}'; predict-table takes one of 'fit grey-box'",
                            given.method.fitted, fitted.kind),
                "--method");
  }
  const auto text = TRY(read_text_file(arguments.table));
  auto table =
      TRY(parse_layer_table(text, arguments.table,
                            {.gpu = given.gpus.empty() ? std::string() : given.gpus.front(),
                             .precision = given.precision ? std::string(name_of(*given.precision)) : std::string(),
                             .skip_bad_rows = arguments.skip_bad_rows,
                             .keep_unsupported = true}));
  std::vector<MeasuredTable> tables;
  tables.emplace_back(arguments.table, std::move(table));
  const LayerTable& read = tables.front().table();

  const auto times = TRY(grey_box_times(fitted, tables));
  if (!arguments.skip_bad_rows) {
    TRY(check_rows(times.refused));
  }
  write_left_out_of(read, times.refused);
  if (times.predicted.empty()) return fail(ErrorCode::bad_input, "no row to predict", arguments.table);

  PredictedTable predicted{.columns = read.columns, .rows = {}};
  for (std::size_t i = 0; i < times.predicted.size(); ++i) {
    const LayerRow& row = *times.rows.rows[i];
    predicted.rows.push_back({.line = row.line,
                              .label = label_of(row),
                              .gpu = times.rows.gpus[i],
                              .cells = row.cells,
                              .predicted = cells_of(times.predicted[i])});
  }
  write_warnings(times);
  return write_predicted(predicted, arguments.output);
}

}  // namespace rooftile::cli
