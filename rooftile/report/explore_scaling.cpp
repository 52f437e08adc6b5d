#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "rooftile/base/csv.hpp"
#include "rooftile/report/explore.hpp"
#include "rooftile/report/scaled_resources.hpp"
#include "rooftile/report/svg.hpp"
#include "rooftile/report/svg_chart.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {
namespace {

// Bottlenecks that limit anything in the study.
std::vector<std::size_t> bottlenecks_of(std::span<const ScalingRow> rows) {
  std::vector<std::size_t> present;
  for (std::size_t b = 0; b < kBottlenecks; ++b) {
    if (std::any_of(rows.begin(), rows.end(), [&](const ScalingRow& row) { return row.layers[b] > 0; })) {
      present.push_back(b);
    }
  }
  return present;
}

}  // namespace

std::string scaling_table(std::string_view what, std::span<const ScalingRow> rows, std::size_t width) {
  const std::vector<std::size_t> present = bottlenecks_of(rows);
  std::vector<TextTable::Column> columns = {{"option"}};
  for (const ScaledResource& resource : kScaledResources) columns.push_back({std::string(resource.name), Align::right});
  columns.push_back({"time", Align::right});
  columns.push_back({"speedup", Align::right});
  for (const std::size_t b : present) {
    columns.push_back({std::string(name_of(static_cast<Bottleneck>(b))), Align::right});
  }
  TextTable table(std::move(columns));
  for (const ScalingRow& row : rows) {
    std::vector<std::string> cells = {row.option.name == "0" ? "as it is" : std::string(row.option.name)};
    for (const ScaledResource& resource : kScaledResources) {
      const bool tile = resource.column == "cta_tile";
      const double multiple = row.option.*resource.multiple;
      cells.push_back(tile ? fmt::format("{}", multiple) : (multiple == 1 ? "" : fmt::format("{}x", multiple)));
    }
    if (row.unfit != Unfit::none) {
      cells.emplace_back("-");
      cells.emplace_back("-");
    } else {
      cells.push_back(time_label(row.time));
      cells.push_back(fmt::format("{:.2f}", row.speedup));
      for (const std::size_t b : present) {
        cells.push_back(row.layers[b] == 0 ? ""
                                           : fmt::format("{} ({:g})", percent(row.shares[b], row.time), row.layers[b]));
      }
    }
    table.add(std::move(cells));
  }
  std::string text = fmt::format("{}\n{}\n", page_line(what, width, "  "), table.text(width));
  for (const ScalingRow& row : rows) {
    if (row.unfit != Unfit::none) text += fmt::format("Option {}: {}.\n", row.option.name, reason_of(row.unfit));
  }
  return text + "Under each thing: the share of time, and the number of layers, that it limits.\n";
}

std::string scaling_csv(std::span<const ScalingRow> rows) {
  std::vector<std::string> names = {"option"};
  for (const ScaledResource& resource : kScaledResources) names.emplace_back(resource.column);
  for (const char* name : {"time_s", "speedup", "unfit"}) names.emplace_back(name);
  for (std::size_t b = 0; b < kBottlenecks; ++b) {
    names.push_back(fmt::format("limited_by_{}_s", name_of(static_cast<Bottleneck>(b))));
  }
  for (std::size_t b = 0; b < kBottlenecks; ++b) {
    names.push_back(fmt::format("layers_limited_by_{}", name_of(static_cast<Bottleneck>(b))));
  }
  std::string text = write_csv_row(names);
  for (const ScalingRow& row : rows) {
    std::vector<std::string> cells = {std::string(row.option.name)};
    for (const ScaledResource& resource : kScaledResources)
      cells.push_back(fmt::format("{}", row.option.*resource.multiple));
    const bool fit = row.unfit == Unfit::none;
    cells.push_back(fit ? fmt::format("{:.6g}", row.time) : "");
    cells.push_back(fit ? fmt::format("{:.6g}", row.speedup) : "");
    cells.emplace_back(name_of(row.unfit));
    for (const double share : row.shares) cells.push_back(fit ? fmt::format("{:.6g}", share) : "");
    for (const double layers : row.layers) cells.push_back(fit ? fmt::format("{}", layers) : "");
    text += write_csv_row(cells);
  }
  return text;
}

