// Which of a model's operators are predicted how.
#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "rooftile/base/csv.hpp"
#include "rooftile/report/json_text.hpp"
#include "rooftile/report/names.hpp"
#include "rooftile/report/report.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {

namespace {

// The layers of a kind that are predicted by the same method.
struct SupportedKind {
  std::string op, method;
  std::size_t layers = 0;
  Flops flops;
};

// Most arithmetic first.
std::vector<SupportedKind> supported_kinds(std::span<const LayerEstimate> layers) {
  std::map<std::pair<std::string, std::string>, SupportedKind> kinds;
  for (const LayerEstimate& layer : layers) {
    const std::string op = label_of(layer), method(name_of(layer.method));
    SupportedKind& kind = kinds.try_emplace({op, method}, SupportedKind{op, method, 0, {}}).first->second;
    ++kind.layers;
    kind.flops += layer.flops;
  }
  std::vector<SupportedKind> order;
  for (const auto& [key, kind] : kinds) order.push_back(kind);
  std::stable_sort(order.begin(), order.end(),
                   [](const SupportedKind& a, const SupportedKind& b) { return a.flops > b.flops; });
  return order;
}

// Kernels that run several operators, those with equal lists of kinds not told apart.
std::string fused_kernels(const Prediction& prediction, std::size_t width) {
  TextTable table({{"kernel"}, {"op"}, {"operators in it"}});
  for (const LayerEstimate& layer : prediction.layers) {
    if (layer.members.empty()) continue;
    table.add({layer.name, label_of(layer), fmt::format("{}", fmt::join(layer.members, ", "))});
  }
  return table.empty() ? "" : "\n" + table.text(width);
}

}  // namespace

std::string support_report(const Prediction& prediction, std::size_t width) {
  TextTable table({{"op"}, {"layers", Align::right}, {"arithmetic", Align::right}, {"method"}});
  for (const SupportedKind& kind : supported_kinds(prediction.layers)) {
    table.add(
        {kind.op, fmt::format("{}", kind.layers), percent(kind.flops.value(), prediction.flops.value()), kind.method});
  }
  std::string text = fmt::format("{}: {} layers, {} operators left out\n\n", prediction.model, prediction.layers.size(),
                                 prediction.unsupported.size());
  text += table.text(width);
  text += fused_kernels(prediction, width);
  for (const Skipped& op : prediction.unsupported) {
    text += fmt::format("  {} '{}' is not supported\n", op.op_type, op.name);
  }
  std::set<std::string> general;
  for (const LayerEstimate& layer : prediction.layers) {
    if (layer.general) general.insert(layer.function);
  }
  if (!general.empty()) {
    text += wrapped(fmt::format("  known by the bytes that they read and write alone: {}", fmt::join(general, ", ")),
                    width, "    ") +
            "\n";
  }
  return text +
         "\n  rooftile  the fastest kernel that a library could pick (docs/theory.md)\n"
         "  stream    its bytes, passes over memory and rounds of CTAs, in closed form\n"
         "  none      moves no data, costs nothing\n";
}

std::string support_json(std::string_view model, std::span<const LayerEstimate> layers,
                         const std::vector<Skipped>& unsupported) {
  using Json = nlohmann::ordered_json;
  Json supported = Json::array(), left_out = Json::array();
  for (const SupportedKind& kind : supported_kinds(layers)) {
    supported.push_back(
        {{"op", kind.op}, {"layers", kind.layers}, {"flops", kind.flops.value()}, {"method", kind.method}});
  }
  for (const Skipped& op : unsupported) left_out.push_back({{"name", op.name}, {"op_type", op.op_type}});
  const Json json = {{"schema", "rooftile/support/1"},
                     {"model", std::string(model)},
                     {"predictable", !layers.empty()},
                     {"supported", std::move(supported)},
                     {"unsupported", std::move(left_out)}};
  return json_text(json, 2);
}

std::string support_csv(std::span<const LayerEstimate> layers, const std::vector<Skipped>& unsupported) {
  std::string text = write_csv_row(std::vector<std::string>{"op", "layers", "flops", "method"});
  for (const SupportedKind& kind : supported_kinds(layers)) {
    text += write_csv_row(std::vector<std::string>{kind.op, fmt::format("{}", kind.layers),
                                                   fmt::format("{}", kind.flops.value()), kind.method});
  }
  for (const auto& [type, count] : counts_of(unsupported)) {
    text += write_csv_row(std::vector<std::string>{type, fmt::format("{}", count), "", "not supported"});
  }
  return text;
}

}  // namespace rooftile
