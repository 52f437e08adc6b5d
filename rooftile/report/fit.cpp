#include "rooftile/report/fit.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/report/text.hpp"

namespace rooftile {
namespace {

using Fits = std::vector<const Fit*>;

TextTable table_of(const Fits& fits) {
  std::vector<TextTable::Column> columns = {{"constant"}, {"unit"}};
  for (const Fit* fit : fits) columns.push_back({fit->entry.scope, Align::right});
  return TextTable(std::move(columns));
}

template <class Cell>
void add_row(TextTable& table, const Fits& fits, std::string name, std::string unit, const Cell& cell) {
  std::vector<std::string> cells = {std::move(name), std::move(unit)};
  for (const Fit* fit : fits) cells.push_back(cell(*fit));
  table.add(std::move(cells));
}

std::string family_table(KernelFamily family, const Fits& fits, std::size_t width) {
  TextTable table = table_of(fits);
  const auto constants = constant_table(family);
  for (std::size_t i = 0; i < constants.size(); ++i) {
    if (!constants[i].fitted) continue;
    add_row(table, fits, std::string(constants[i].name), std::string(constants[i].unit), [&](const Fit& fit) {
      const bool unseen = std::count(fit.unseen.begin(), fit.unseen.end(), constants[i].name) > 0;
      const bool bound = std::count(fit.at_bound.begin(), fit.at_bound.end(), constants[i].name) > 0;
      return fmt::format("{:.3g}{}", fit.entry.constants.values[i], unseen ? "?" : (bound ? "!" : ""));
    });
  }
  add_row(table, fits, "rows", "", [](const Fit& fit) { return grouped(fit.entry.rows); });
  add_row(table, fits, "GMAE", "", [](const Fit& fit) { return percent(fit.entry.gmae, 1); });
  add_row(table, fits, "interval", "", [](const Fit& fit) {
    const auto& spread = fit.entry.spread;
    return spread ? fmt::format("{:.2f} to {:.2f}", spread->low, spread->high) : std::string("-");
  });
  return fmt::format("{}\n\n{}\n", name_of(family), table.text(width));
}

std::string confounded_lines(const Fits& fits) {
  std::string text;
  for (const Fit* fit : fits) {
    for (const auto& [first, second] : fit->confounded) {
      text += fmt::format("  {}: {} and {}\n", fit->entry.scope, first, second);
    }
  }
  return text.empty() ? text : "Not distinguishable from these rows (effects agree to 97 %):\n" + text + "\n";
}

std::string harness_table(const Calibration& calibration, std::size_t width) {
  constexpr double kMicro = 1e6;
  TextTable table({{"harness"},
                   {"family"},
                   {"GPU", Align::left, Cut::never},
                   {"overhead us", Align::right},
                   {"floor us", Align::right},
                   {"weight sets", Align::right},
                   {"rotates"},
                   {"launches per step", Align::right}});
  for (const Harness& harness : calibration.harnesses) {
    const bool tensor = on_tensor_cores(harness.family), recurrent = harness.family == KernelFamily::recurrent;
    table.add({harness.framework, std::string(name_of(harness.family)), harness.gpu.empty() ? "any" : harness.gpu,
               fmt::format("{:.1f}", harness.overhead.value() * kMicro),
               fmt::format("{:.1f}", harness.floor.value() * kMicro),
               tensor ? fmt::format("{:.3g}", harness.weight_sets) : "",
               !tensor           ? ""
               : harness.rotates ? "yes"
                                 : "no",
               recurrent ? fmt::format("{:.3g}", harness.step_launches) : ""});
  }
  return table.empty() ? std::string() : table.text(width);
}

}  // namespace

std::string fit_report(const CalibrationReport& report, std::size_t width) {
  std::string text = "Constants of method rooftile (?: not determined by the rows, !: at a bound)\n\n";
  for (const KernelFamily family : kKernelFamilies) {
    Fits fits;
    for (const Fit& fit : report.fits) {
      if (fit.entry.family == family) fits.push_back(&fit);
    }
    if (!fits.empty()) text += family_table(family, fits, width) + confounded_lines(fits);
  }
  for (const ForeignSpread& foreign : report.calibration.foreign_spreads) {
    if (!foreign.spread) continue;
    text += page_line(
        fmt::format("{}: GPUs by {} left out of the fit: measured / predicted {:.2f} to {:.2f} (central 90 %)",
                    name_of(foreign.family), foreign.vendor, foreign.spread->low, foreign.spread->high),
        width, "  ");
  }
  return text + "\n" + harness_table(report.calibration, width);
}

}  // namespace rooftile
