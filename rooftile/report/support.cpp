// Which of a model's operators are predicted how.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/report/names.hpp"
#include "rooftile/report/report.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {

std::string support_report(const Prediction& prediction, std::size_t width) {
  struct Row {
    std::size_t layers = 0;
    Flops flops;
  };
  std::map<std::pair<std::string, std::string>, Row> rows;
  for (const LayerEstimate& layer : prediction.layers) {
    Row& row = rows[{label_of(layer), std::string(name_of(layer.method))}];
    ++row.layers;
    row.flops += layer.flops;
  }
  std::vector<std::pair<std::pair<std::string, std::string>, Row>> order(rows.begin(), rows.end());
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second.flops > b.second.flops; });
  TextTable table({{"op"}, {"layers", Align::right}, {"arithmetic", Align::right}, {"method"}});
  for (const auto& [key, row] : order) {
    table.add(
        {key.first, fmt::format("{}", row.layers), percent(row.flops.value(), prediction.flops.value()), key.second});
  }
  std::string text = fmt::format("{}: {} layers, {} operators left out\n\n", prediction.model, prediction.layers.size(),
                                 prediction.unsupported.size());
  text += table.text(width);
  for (const Skipped& op : prediction.unsupported) {
    text += fmt::format("  {} '{}' is not supported\n", op.op_type, op.name);
  }
  return text +
         "\n  rooftile  the fastest kernel that a library could pick (docs/theory.md)\n"
         "  stream    its bytes, passes over memory and rounds of CTAs, in closed form\n"
         "  none      moves no data, costs nothing\n";
}

}  // namespace rooftile
