// What each resource of a GPU is worth to a network, as text.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/units_text.hpp"
#include "rooftile/report/sensitivity.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {
namespace {

constexpr double kPercent = 100;
constexpr double kNothing = 5e-4;  // an elasticity that would print as 0.000

// "-0.412"; "jumps +25 %" at a step; "." for nothing.
std::string slope_text(const Slope& slope) {
  if (slope.step) return fmt::format("jumps {:+.2g} %", (slope.jump - 1) * kPercent);
  return std::abs(slope.elasticity) < kNothing ? "." : fmt::format("{:+.3f}", slope.elasticity);
}

const Slope& better(const ResourceSensitivity& row) { return row.resource->less_is_better ? row.less : row.more; }

std::string factor_text(const ResourceSensitivity& row, double factor) {
  return fmt::format("{}{}", row.resource->less_is_better ? "/" : "x", four_digits(factor));
}

bool matters(const ResourceSensitivity& row) {
  const auto felt = [](const Slope& slope) { return slope.step || std::abs(slope.elasticity) >= kNothing; };
  return felt(row.less) || felt(row.more) || row.unlimited < 1;
}

std::string resources_text(const Sensitivity& study, std::size_t width) {
  TextTable table({{"resource", Align::left, Cut::never},
                   {"now", Align::right},
                   {"less", Align::right},
                   {"more", Align::right},
                   {"if unlimited", Align::right},
                   {"half the gain at", Align::right},
                   {"all the gain at", Align::right},
                   {"then limits"}});
  std::vector<std::string> without;
  for (const ResourceSensitivity& row : study.resources) {
    const Resource& resource = *row.resource;
    if (!matters(row)) {
      without.emplace_back(resource.name);
      continue;
    }
    const bool gains = 1 - row.unlimited > kGainCounts;
    table.add({std::string(resource.name), print_number(resource.unit, row.value), slope_text(row.less),
               slope_text(row.more), gains ? fmt::format("{:.4g} x faster", 1 / row.unlimited) : ".",
               gains ? factor_text(row, row.half_at) : ".", gains ? factor_text(row, row.stops_at) : ".",
               gains ? std::string(name_of(row.next)) : "."});
  }
  std::string text = table.text(width);
  if (!without.empty())
    text += wrapped(fmt::format("  without effect: {}", fmt::join(without, ", ")), 78, "    ") + "\n";
  return text;
}

// The resources that a layer's time answers to most, in the better direction.
std::string layer_slopes(const Sensitivity& study, std::size_t layer) {
  struct Entry {
    std::string_view name;
    Slope slope;
  };
  std::vector<Entry> entries;
  for (const ResourceSensitivity& row : study.resources) {
    const std::vector<Slope>& layers = row.resource->less_is_better ? row.layers_less : row.layers_more;
    const Slope& slope = layers[layer];
    if (slope.step || std::abs(slope.elasticity) >= kNothing) entries.push_back({row.resource->name, slope});
  }
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::abs(a.slope.elasticity) > std::abs(b.slope.elasticity);
  });
  constexpr std::size_t kShown = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, entries.size()); ++i) {
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", entries[i].name, slope_text(entries[i].slope));
  }
  return text;
}

std::string layers_text(const Sensitivity& study, bool all, std::size_t width) {
  const std::vector<LayerEstimate>& layers = study.prediction.layers;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (layers[i].time > Seconds(0)) order.push_back(i);
  }
  if (!all) {
    constexpr std::size_t kSlowest = 10;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return layers[a].time > layers[b].time; });
    order.resize(std::min(kSlowest, order.size()));
  }
  TextTable table({{"layer"},
                   {"op"},
                   {"time", Align::right},
                   {"share", Align::right},
                   {"limit"},
                   {"elasticities", Align::left, Cut::never}});
  for (const std::size_t i : order) {
    table.add({layers[i].name, layers[i].op, print(layers[i].time),
               percent(layers[i].time.value(), study.prediction.time.value()),
               std::string(name_of(layers[i].bottleneck)), layer_slopes(study, i)});
  }
  return fmt::format("{}\n{}", all ? "Layers" : "Slowest layers", table.text(width));
}

std::string advice(const Sensitivity& study) {
  if (study.resources.empty()) return "";
  const ResourceSensitivity& first = study.resources.front();
  const Slope& slope = better(first);
  if (slope.step || std::abs(slope.elasticity) < kNothing) return "A little more of any one resource does not help.\n";
  std::string text = fmt::format("Helps most: {}, {:.2f} % of the time for 1 % {}", first.resource->name,
                                 std::abs(slope.elasticity), first.resource->less_is_better ? "less" : "more");
  if (1 - first.unlimited > kGainCounts) {
    text += fmt::format("; no further gain beyond {}, where {} limits", factor_text(first, first.stops_at),
                        name_of(first.next));
  }
  return wrapped(text + ".", 78, "  ") + "\n";
}

}  // namespace

std::string sensitivity_table(const Sensitivity& study, const SensitivityTableOptions& options, std::size_t width) {
  const Prediction& prediction = study.prediction;
  return fmt::format(
      "{} on {}, batch {}, {}, {}, method {}: {}\n\n"
      "Elasticity: % change in time for 1 % more of the resource, to either side\n{}{}\n{}",
      prediction.model, prediction.gpu, prediction.batch_size, prediction.precision_name(), prediction.pass,
      prediction.method, print(prediction.time), resources_text(study, width), advice(study),
      layers_text(study, options.all_layers, width));
}

}  // namespace rooftile
