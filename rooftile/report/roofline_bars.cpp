// Stacked bars: what limits each layer, and why warps did not issue.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/units_text.hpp"
#include "rooftile/report/roofline_chart.hpp"
#include "rooftile/report/svg.hpp"
#include "rooftile/report/text.hpp"
#include "rooftile/roofline/stalls.hpp"

namespace rooftile {
namespace {

using roofline::Kernel;
using roofline::Origin;
using roofline::View;

struct Part {
  std::size_t kind = 0;  // place in Bars::kinds
  double share = 0;
};
struct Bar {
  std::string name, title;
  Seconds time;
  std::vector<Part> parts;
};
struct Bars {
  std::string title, caption;
  std::vector<std::string> kinds;
  std::vector<std::string_view> colours;
  std::vector<Bar> whole, single;  // of a network; of its kernels, the longest first
};

constexpr std::size_t kMostBars = 25;
constexpr double kLeft = 310, kBarLength = 460, kBarHeight = 16, kStep = 22, kTop = 84, kTime = 90, kRight = 20;
constexpr double kLegendColumn = 190, kLegendLine = 20;

double draw_bar(Svg& svg, const Bars& bars, const Bar& bar, double y) {
  svg.text(kLeft - 8, y + kBarHeight - 4, bar.name, {.anchor = "end"});
  double x = kLeft;
  for (const Part& part : bar.parts) {
    const double length = part.share * kBarLength;
    svg.rectangle(x, y, length, kBarHeight,
                  fmt::format("fill=\"{}\" stroke=\"{}\" stroke-width=\"0.5\"", bars.colours[part.kind], kGround.light),
                  fmt::format("{}: {} {}", bar.title, bars.kinds[part.kind], percent(part.share, 1)));
    x += length;
  }
  svg.text(kLeft + kBarLength + 8, y + kBarHeight - 4, print(bar.time));
  return y + kStep;
}

std::string drawn(const Bars& bars) {
  const auto columns = static_cast<std::size_t>((kLeft + kBarLength) / kLegendColumn);
  std::vector<bool> used(bars.kinds.size());
  for (const auto* list : {&bars.whole, &bars.single}) {
    for (const Bar& bar : *list) {
      for (const Part& part : bar.parts) used[part.kind] = true;
    }
  }
  const auto kinds = static_cast<std::size_t>(std::count(used.begin(), used.end(), true));
  const double legend = kLegendLine * std::ceil(static_cast<double>(kinds) / static_cast<double>(columns));
  const double rows = static_cast<double>(bars.whole.size() + std::min(bars.single.size(), kMostBars));
  const double bottom = kTop + legend + rows * kStep + kStep;
  Svg svg(kLeft + kBarLength + kTime + kRight, bottom + 24);
  svg.text(20, 26, bars.title, {.size = 14, .bold = true});
  svg.text(20, 46, bars.caption, {.size = 11, .colour = kQuiet.light});
  std::size_t place = 0;
  for (std::size_t kind = 0; kind < bars.kinds.size(); ++kind) {
    if (!used[kind]) continue;
    const double x = 20 + kLegendColumn * static_cast<double>(place % columns);
    const double y = 62 + kLegendLine * static_cast<double>(place / columns);
    svg.rectangle(x, y, 12, 12, fmt::format("fill=\"{}\"", bars.colours[kind]));
    svg.text(x + 18, y + 11, bars.kinds[kind]);
    ++place;
  }
  double y = kTop + legend;
  for (const Bar& bar : bars.whole) y = draw_bar(svg, bars, bar, y);
  y += kStep / 2;
  for (std::size_t i = 0; i < std::min(bars.single.size(), kMostBars); ++i) y = draw_bar(svg, bars, bars.single[i], y);
  if (bars.single.size() > kMostBars) {
    svg.text(kLeft, y + 10, fmt::format("and {} shorter ones", bars.single.size() - kMostBars),
             {.colour = kQuiet.light});
  }
  return svg.document();
}

Bar bar_of(const KernelGroup& group, std::vector<Part> parts) {
  constexpr std::size_t kWidth = 36;
  return {short_name(group, kWidth), title_of(group), group.time, std::move(parts)};
}

void longest_first(std::vector<Bar>& bars) {
  std::stable_sort(bars.begin(), bars.end(), [](const Bar& a, const Bar& b) { return a.time > b.time; });
}

// Shares of the cases that play a part.
std::vector<Part> parts_of(const std::vector<double>& weights) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<Part> parts;
  for (std::size_t i = 0; sum > 0 && i < weights.size(); ++i) {
    if (weights[i] > 0) parts.push_back({i, weights[i] / sum});
  }
  return parts;
}

}  // namespace

std::string bottleneck_bars(const View& view) {
  Bars bars;
  bars.title = view.title + ": what limits each layer";
  bars.caption =
      "A layer's bar is split in proportion to the time that each limit alone would take. In the whole network's, each "
      "layer counts for its largest limit.";
  for (std::size_t i = 0; i < kBottlenecks; ++i) {
    bars.kinds.emplace_back(name_of(static_cast<Bottleneck>(i)));
    bars.colours.push_back(limit_colour(bars.kinds.back()).light);
  }
  std::vector<double> network(kBottlenecks);
  Seconds total;
  for (const KernelGroup& group : equal_kernels(view.kernels)) {
    const Kernel& kernel = *group.kernel;
    if (!kernel.cases) continue;
    std::vector<double> weights;
    for (const Seconds& time : kernel.cases->by) weights.push_back(time.value());
    if (kernel.bottleneck) network[static_cast<std::size_t>(*kernel.bottleneck)] += group.time.value();
    total += group.time;
    bars.single.push_back(bar_of(group, parts_of(weights)));
  }
  longest_first(bars.single);
  bars.whole.push_back({"whole network", "whole network", total, parts_of(network)});
  return drawn(bars);
}

std::string stall_bars(const View& view) {
  Bars bars;
  bars.title = view.title + ": why warps did not issue";
  bars.caption = "Shares of all stalls. Those of predictions are estimates from what limits each layer.";
  for (std::string& name : roofline::used_stall_names(view)) {
    bars.colours.push_back(stall_colour(name).light);
    bars.kinds.push_back(std::move(name));
  }
  const auto parts = [&](const std::vector<roofline::StallShare>& stalls) {
    std::vector<Part> result;
    for (const roofline::StallShare& stall : stalls) {
      const auto kind = std::find(bars.kinds.begin(), bars.kinds.end(), stall.name);
      if (stall.share > 0 && kind != bars.kinds.end()) {
        result.push_back({static_cast<std::size_t>(kind - bars.kinds.begin()), stall.share});
      }
    }
    return result;
  };
  bool any_measured = false;
  for (const roofline::NetworkStalls& network : view.stalls) {
    const std::string name = fmt::format("all {}{}", name_of(network.origin), network.estimated ? " (estimate)" : "");
    bars.whole.push_back({name, name, network.time, parts(network.shares)});
    any_measured = any_measured || network.origin == Origin::measured;
  }
  for (const KernelGroup& group : equal_kernels(view.kernels)) {
    const Kernel& kernel = *group.kernel;
    if (kernel.stalls.empty() || (any_measured && kernel.origin != Origin::measured)) continue;
    bars.single.push_back(bar_of(group, parts(kernel.stalls)));
  }
  longest_first(bars.single);
  return drawn(bars);
}

}  // namespace rooftile
