#include "rooftile/report/roofline_chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "rooftile/base/units_text.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {

using roofline::Kernel;
using roofline::View;

namespace {

constexpr std::array<std::string_view, 7> kChartNames = {"complexity",   "time",       "combined", "classic",
                                                         "hierarchical", "bottleneck", "stalls"};

struct LeftOut {
  const char* what = "";
  std::size_t count = 0;
  Seconds time;
};

}  // namespace

std::string_view name_of(RooflineChart chart) { return kChartNames[static_cast<std::size_t>(chart)]; }

std::vector<std::string> roofline_chart_names() { return {kChartNames.begin(), kChartNames.end()}; }

std::optional<RooflineChart> parse_roofline_chart(std::string_view text) {
  const auto found = std::find(kChartNames.begin(), kChartNames.end(), text);
  if (found == kChartNames.end()) return std::nullopt;
  return static_cast<RooflineChart>(found - kChartNames.begin());
}

PlacedKernels placed_kernels(const View& view, std::size_t level) {
  std::array<LeftOut, 3> left_out = {
      {{"without FLOPs", 0, {}}, {"without bytes", 0, {}}, {"of unknown FLOPs or bytes", 0, {}}}};
  PlacedKernels placed;
  for (const KernelGroup& group : equal_kernels(view.kernels)) {
    const Kernel& kernel = *group.kernel;
    const auto point = point_of(view, kernel, level);
    const Flops flops = kernel.total_flops();
    LeftOut* reason = nullptr;
    if (!point) {
      reason = &left_out[2];
    } else if (flops <= Flops(0)) {
      reason = &left_out[0];
    } else if (*kernel.bytes[level] <= Bytes(0)) {
      reason = &left_out[1];
    } else {
      placed.kernels.push_back({group, &kernel, *point, flops, *kernel.bytes[level]});
      continue;
    }
    reason->count += group.count;
    reason->time += group.time;
  }
  std::stable_sort(placed.kernels.begin(), placed.kernels.end(),
                   [](const PlacedKernel& a, const PlacedKernel& b) { return a.group.time > b.group.time; });
  for (const LeftOut& reason : left_out) {
    if (reason.count == 0) continue;
    placed.left_out += fmt::format("{} {} {} {} ({})", placed.left_out.empty() ? "Not drawn:" : ",", reason.count,
                                   reason.count == 1 ? "kernel" : "kernels", reason.what, print(reason.time));
  }
  if (!placed.left_out.empty()) placed.left_out += ".";
  return placed;
}

std::string called(const PlacedKernel& placed) {
  const Kernel& kernel = *placed.kernel;
  const bool by_layer = placed.group.count == 1 && label_of(kernel) != title_of(kernel);
  return by_layer ? shorten(kernel.layer, kNameWidth) : short_name(placed.group, kNameWidth);
}

void add_point(ChartSeries& series, const PlacedKernel& placed, std::pair<double, double> place) {
  series.data.push_back(place);
  series.names.push_back(title_of(placed.group));
}

std::vector<Peak> roofs_of(const std::vector<PlacedKernel>& kernels) {
  std::array<Seconds, kPeaks> times{};
  for (const PlacedKernel& placed : kernels) times[static_cast<std::size_t>(placed.point.peak)] += placed.group.time;
  std::vector<Peak> roofs;
  for (std::size_t i = 0; i < kPeaks; ++i) {
    if (times[i] > Seconds(0)) roofs.push_back(static_cast<Peak>(i));
  }
  std::stable_sort(roofs.begin(), roofs.end(), [&](Peak a, Peak b) {
    return times[static_cast<std::size_t>(a)] > times[static_cast<std::size_t>(b)];
  });
  return roofs;
}

std::string roof_dashes(std::size_t place) {
  constexpr std::array<std::string_view, 4> kDashes = {"", "8 3", "3 3", "8 3 2 3"};
  return std::string(kDashes[place % kDashes.size()]);
}

void widen(Axis& axis) {
  constexpr double kLeast = 10;
  const double ratio = axis.high / axis.low;
  if (ratio >= kLeast) return;
  const double factor = std::sqrt(kLeast / ratio);
  axis.low /= factor;
  axis.high *= factor;
}

std::string roofline_svg(const View& view, RooflineChart chart, RooflineAxes axes) {
  switch (chart) {
    case RooflineChart::complexity:
      return complexity_chart(view, axes);
    case RooflineChart::time:
      return time_chart(view, axes);
    case RooflineChart::combined:
      return combined_chart(view, axes);
    case RooflineChart::classic:
      return classic_chart(view);
    case RooflineChart::hierarchical:
      return hierarchical_chart(view);
    case RooflineChart::bottleneck:
      return bottleneck_bars(view);
    case RooflineChart::stalls:
      return stall_bars(view);
  }
  return "";
}

}  // namespace rooftile
