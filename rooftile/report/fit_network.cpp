#include "rooftile/report/fit_network.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "rooftile/learn/networks/network_published.hpp"
#include "rooftile/report/regression.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {
namespace {

constexpr std::size_t kFewFits = 6;  // whose coefficients are shown unasked

std::string count(std::size_t number) { return grouped(static_cast<double>(number)); }

std::string share(const std::optional<double>& value) { return value ? percent(*value, 1) : "-"; }

std::string factor(const std::optional<regression::Interval>& interval) {
  return interval ? fmt::format("{:.3g}", interval->factor) : "-";
}

std::string name_of(const NetworkGroup& group) {
  return group.key.empty() ? "all rows" : fmt::format("{}", fmt::join(group.key, ", "));
}

std::string rows_line(const RunRows& rows, const NetworkFit& fit, std::size_t width) {
  std::string text = counted(rows.rows.size(), "row");
  const auto add = [&](std::size_t number, const char* what) {
    if (number > 0) text += fmt::format(", {} {}", count(number), what);
  };
  add(rows.duplicates, "repeated and counted once");
  add(rows.flagged, "flagged and left out");
  add(rows.unmeasured, "without a time");
  text = page_line(fmt::format("{}; {}", text, fit.split), width, "  ");
  if (fit.groups_without_split > 0) {
    text += page_line(
        fmt::format("left out: {} with rows on only one side of the split", counted(fit.groups_without_split, "group")),
        width, "  ");
  }
  return text;
}

std::string groups_table(const NetworkFit& fit, std::size_t width) {
  TextTable table({{fit.by.empty() ? "group" : fmt::format("{}", fmt::join(fit.by, ", ")), Align::left},
                   {"way"},
                   {"fitted", Align::right},
                   {"MAPE", Align::right},
                   {"CV MAPE", Align::right},
                   {"held out", Align::right},
                   {"MAPE", Align::right},
                   {"median", Align::right},
                   {"GMAE", Align::right},
                   {"90 % factor", Align::right},
                   {"inside", Align::right}});
  for (const NetworkGroup& group : fit.groups) {
    std::string name = name_of(group);
    for (const NetworkVerdict& verdict : group.verdicts) {
      const regression::FittedEquation& equation = verdict.fit.equation;
      table.add({name, verdict.way, count(group.training), percent(verdict.training.mape, 1),
                 share(equation.figures.held_out_mape), count(group.validation), percent(verdict.validation.mape, 1),
                 percent(verdict.validation.median, 1), share(verdict.validation.gmae), factor(equation.interval),
                 share(verdict.validation.inside)});
      name.clear();
    }
  }
  return table.text(width);
}

std::string totals_table(const NetworkFit& fit, std::size_t width) {
  TextTable table({{"all groups"},
                   {"groups", Align::right},
                   {"fitted", Align::right},
                   {"held out", Align::right},
                   {"MAPE", Align::right},
                   {"median", Align::right},
                   {"p90", Align::right},
                   {"GMAE", Align::right},
                   {"inside", Align::right}});
  for (const NetworkTotal& total : fit.totals) {
    const regression::Errors& errors = total.validation;
    table.add({total.way, count(total.groups), count(total.training), count(errors.rows), percent(errors.mape, 1),
               percent(errors.median, 1), percent(errors.p90, 1), share(errors.gmae), share(errors.inside)});
  }
  return table.text(width);
}

std::string ways_text(const NetworkFit& fit, std::size_t width) {
  std::string text;
  for (const NetworkTotal& total : fit.totals) {
    const auto way = parse_way(total.way);
    if (way) text += page_line(fmt::format("  {:<9} {}", total.way, description_of(*way)), width, "            ");
  }
  return text;
}

std::string published_text(const NetworkFit& fit, std::size_t width) {
  std::set<std::string_view> kinds;
  for (const std::string& column : fit.beyond_columns) {
    if (const std::string_view kind = published_kind(column); !kind.empty()) kinds.insert(kind);
  }
  if (kinds.empty()) return "";
  std::string text = page_line(
      "Published for other networks and boards (Gianniti, Zhang, Ardagna, SBAC-PAD 2018 poster; the data is not "
      "public):",
      width, "");
  for (const PublishedErrors& one : published_errors()) {
    if (!kinds.contains(one.beyond)) continue;
    const auto [low, high] = std::minmax_element(one.mape.begin(), one.mape.end());
    const std::string range = *low == *high ? percent(*low, 1) : percent(*low, 1) + " to " + percent(*high, 1);
    text +=
        page_line(fmt::format("  {}, {}, {}: MAPE {} ({})", one.beyond, one.network, one.framework, range, one.cases),
                  width, "    ");
  }
  return text;
}

std::string details_of(const NetworkGroup& group, std::size_t width) {
  std::string text;
  for (const NetworkVerdict& verdict : group.verdicts) {
    regression::FittedEquation named = verdict.fit.equation;
    named.name = fmt::format("{}: {}", name_of(group), verdict.way);
    text += "\n" + coefficient_table(named, width);
    text += fit_warnings_text(verdict.fit.warnings, width) + fit_warnings_text(verdict.beyond, width);
  }
  for (const Error& error : group.left_out) {
    text +=
        "\n" + page_line(fmt::format("{}: {} left out: {}", name_of(group), error.where, error.message), width, "  ");
  }
  return text;
}

}  // namespace

std::string network_fit_report(const NetworkFit& fit, const RunRows& rows, bool details, std::size_t width) {
  std::string text = rows_line(rows, fit, width) + "\n" + groups_table(fit, width);
  if (fit.groups.size() > 1) text += "\n" + totals_table(fit, width);
  if (const std::string ways = ways_text(fit, width); !ways.empty()) text += "\n" + ways;
  if (const std::string published = published_text(fit, width); !published.empty()) text += "\n" + published;
  std::size_t fits = 0;
  for (const NetworkGroup& group : fit.groups) fits += group.verdicts.size();
  if (!details && fits > kFewFits) return text + "\nCoefficients, standard errors and warnings: --details\n";
  for (const NetworkGroup& group : fit.groups) text += details_of(group, width);
  return text;
}

}  // namespace rooftile
