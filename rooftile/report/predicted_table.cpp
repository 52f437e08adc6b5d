#include "rooftile/report/predicted_table.hpp"

#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "rooftile/base/csv.hpp"
#include "rooftile/base/parse_number.hpp"
#include "rooftile/report/interval.hpp"
#include "rooftile/report/json_text.hpp"

namespace rooftile {
namespace {

using Json = nlohmann::ordered_json;

// Places of predicted_cells() that the text shows.
constexpr std::size_t kTimeCell = 0, kLowCell = 1, kHighCell = 2, kBottleneckCell = 3;

bool is_name(std::size_t predicted) { return predicted == kBottleneckCell || predicted == kMethodCell; }

Json predicted_value(const std::string& cell, std::size_t predicted) {
  if (cell.empty()) return nullptr;
  if (is_name(predicted)) return cell;
  const Json number = Json::parse(cell, nullptr, false);  // the very number of the CSV
  return number.is_number() ? number : Json(nullptr);
}

std::optional<Seconds> time_in(const std::string& microseconds) {
  constexpr double kMicro = 1e-6;
  const auto number = parse_number(microseconds);
  if (!number) return {};
  return Seconds(*number * kMicro);
}

std::string time_text(const PredictedRow& row) {
  const auto time = time_in(row.predicted[kTimeCell]);
  const auto low = time_in(row.predicted[kLowCell]), high = time_in(row.predicted[kHighCell]);
  if (!time) return row.predicted[kTimeCell];
  return print(*time, low && high ? std::optional(Interval{*low, *high}) : std::nullopt);
}

std::string reasons_text(const PredictedTable& table) {
  std::map<std::string, std::size_t> rows;
  for (const PredictedRow& row : table.rows) {
    if (!row.no_interval.empty()) ++rows[row.no_interval];
  }
  std::string text;
  for (const auto& [why, count] : rows) text += fmt::format("no interval for {}: {}\n", counted(count, "row"), why);
  return text.empty() ? "" : "\n" + text;
}

}  // namespace

std::string predicted_csv(const PredictedTable& table) {
  std::vector<std::string> header = table.columns;
  const auto places = place_columns(header, kPredictedNames);
  std::string text = write_csv_row(header);
  for (const PredictedRow& row : table.rows) {
    std::vector<std::string> cells = row.cells;
    cells.resize(header.size());
    for (std::size_t i = 0; i < places.size(); ++i) cells[places[i]] = row.predicted[i];
    text += write_csv_row(cells);
  }
  return text;
}

std::string predicted_json(const PredictedTable& table) {
  Json json = {{"schema", "rooftile/predicted-table/1"}, {"rows", Json::array()}};
  for (const PredictedRow& row : table.rows) {
    Json object = Json::object();
    for (std::size_t i = 0; i < row.cells.size(); ++i) object[table.columns[i]] = row.cells[i];
    for (std::size_t i = 0; i < kPredictedColumns; ++i) {
      object[kPredictedNames[i]] = predicted_value(row.predicted[i], i);
    }
    if (!row.no_interval.empty()) object["no_interval"] = row.no_interval;
    json["rows"].push_back(std::move(object));
  }
  // A table may hold any bytes; what is not UTF-8 is replaced, not fatal.
  return json_text(json);
}

std::string predicted_text(const PredictedTable& table, std::size_t width) {
  TextTable text({{"line", Align::right},
                  {"row"},
                  {"gpu", Align::left, Cut::never},
                  {"time", Align::right},
                  {"limited by", Align::left, Cut::never}});
  for (const PredictedRow& row : table.rows) {
    const std::string& bottleneck = row.predicted[kBottleneckCell];
    text.add({grouped(static_cast<double>(row.line)), row.label, row.gpu, time_text(row),
              bottleneck.empty() ? "-" : bottleneck});
  }
  return text.text(width, "") + reasons_text(table);
}

}  // namespace rooftile
