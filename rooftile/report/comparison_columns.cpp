// What a run of a comparison is, column by column: JSON and CSV.
#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "rooftile/base/csv.hpp"
#include "rooftile/base/threads.hpp"
#include "rooftile/report/comparison.hpp"
#include "rooftile/report/json_text.hpp"
#include "rooftile/report/memory_fit.hpp"
#include "rooftile/report/price_json.hpp"

namespace rooftile {
namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(std::optional<double> value) { return value ? Json(*value) : Json(nullptr); }
template <class Q>
Json amount_or_null(const std::optional<Q>& value) {
  return value ? Json(value->value()) : Json(nullptr);
}
Json text_or_null(const std::string& value) { return value.empty() ? Json(nullptr) : Json(value); }

Json usd_per_hour(const std::optional<DollarsPerSecond>& rate) {
  constexpr double kHour = 3600;  // seconds
  return rate ? Json(rate->value() * kHour) : Json(nullptr);
}

Json price_text(const ComparedRun& run, std::string GpuPrice::*text) {
  return run.price ? text_or_null((*run.price).*text) : Json(nullptr);
}
Json board_text(const ComparedRun& run, std::string BoardPrice::*text) {
  return run.board ? text_or_null((*run.board).*text) : Json(nullptr);
}

struct ComparedColumn {
  std::string_view name;
  Json (*value)(const ComparedRun&);
};

constexpr std::array kColumns = {
    ComparedColumn{"model", [](const ComparedRun& run) { return Json(run.model); }},
    ComparedColumn{"gpu", [](const ComparedRun& run) { return Json(run.gpu); }},
    ComparedColumn{"batch_size", [](const ComparedRun& run) { return Json(run.batch_size); }},
    ComparedColumn{"precision", [](const ComparedRun& run) { return Json(run.precision); }},
    ComparedColumn{"time_s", [](const ComparedRun& run) { return Json(run.time.value()); }},
    ComparedColumn{
        "time_low_s",
        [](const ComparedRun& run) { return run.interval ? Json(run.interval->low.value()) : Json(nullptr); }},
    ComparedColumn{
        "time_high_s",
        [](const ComparedRun& run) { return run.interval ? Json(run.interval->high.value()) : Json(nullptr); }},
    ComparedColumn{"throughput_per_s", [](const ComparedRun& run) { return Json(run.samples_per_second()); }},
    ComparedColumn{"ratio", [](const ComparedRun& run) { return number_or_null(run.ratio); }},
    ComparedColumn{"limit", [](const ComparedRun& run) { return Json(run.limit); }},
    ComparedColumn{"input_limit", [](const ComparedRun& run) { return text_or_null(run.input_limit); }},
    ComparedColumn{"widened", [](const ComparedRun& run) { return Json(run.widened); }},
    ComparedColumn{"gpu_busy", [](const ComparedRun& run) { return Json(run.gpu_busy); }},
    ComparedColumn{"peak_share", [](const ComparedRun& run) { return Json(run.peak_share); }},
    ComparedColumn{"cpu_busy", [](const ComparedRun& run) { return number_or_null(run.cpu_busy); }},
    ComparedColumn{"fits", [](const ComparedRun& run) { return Json(run.fits()); }},
    ComparedColumn{"memory_gib", [](const ComparedRun& run) { return Json(run.memory.value() / kGiB); }},
    ComparedColumn{"capacity_gib", [](const ComparedRun& run) { return Json(run.capacity.value() / kGiB); }},
    ComparedColumn{"largest_batch",
                   [](const ComparedRun& run) { return run.largest_batch ? Json(*run.largest_batch) : Json(nullptr); }},
    ComparedColumn{"watts", [](const ComparedRun& run) { return number_or_null(run.watts()); }},
    ComparedColumn{"joules_per_sample", [](const ComparedRun& run) { return number_or_null(run.joules_per_sample()); }},
    ComparedColumn{"gco2_per_million_samples",
                   [](const ComparedRun& run) { return number_or_null(run.grams_per_million_samples()); }},
    ComparedColumn{"usd_per_hour",
                   [](const ComparedRun& run) { return run.price ? Json(run.price->usd_per_hour()) : Json(nullptr); }},
    ComparedColumn{"usd_per_million_samples",
                   [](const ComparedRun& run) { return amount_or_null(run.per_million_samples()); }},
    ComparedColumn{"price_kind", [](const ComparedRun& run) { return price_text(run, &GpuPrice::kind); }},
    ComparedColumn{"price_date", [](const ComparedRun& run) { return price_text(run, &GpuPrice::date); }},
    ComparedColumn{"price_offers",
                   [](const ComparedRun& run) {
                     return run.price && run.price->offers > 0 ? Json(run.price->offers) : Json(nullptr);
                   }},
    ComparedColumn{"price_low_usd_per_hour",
                   [](const ComparedRun& run) { return usd_per_hour(run.price ? run.price->lowest : std::nullopt); }},
    ComparedColumn{"price_high_usd_per_hour",
                   [](const ComparedRun& run) { return usd_per_hour(run.price ? run.price->highest : std::nullopt); }},
    ComparedColumn{"price_source", [](const ComparedRun& run) { return price_text(run, &GpuPrice::source); }},
    ComparedColumn{"epoch_s", [](const ComparedRun& run) { return amount_or_null(run.epoch_time()); }},
    ComparedColumn{"epoch_usd", [](const ComparedRun& run) { return amount_or_null(run.epoch_cost()); }},
    ComparedColumn{"total_s", [](const ComparedRun& run) { return amount_or_null(run.total_time()); }},
    ComparedColumn{"total_usd", [](const ComparedRun& run) { return amount_or_null(run.total_cost()); }},
    ComparedColumn{"board_usd",
                   [](const ComparedRun& run) { return run.board ? Json(run.board->usd.value()) : Json(nullptr); }},
    ComparedColumn{"board_kind", [](const ComparedRun& run) { return board_text(run, &BoardPrice::kind); }},
    ComparedColumn{"board_date", [](const ComparedRun& run) { return board_text(run, &BoardPrice::date); }},
    ComparedColumn{"board_source", [](const ComparedRun& run) { return board_text(run, &BoardPrice::source); }},
    ComparedColumn{"break_even_months", [](const ComparedRun& run) { return number_or_null(run.break_even_months()); }},
};

Json grid_json(const Grid& grid) {
  return {{"grams_per_kwh", grid.grams_per_kwh},
          {"country", text_or_null(grid.country)},
          {"year", grid.year == 0 ? Json(nullptr) : Json(grid.year)},
          {"source", text_or_null(grid.source)}};
}

// What is no text, without quotes.
void append_bare(const Json& value, std::string& text) {
  if (value.is_null()) return;
  if (value.is_number_float()) return append_json_number(value.get<double>(), text);
  text += value.dump();
}

std::string cell_of(const ComparedRun& run, const ComparedColumn& column) {
  Json value = column.value(run);
  if (value.is_string()) return std::move(value.get_ref<std::string&>());
  std::string cell;
  append_bare(value, cell);
  return cell;
}

void append_row(const ComparedRun& run, std::string& text) {
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    if (i > 0) text += ',';
    const Json value = kColumns[i].value(run);
    if (value.is_string()) {
      append_csv_cell(value.get_ref<const std::string&>(), text);
    } else {
      append_bare(value, text);
    }
  }
  text += '\n';
}

}  // namespace

