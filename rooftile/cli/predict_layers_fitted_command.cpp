// rooftile predict --layers TABLE.csv --fitted FILE: the rows of a layer table by a grey-box model.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/cli/fitted_commands.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/stored_fitted.hpp"
#include "rooftile/ingest/csv.hpp"
#include "rooftile/ingest/layer_table.hpp"
#include "rooftile/ingest/text_file.hpp"
#include "rooftile/learn/grey_box.hpp"
#include "rooftile/report/predicted_columns.hpp"

namespace rooftile::cli {
namespace {

constexpr double kMicro = 1e6;

std::vector<std::string> cells_of(const regression::Predicted& predicted) {
  std::vector<std::string> cells(kPredictedColumns);
  cells[0] = fmt::format("{}", kMicro * predicted.value);
  if (predicted.low && predicted.high) {
    cells[1] = fmt::format("{}", kMicro * *predicted.low);
    cells[2] = fmt::format("{}", kMicro * *predicted.high);
  }
  cells[kMethodCell] = kGreyBoxKind;
  return cells;
}

// One line for each thing that rows are warned of, with the first of them.
void write_warnings(const std::vector<regression::Predicted>& predicted, const GreyBoxRows& rows) {
  struct Warned {
    std::size_t rows = 0, line = 0;
    std::string first;
  };
  std::map<std::string, Warned> all;
  for (std::size_t row = 0; row < predicted.size(); ++row) {
    for (const regression::FitWarning& warning : predicted[row].warnings) {
      Warned& warned = all[warning.subject];
      if (warned.rows++ > 0) continue;
      warned.line = rows.rows[row]->line;
      warned.first = warning.text();
    }
  }
  for (const auto& [subject, warned] : all) {
    write_error(fmt::format("warning: {} rows beyond the fit, the first in line {}: {}", warned.rows, warned.line,
                            warned.first));
  }
}

}  // namespace

Result<void> predict_layers_fitted(const LayersFittedArguments& arguments) {
  const auto fitted = fitted_of_option(arguments.fitted, arguments.db);
  if (!fitted) return tl::unexpected(fitted.error());
  if (fitted->kind != kGreyBoxKind) {
    return fail(ErrorCode::usage,
                fmt::format("'{}' is a model of kind '{}'; --layers takes one of fit --model grey-box",
                            arguments.fitted, fitted->kind),
                "--fitted");
  }
  const auto text = read_text_file(arguments.table);
  if (!text) return tl::unexpected(text.error());
  auto table = parse_layer_table(*text, arguments.table, {.gpu = arguments.gpu});
  if (!table) return tl::unexpected(table.error());
  std::vector<MeasuredTable> tables;
  tables.emplace_back(arguments.table, std::move(*table));
  const LayerTable& read = tables.front().table();

  const auto rows = grey_box_rows(tables, {.measured = false});
  if (!rows) return tl::unexpected(rows.error());
  const auto predicted = predict_grey_box(*fitted, *rows);
  if (!predicted) return tl::unexpected(predicted.error());
  std::map<std::size_t, std::size_t> place_of;  // of a line among `rows`
  for (std::size_t row = 0; row < rows->size(); ++row) place_of[rows->rows[row]->line] = row;

  std::vector<std::string> header = read.columns;
  const auto places = place_columns(header, kPredictedNames);
  std::string result = write_csv_row(header);
  for (const LayerRow& row : read.rows) {
    const auto place = place_of.find(row.line);
    if (place == place_of.end()) {
      return fail(ErrorCode::unsupported, fmt::format("the model is not for {} rows", name_of(row.op)),
                  fmt::format("{}:{}", arguments.table, row.line));
    }
    std::vector<std::string> cells = row.cells;
    cells.resize(header.size());
    std::vector<std::string> added = cells_of((*predicted)[place->second]);
    for (std::size_t i = 0; i < added.size(); ++i) cells[places[i]] = std::move(added[i]);
    result += write_csv_row(cells);
  }
  write_warnings(*predicted, *rows);
  return write_output(arguments.output, result);
}

}  // namespace rooftile::cli
