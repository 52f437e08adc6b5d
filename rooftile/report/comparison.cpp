#include "rooftile/report/comparison.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "rooftile/base/csv.hpp"
#include "rooftile/base/units_text.hpp"
#include "rooftile/report/interval.hpp"
#include "rooftile/timing/roofline.hpp"

namespace rooftile {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kGiB = 1024.0 * 1024 * 1024;
constexpr double kMillion = 1e6;

std::string limit_of(const ComparedRun& run) { return run.host_bound ? "host" : std::string(name_of(run.limit)); }

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

// A column of the CSV: its name, and the value of a run as JSON.
struct Column {
  std::string_view name;
  Json (*value)(const ComparedRun&);
};

constexpr std::array kColumns = {
    Column{"model", [](const ComparedRun& run) { return Json(run.model); }},
    Column{"gpu", [](const ComparedRun& run) { return Json(run.gpu); }},
    Column{"batch_size", [](const ComparedRun& run) { return Json(run.batch_size); }},
    Column{"precision", [](const ComparedRun& run) { return Json(run.precision); }},
    Column{"time_s", [](const ComparedRun& run) { return Json(run.time.value()); }},
    Column{"time_low_s",
           [](const ComparedRun& run) { return run.interval ? Json(run.interval->low.value()) : Json(nullptr); }},
    Column{"time_high_s",
           [](const ComparedRun& run) { return run.interval ? Json(run.interval->high.value()) : Json(nullptr); }},
    Column{"throughput_per_s", [](const ComparedRun& run) { return Json(run.samples_per_second()); }},
    Column{"ratio", [](const ComparedRun& run) { return run.ratio ? Json(*run.ratio) : Json(nullptr); }},
    Column{"limit", [](const ComparedRun& run) { return Json(limit_of(run)); }},
    Column{"gpu_busy", [](const ComparedRun& run) { return Json(run.gpu_busy); }},
    Column{"fits", [](const ComparedRun& run) { return Json(run.fits()); }},
    Column{"memory_gib", [](const ComparedRun& run) { return Json(run.memory.value() / kGiB); }},
    Column{"capacity_gib", [](const ComparedRun& run) { return Json(run.capacity.value() / kGiB); }},
    Column{"watts", [](const ComparedRun& run) { return Json(run.watts()); }},
    Column{"joules_per_sample",
           [](const ComparedRun& run) { return Json(run.energy.value() / static_cast<double>(run.batch_size)); }},
    Column{"usd_per_hour",
           [](const ComparedRun& run) { return run.price ? Json(run.price->usd_per_hour()) : Json(nullptr); }},
    Column{"usd_per_million_samples",
           [](const ComparedRun& run) {
             const auto cost = run.per_million_samples();
             return cost ? Json(cost->value()) : Json(nullptr);
           }},
    Column{"price_date", [](const ComparedRun& run) { return text_or_null(run.price ? run.price->date : ""); }},
    Column{"price_source", [](const ComparedRun& run) { return run.price ? Json(run.price->source) : Json(nullptr); }},
};

// "4,323 to 7,690".
std::string throughput_range(const ComparedRun& run) {
  const double samples = static_cast<double>(run.batch_size);
  return fmt::format("{} to {}", four_digits(samples / run.interval->high.value()),
                     four_digits(samples / run.interval->low.value()));
}

// "1.65 GiB", "41.5 of 24 GiB: does not fit".
std::string memory_text(const ComparedRun& run) {
  const double used = run.memory.value() / kGiB, capacity = run.capacity.value() / kGiB;
  if (run.fits()) return fmt::format("{:.3g} of {:.4g} GiB", used, capacity);
  return fmt::format("does not fit: {:.4g} of {:.4g} GiB", used, capacity);
}

}  // namespace

std::optional<Dollars> ComparedRun::per_million_samples() const {
  if (!price) return std::nullopt;
  return price->rate * (time * (kMillion / static_cast<double>(batch_size)));
}