namespace {

std::string_view colour_of(std::size_t bottleneck) {
  return limit_colour(name_of(static_cast<Bottleneck>(bottleneck))).light;
}

}  // namespace

std::string scaling_svg(std::string_view what, std::span<const ScalingRow> rows) {
  constexpr double kLeft = 70, kTop = 56, kPlot = 200, kGap = 40, kBottom = 52, kBar = 56, kLegend = 120;
  constexpr double kTitle = 14, kSmall = 11, kFill = 0.7;
  const double width = kBar * static_cast<double>(rows.size());
  Svg svg(kLeft + width + kLegend, kTop + 2 * kPlot + kGap + kBottom);
  const std::size_t colon = std::min(what.find(": "), what.size());
  svg.text(kLeft, 20, what.substr(0, colon), {.size = kTitle, .bold = true});
  if (colon < what.size()) svg.text(kLeft, 38, what.substr(colon + 2), {.size = kSmall});
  const double base = kTop + kPlot, shares_top = base + kGap, shares_base = shares_top + kPlot;

  double most = 1;
  for (const ScalingRow& row : rows) most = std::max(most, row.unfit == Unfit::none ? row.speedup : 0);
  const double high = std::ceil(most);
  for (int line = 0; line <= static_cast<int>(high); ++line) {
    const double y = base - kPlot * line / high;
    svg.line(kLeft, y, kLeft + width, y, fmt::format("stroke=\"{}\"", kGrid.light));
    svg.text(kLeft - 8, y + 4, fmt::format("{}", line), {.anchor = "end", .size = kSmall});
  }
  constexpr int kQuarters = 4;
  for (int quarter = 0; quarter <= kQuarters; ++quarter) {
    const double y = shares_base - kPlot * quarter / kQuarters;
    svg.line(kLeft, y, kLeft + width, y, fmt::format("stroke=\"{}\"", kGrid.light));
    svg.text(kLeft - 8, y + 4, fmt::format("{} %", 100 * quarter / kQuarters), {.anchor = "end", .size = kSmall});
  }
  const std::vector<std::size_t> present = bottlenecks_of(rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ScalingRow& row = rows[i];
    const double left = kLeft + kBar * (static_cast<double>(i) + (1 - kFill) / 2);
    const double middle = kLeft + kBar * (static_cast<double>(i) + 0.5);
    svg.text(middle, shares_base + 18, row.option.name == "0" ? "as it is" : row.option.name,
             {.anchor = "middle", .size = kSmall});
    if (row.unfit != Unfit::none) continue;
    const double height = kPlot * row.speedup / high;
    svg.rectangle(left, base - height, kBar * kFill, height, fmt::format("fill=\"{}\"", kOther.light),
                  fmt::format("option {}: {:.2f}x, {}", row.option.name, row.speedup, time_label(row.time)));
    svg.text(middle, base - height - 5, fmt::format("{:.2f}", row.speedup), {.anchor = "middle", .size = kSmall});
    double bottom = shares_base;
    for (const std::size_t limit : present) {
      const double part = kPlot * row.shares[limit] / row.time;
      if (part <= 0) continue;
      bottom -= part;
      svg.rectangle(left, bottom, kBar * kFill, part, fmt::format("fill=\"{}\"", colour_of(limit)),
                    fmt::format("option {}: {} {} of the time", row.option.name,
                                name_of(static_cast<Bottleneck>(limit)), percent(row.shares[limit], row.time)));
    }
  }
  svg.text(20, kTop + kPlot / 2, "speedup", {.anchor = "middle", .rotate = -90});
  svg.text(20, shares_top + kPlot / 2, "share of time", {.anchor = "middle", .rotate = -90});
  svg.text(kLeft + width / 2, shares_base + 42, "option of Table 16a", {.anchor = "middle"});
  for (std::size_t p = 0; p < present.size(); ++p) {
    constexpr double kLine = 20, kSwatch = 12;
    const double y = shares_top + kLine * static_cast<double>(p);
    svg.rectangle(kLeft + width + 16, y, kSwatch, kSwatch, fmt::format("fill=\"{}\"", colour_of(present[p])));
    svg.text(kLeft + width + 34, y + 10, name_of(static_cast<Bottleneck>(present[p])), {.size = kSmall});
  }
  return svg.document();
}

}  // namespace rooftile
