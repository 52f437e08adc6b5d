// What the table and the page show of a run.
#include "rooftile/report/shown_columns.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "rooftile/base/duration.hpp"
#include "rooftile/base/units_text.hpp"
#include "rooftile/report/memory_fit.hpp"

namespace rooftile {
namespace {

// "4,323 to 7,690".
std::string throughput_range(const ComparedRun& run) {
  if (!run.interval) return "-";
  const double samples = static_cast<double>(run.batch_size);
  return fmt::format("{} to {}", four_digits(samples / run.interval->high.value()),
                     four_digits(samples / run.interval->low.value()));
}

// "1.65 of 16 GiB", "does not fit: 41.5 of 24 GiB, batch 12 does".
std::string memory_text(const ComparedRun& run) {
  const std::string used = used_of(run.memory, run.capacity);
  return run.fits() ? used : fmt::format("does not fit: {}{}", used, what_fits(run.largest_batch));
}

// Whole from 1,000 on.
std::string three_digits(std::optional<double> value) {
  constexpr double kWhole = 1000;
  if (!value) return "-";
  return *value < kWhole ? fmt::format("{:.3g}", *value) : four_digits(*value);
}
std::string three_digits(std::optional<Dollars> value) {
  return three_digits(value ? std::optional(value->value()) : std::nullopt);
}

// "dram", "input: cores".
std::string limit_text(const ComparedRun& run) {
  return run.input_limit.empty() ? run.limit : fmt::format("{}: {}", run.limit, run.input_limit);
}

std::string hourly_text(const ComparedRun& run) {
  if (!run.price) return "-";
  return fmt::format("{:.3g}{}{}", run.price->usd_per_hour(), run.price->few ? " ?" : "", run.price->old ? " *" : "");
}

}  // namespace

std::vector<ShownColumn> shown_columns(const ComparisonReport& report, bool all) {
  const std::vector<ComparedRun>& runs = report.comparison.runs;
  const auto any = [&](auto has) { return std::any_of(runs.begin(), runs.end(), has); };
  const auto several = [&](std::string ComparedRun::*part) {
    return all || any([&](const ComparedRun& run) { return run.*part != runs.front().*part; });
  };
  std::vector<ShownColumn> columns;
  const auto text = [&](const char* name, const char* figure, auto cell, Cut cut = Cut::may) {
    columns.push_back({{name, Align::left, cut}, figure, cell});
  };
  const auto number = [&](const char* name, const char* figure, auto cell) {
    columns.push_back({{name, Align::right}, figure, cell});
  };
  text(
      "gpu", "gpu", [](const ComparedRun& run) { return run.gpu; }, Cut::never);
  if (several(&ComparedRun::model)) text("model", "model", [](const ComparedRun& run) { return run.model; });
  number("batch", "batch_size", [](const ComparedRun& run) { return fmt::format("{}", run.batch_size); });
  if (several(&ComparedRun::precision)) {
    text("precision", "precision", [](const ComparedRun& run) { return run.precision; });
  }
  number("time", "time_s", [](const ComparedRun& run) { return print(run.time); });
  number("samples/s", "throughput_per_s", [](const ComparedRun& run) { return four_digits(run.samples_per_second()); });
  number("90 %", "time_low_s", throughput_range);
  if (!report.comparison.baseline.empty()) {
    number("ratio", "ratio",
           [](const ComparedRun& run) { return run.ratio ? fmt::format("{:.2f}", *run.ratio) : "-"; });
  }
  text("limit", "limit", limit_text);
  number("busy", "gpu_busy", [](const ComparedRun& run) { return percent(run.gpu_busy, 1); });
  number("W", "watts", [](const ComparedRun& run) { return run.watts() ? fmt::format("{:.0f}", *run.watts()) : "-"; });
  number("J/sample", "joules_per_sample", [](const ComparedRun& run) { return three_digits(run.joules_per_sample()); });
  number("USD/h", "usd_per_hour", hourly_text);
  number("USD/1M", "usd_per_million_samples",
         [](const ComparedRun& run) { return three_digits(run.per_million_samples()); });
  if (any([](const ComparedRun& run) { return run.samples && run.epochs > 1; })) {
    number("USD/epoch", "epoch_usd", [](const ComparedRun& run) { return three_digits(run.epoch_cost()); });
  }
  if (any([](const ComparedRun& run) { return run.samples.has_value(); })) {
    number("all in", "total_s", [](const ComparedRun& run) { return print_duration(*run.total_time()); });
    number("USD", "total_usd", [](const ComparedRun& run) { return three_digits(run.total_cost()); });
  }
  if (any([](const ComparedRun& run) { return run.grams_per_joule.has_value(); })) {
    number("g CO2/1M", "gco2_per_million_samples",
           [](const ComparedRun& run) { return three_digits(run.grams_per_million_samples()); });
  }
  if (report.boards) {
    number("board USD", "board_usd",
           [](const ComparedRun& run) { return run.board ? fmt::format("{:.0f}", run.board->usd.value()) : "-"; });
    text("as", "board_kind", [](const ComparedRun& run) {
      return run.board ? fmt::format("{} {}", run.board->kind, run.board->date.substr(0, 4)) : "-";
    });
    number("pays after", "break_even_months", [](const ComparedRun& run) {
      const auto months = run.break_even_months();
      return months ? fmt::format("{:.1f} months", *months) : "-";
    });
  }
  text("memory", "memory_gib", memory_text, Cut::never);
  return columns;
}

}  // namespace rooftile
