#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "rooftile/base/csv.hpp"
#include "rooftile/report/predicted_columns.hpp"
#include "rooftile/report/validation.hpp"

namespace rooftile {
namespace {

std::string number_cell(double value) { return fmt::format("{:.6g}", value); }
std::string number_cell(const std::optional<double>& value) { return value ? number_cell(*value) : ""; }

std::string group_row(const Validation& validation, const ScoredGroup& group) {
  std::vector<std::string> cells = group.key;
  cells.resize(validation.by.size());
  const Score& score = group.score;
  const auto figure = [&](double value) { return score.rows == 0 ? "" : number_cell(value); };
  for (std::string cell :
       {std::string(name_of(validation.quantity)), group.method, std::to_string(score.rows), figure(score.ratio),
        figure(score.gmae), figure(score.mape), figure(score.median), figure(score.p90),
        std::to_string(score.intervals), number_cell(score.inside), number_cell(score.width),
        std::to_string(score.flagged), number_cell(score.gmae_with_flagged), number_cell(score.rank)}) {
    cells.push_back(std::move(cell));
  }
  return write_csv_row(cells);
}

// Behind the columns of predict-table.
constexpr std::array kComparedNames = {
    "predicted_store_bytes", "predicted_launches", "quantity", "unit", "measured", "predicted", "ratio"};

// Every column of every table in the order in which they first come, and where each table's own stand among them.
struct Columns {
  std::vector<std::string> header = {"table", "line"};
  std::vector<std::vector<std::size_t>> places;
};

Columns all_columns(const std::vector<MeasuredTable>& tables) {
  Columns columns;
  for (const MeasuredTable& table : tables) {
    std::vector<const char*> names;
    for (const std::string& column : table.table().columns) names.push_back(column.c_str());
    columns.places.push_back(place_columns(columns.header, names));
  }
  return columns;
}

std::array<std::string, kComparedNames.size()> compared_cells(const Validation& validation, const ComparedRow& row) {
  const Compared& values = row.values;
  return {fmt::format("{:.0f}", row.layer.traffic.store_dram.value()),
          number_cell(row.layer.kernels),
          std::string(name_of(validation.quantity)),
          std::string(unit_of(validation.quantity)),
          number_cell(values.measured),
          number_cell(values.predicted),
          number_cell(values.predicted / values.measured)};
}

}  // namespace

std::string validation_csv(const Validation& validation) {
  std::vector<std::string> header = validation.by;
  for (const char* name : {"quantity", "method", "rows", "ratio", "gmae", "mape", "median", "p90", "intervals",
                           "inside", "width", "flagged", "gmae_with_flagged", "rank"}) {
    header.emplace_back(name);
  }
  std::string text = write_csv_row(header);
  if (!validation.by.empty()) {
    for (const ScoredGroup& group : validation.groups) text += group_row(validation, group);
  }
  for (const ScoredGroup& group : validation.overall) text += group_row(validation, group);
  return text;
}

std::string validation_rows(const Validation& validation, const std::vector<MeasuredTable>& tables) {
  Columns columns = all_columns(tables);
  const auto predicted_places = place_columns(columns.header, kPredictedNames);
  const auto compared_places = place_columns(columns.header, kComparedNames);
  std::string text = write_csv_row(columns.header);
  for (const ComparedRow& row : validation.rows) {
    const LayerRow& source = tables[row.table].table().rows[row.row];
    std::vector<std::string> cells(columns.header.size());
    cells[0] = tables[row.table].name();
    cells[1] = std::to_string(source.line);
    const auto& places = columns.places[row.table];
    for (std::size_t i = 0; i < places.size(); ++i) cells[places[i]] = source.cells[i];
    auto predicted = predicted_cells(row.layer);
    for (std::size_t i = 0; i < predicted.size(); ++i) cells[predicted_places[i]] = std::move(predicted[i]);
    cells[predicted_places[kMethodCell]] = validation.methods[row.method];  // with its rate
    auto compared = compared_cells(validation, row);
    for (std::size_t i = 0; i < compared.size(); ++i) cells[compared_places[i]] = std::move(compared[i]);
    text += write_csv_row(cells);
  }
  return text;
}

}  // namespace rooftile