std::vector<std::string> comparison_columns() {
  std::vector<std::string> names;
  for (const Column& column : kColumns) names.emplace_back(column.name);
  return names;
}

std::string comparison_cell(const ComparedRun& run, const std::string& name) {
  for (const Column& column : kColumns) {
    if (column.name != name) continue;
    const Json value = column.value(run);
    if (value.is_null()) return "";
    return value.is_string() ? value.get<std::string>() : value.dump();
  }
  return "";
}

std::string comparison_table(const ComparisonReport& report, std::size_t width) {
  std::set<std::string> models;
  for (const ComparedRun& run : report.runs) models.insert(run.model);
  std::string text = fmt::format("{}, {}{}\n\n", report.pass, report.execution,
                                 report.baseline.empty() ? "" : ", against " + report.baseline);
  std::vector<TextTable::Column> columns = {{"gpu", Align::left, Cut::never}};
  if (models.size() > 1) columns.push_back({"model"});
  for (const char* name : {"batch", "time", "samples/s", "90 %"}) columns.push_back({name, Align::right});
  if (!report.baseline.empty()) columns.push_back({"ratio", Align::right});
  columns.insert(columns.end(), {{"limit"},
                                 {"busy", Align::right},
                                 {"W", Align::right},
                                 {"USD/h", Align::right},
                                 {"USD/1M", Align::right},
                                 {"memory", Align::left, Cut::never}});
  TextTable table(std::move(columns));
  for (const ComparedRun& run : report.runs) {
    const auto cost = run.per_million_samples();
    std::vector<std::string> cells = {run.gpu};
    if (models.size() > 1) cells.push_back(run.model);
    cells.push_back(fmt::format("{}", run.batch_size));
    cells.push_back(print(run.time));
    cells.push_back(four_digits(run.samples_per_second()));
    cells.push_back(run.interval ? throughput_range(run) : "-");
    if (!report.baseline.empty()) cells.push_back(run.ratio ? fmt::format("{:.2f}", *run.ratio) : "-");
    cells.push_back(limit_of(run));
    cells.push_back(percent(run.gpu_busy, 1));
    cells.push_back(fmt::format("{:.0f}", run.watts()));
    cells.push_back(run.price ? fmt::format("{:.3g}{}", run.price->usd_per_hour(), run.price->old ? " *" : "") : "-");
    cells.push_back(cost ? fmt::format("{:.3g}", cost->value()) : "-");
    cells.push_back(memory_text(run));
    table.add(std::move(cells));
  }
  text += table.empty() ? "  no GPU is left\n" : table.text(width);
  const auto is_old = [](const ComparedRun& run) { return run.price && run.price->old; };
  if (std::any_of(report.runs.begin(), report.runs.end(), is_old))
    text += "  *: the newest offer is more than 18 months old\n";
  if (!report.left_out.empty()) text += fmt::format("\n  left out    {} GPUs\n", report.left_out.size());
  for (const std::string& line : report.left_out) text += wrapped("    " + line, width, "      ") + "\n";
  return text;
}

std::string comparison_json(const ComparisonReport& report) {
  Json json = {{"schema", "rooftile/comparison/1"},
               {"pass", report.pass},
               {"execution", report.execution},
               {"baseline", report.baseline.empty() ? Json(nullptr) : Json(report.baseline)},
               {"runs", Json::array()},
               {"left_out", report.left_out}};
  for (const ComparedRun& run : report.runs) {
    Json row;
    for (const Column& column : kColumns) row[std::string(column.name)] = column.value(run);
    json["runs"].push_back(std::move(row));
  }
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string comparison_csv(const ComparisonReport& report) {
  std::string text = write_csv_row(comparison_columns());
  for (const ComparedRun& run : report.runs) {
    std::vector<std::string> cells;
    for (const Column& column : kColumns) cells.push_back(comparison_cell(run, std::string(column.name)));
    text += write_csv_row(cells);
  }
  return text;
}

}  // namespace rooftile
