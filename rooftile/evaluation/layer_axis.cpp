#include "rooftile/evaluation/layer_axis.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

namespace rooftile {

Plot plot_over(const std::vector<EvaluatedLayer>& layers) {
  Plot plot;
  plot.x.title = "Unique convolutions, in the order of their networks";
  plot.x.upright = true;
  plot.x.range = {0.5, static_cast<double>(layers.size()) + 0.5};
  std::size_t first = 0;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const auto place = static_cast<double>(i + 1);
    plot.x.ticks.emplace_back(place, layers[i].name);
    plot.places.emplace(place, layers[i].network + " " + layers[i].name);
  }
  for (std::size_t i = 1; i <= layers.size(); ++i) {
    if (i < layers.size() && layers[i].network == layers[first].network) continue;
    const double middle = (static_cast<double>(first + i) + 1) / 2;
    plot.x.groups.emplace_back(middle, layers[first].network);
    if (i < layers.size()) plot.separators.push_back(static_cast<double>(i) + 0.5);
    first = i;
  }
  return plot;
}

std::string batch_note(std::int64_t batch) { return fmt::format("Batch {}, fp32, forward.", batch); }

std::string file_part(const std::string& id) {
  std::string part = id;
  std::replace_if(
      part.begin(), part.end(),
      [](unsigned char c) {
        return !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-');
      },
      '_');
  return part;
}

}  // namespace rooftile
