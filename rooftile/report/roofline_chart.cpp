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
  for (const Kernel& kernel : view.kernels) {
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
      placed.kernels.push_back({&kernel, *point, flops, *kernel.bytes[level]});
      continue;
    }
    ++reason->count;
    reason->time += kernel.time;
  }
  std::stable_sort(placed.kernels.begin(), placed.kernels.end(),
                   [](const PlacedKernel& a, const PlacedKernel& b) { return a.kernel->time > b.kernel->time; });
  for (const LeftOut& reason : left_out) {
    if (reason.count == 0) continue;
    placed.left_out += fmt::format("{} {} {} {} ({})", placed.left_out.empty() ? "Not drawn:" : ",", reason.count,
                                   reason.count == 1 ? "kernel" : "kernels", reason.what, print(reason.time));
  }
  if (!placed.left_out.empty()) placed.left_out += ".";
  return placed;
}

std::string called(const Kernel& kernel) {
  const bool by_layer = label_of(kernel) != title_of(kernel);
  return shorten(by_layer ? kernel.layer : title_of(kernel), kNameWidth);
}

std::string bar_colour(std::size_t place) {
  // Okabe and Ito's, then three of Paul Tol's: there are eleven reasons to stall.
  constexpr std::array<std::string_view, 11> kColours = {"#0072b2", "#e69f00", "#009e73", "#cc79a7",
                                                         "#56b4e9", "#d55e00", "#f0e442", "#808080",
                                                         "#332288", "#882255", "#cccccc"};
  return std::string(kColours[place % kColours.size()]);
}

std::string limit_colour(std::string_view limit) {
  constexpr std::array<std::pair<std::string_view, std::size_t>, 9> kLimits = {{{"compute", 0},
                                                                                {"smem", 4},
                                                                                {"latency", 3},
                                                                                {"l1", 2},
                                                                                {"l2", 6},
                                                                                {"dram", 1},
                                                                                {"bandwidth", 1},
                                                                                {"power", 5},
                                                                                {"launch", 7}}};
  for (const auto& [name, place] : kLimits) {
    if (name == limit) return bar_colour(place);
  }
  return bar_colour(kLimits.back().second);
}

std::string level_colour(std::string_view level, std::size_t place) {
  constexpr std::array<std::pair<std::string_view, std::size_t>, 4> kLevels = {
      {{"L1", 2}, {"L2", 0}, {"MALL", 3}, {"DRAM", 1}}};
  for (const auto& [name, own] : kLevels) {
    if (name == level) return bar_colour(own);
  }
  return bar_colour(place);
}

std::vector<Peak> roofs_of(const std::vector<PlacedKernel>& kernels) {
  std::array<Seconds, kPeaks> times{};
  for (const PlacedKernel& placed : kernels) times[static_cast<std::size_t>(placed.point.peak)] += placed.kernel->time;
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
