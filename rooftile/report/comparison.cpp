// The table of a comparison.
#include "rooftile/report/comparison.hpp"

#include <algorithm>
#include <functional>

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
  std::string used = used_of(run.memory, run.capacity);
  if (run.fits()) return used;
  const std::string does = run.largest_batch && *run.largest_batch > 0
                               ? fmt::format(", batch {} does", *run.largest_batch)
                               : (run.largest_batch ? ", nor does one sample" : "");
  return fmt::format("does not fit: {}{}", used, does);
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

struct TableColumn {
  TextTable::Column column;
  std::function<std::string(const ComparedRun&)> cell;
};

std::vector<TableColumn> columns_of(const ComparisonReport& report) {
  const std::vector<ComparedRun>& runs = report.comparison.runs;
  const auto any = [&](auto has) { return std::any_of(runs.begin(), runs.end(), has); };
  const auto several = [&](std::string ComparedRun::*part) {
    return any([&](const ComparedRun& run) { return run.*part != runs.front().*part; });
  };
  std::vector<TableColumn> columns;
  const auto text = [&](const char* name, auto cell, Cut cut = Cut::may) {
    columns.push_back({{name, Align::left, cut}, cell});
  };
  const auto number = [&](const char* name, auto cell) { columns.push_back({{name, Align::right}, cell}); };
  text(
      "gpu", [](const ComparedRun& run) { return run.gpu; }, Cut::never);
  if (several(&ComparedRun::model)) text("model", [](const ComparedRun& run) { return run.model; });
  number("batch", [](const ComparedRun& run) { return fmt::format("{}", run.batch_size); });
  if (several(&ComparedRun::precision)) text("precision", [](const ComparedRun& run) { return run.precision; });
  number("time", [](const ComparedRun& run) { return print(run.time); });
  number("samples/s", [](const ComparedRun& run) { return four_digits(run.samples_per_second()); });
  number("90 %", throughput_range);
  if (!report.comparison.baseline.empty()) {
    number("ratio", [](const ComparedRun& run) { return run.ratio ? fmt::format("{:.2f}", *run.ratio) : "-"; });
  }
  text("limit", [](const ComparedRun& run) { return run.limit; });
  number("busy", [](const ComparedRun& run) { return percent(run.gpu_busy, 1); });
  number("W", [](const ComparedRun& run) { return run.watts() ? fmt::format("{:.0f}", *run.watts()) : "-"; });
  number("USD/h", [](const ComparedRun& run) {
    if (!run.price) return std::string("-");
    return fmt::format("{:.3g}{}{}", run.price->usd_per_hour(), run.price->few ? " ?" : "", run.price->old ? " *" : "");
  });
  number("USD/1M", [](const ComparedRun& run) { return three_digits(run.per_million_samples()); });
  if (any([](const ComparedRun& run) { return run.samples.has_value(); })) {
    number("all in", [](const ComparedRun& run) { return print_duration(*run.total_time()); });
    number("USD", [](const ComparedRun& run) { return three_digits(run.total_cost()); });
  }
  if (any([](const ComparedRun& run) { return run.grams_per_joule.has_value(); })) {
    number("g CO2/1M", [](const ComparedRun& run) { return three_digits(run.grams_per_million_samples()); });
  }
  if (report.boards) {
    number("board USD",
           [](const ComparedRun& run) { return run.board ? fmt::format("{:.0f}", run.board->usd.value()) : "-"; });
    text("as", [](const ComparedRun& run) {
      return run.board ? fmt::format("{} {}", run.board->kind, run.board->date.substr(0, 4)) : "-";
    });
    number("pays after", [](const ComparedRun& run) {
      const auto months = run.break_even_months();
      return months ? fmt::format("{:.1f} months", *months) : "-";
    });
  }
  text("memory", memory_text, Cut::never);
  return columns;
}

}  // namespace

std::string comparison_table(const ComparisonReport& report, std::size_t width) {
  const Comparison& comparison = report.comparison;
  std::string text;
  for (const std::string& answer : report.answers) text += wrapped(answer, width, "  ") + "\n";
  if (!report.answers.empty()) text += "\n";
  text += fmt::format("{}, {}{}{}\n\n", comparison.pass, comparison.execution,
                      comparison.optimizer.empty() ? "" : ", " + comparison.optimizer,
                      comparison.baseline.empty() ? "" : ", against " + comparison.baseline);
  const std::vector<TableColumn> columns = columns_of(report);
  std::vector<TextTable::Column> headers;
  for (const TableColumn& column : columns) headers.push_back(column.column);
  TextTable table(std::move(headers));
  for (const ComparedRun& run : comparison.runs) {
    std::vector<std::string> cells;
    for (const TableColumn& column : columns) cells.push_back(column.cell(run));
    table.add(std::move(cells));
  }
  text += table.empty() ? "  no GPU is left\n" : table.text(width);
  const auto any_price = [&](bool GpuPrice::*mark) {
    return std::any_of(comparison.runs.begin(), comparison.runs.end(),
                       [&](const ComparedRun& run) { return run.price && (*run.price).*mark; });
  };
  if (any_price(&GpuPrice::few)) text += "  ?: of fewer than four offers, or of one provider\n";
  if (any_price(&GpuPrice::old)) text += "  *: the newest offer is more than 18 months old\n";
  if (!comparison.left_out.empty())
    text += fmt::format("\n  left out    {}\n", counted(comparison.left_out.size(), "GPU"));
  for (const std::string& line : comparison.left_out) text += wrapped("    " + line, width, "      ") + "\n";
  return text;
}

}  // namespace rooftile