std::vector<std::string> comparison_columns() {
  std::vector<std::string> names;
  for (const ComparedColumn& column : kColumns) names.emplace_back(column.name);
  return names;
}

std::string comparison_cell(const ComparedRun& run, const std::string& name) {
  for (const ComparedColumn& column : kColumns) {
    if (column.name == name) return cell_of(run, column);
  }
  return "";
}

bool most_is_best(const std::string& column) {
  constexpr std::array<std::string_view, 5> kMost = {"throughput_per_s", "ratio", "gpu_busy", "peak_share",
                                                     "largest_batch"};
  return std::find(kMost.begin(), kMost.end(), column) != kMost.end();
}

std::string comparison_json(const ComparisonReport& report) {
  const Comparison& comparison = report.comparison;
  Json json = {{"schema", "rooftile/comparison/1"}, {"pass", comparison.pass},
               {"execution", comparison.execution}, {"baseline", text_or_null(comparison.baseline)},
               {"answers", report.answers},         {"runs", Json::array()},
               {"left_out", comparison.left_out},   {"notes", comparison.notes}};
  if (!comparison.optimizer.empty()) json["optimizer"] = comparison.optimizer;
  if (comparison.grid) json["grid"] = grid_json(*comparison.grid);
  for (const ComparedRun& run : comparison.runs) {
    Json row;
    for (const ComparedColumn& column : kColumns) row[std::string(column.name)] = column.value(run);
    row["price"] = run.price ? price_json(*run.price) : Json(nullptr);
    json["runs"].push_back(std::move(row));
  }
  return json_text(json);
}

std::string comparison_csv(const ComparisonReport& report) {
  constexpr std::size_t kRowsOfThread = 500;  // fewer are written before a thread has started
  const std::span<const ComparedRun> runs = report.comparison.runs;
  std::vector<std::string> parts(std::min<std::size_t>(machine_threads(), 1 + runs.size() / kRowsOfThread));
  const std::size_t share = runs.size() / parts.size() + 1;
  on_threads(parts.size(), [&](std::size_t i) {
    const std::size_t begin = std::min(i * share, runs.size());
    for (const ComparedRun& run : runs.subspan(begin, std::min(share, runs.size() - begin))) append_row(run, parts[i]);
  });
  std::string csv = write_csv_row(comparison_columns());
  for (const std::string& part : parts) csv += part;
  return csv;
}

}  // namespace rooftile
