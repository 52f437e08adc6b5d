#include "rooftile/report/names.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "rooftile/report/text.hpp"

namespace rooftile {

namespace {

std::string label_of_head(const LayerEstimate& layer) {
  if (layer.function.empty()) return layer.op;
  if (layer.op == "conv") return layer.function + " conv";
  if (layer.op == "pool") return layer.function + " pool";
  if (layer.op == "normalize") return layer.function == "lrn" ? "lrn" : layer.function + " norm";
  if (layer.op == "reduce") return "reduce " + layer.function;
  return layer.function;
}

}  // namespace

std::string label_of(const LayerEstimate& layer) {
  std::string head = label_of_head(layer);
  const bool chain = layer.op == "elementwise";  // whose function names them all
  if (layer.members.size() < 2 || chain || layer.pass != Pass::fwd) return head;
  return fmt::format("{} +{}", head, layer.members.size() - 1);
}

std::string precision_text(const Prediction& prediction) {
  std::string weights = prediction.weights ? fmt::format(", weights {}", name_of(*prediction.weights)) : "";
  if (prediction.expert_weights) weights += fmt::format(", experts' weights {}", name_of(*prediction.expert_weights));
  if (prediction.cache) weights += fmt::format(", cache {}", name_of(*prediction.cache));
  if (prediction.computed == prediction.precision) return prediction.precision_name() + weights;
  return fmt::format("stored {}, computed {}{}", prediction.precision_name(), name_of(prediction.computed), weights);
}

std::string text_of(const Sample& sample) {
  if (sample.tokens == 0) return sample.shape.empty() ? "" : print(sample.shape);
  const double tokens = static_cast<double>(sample.tokens), cached = static_cast<double>(sample.cached);
  const std::string text = fmt::format("{} token{}", grouped(tokens), sample.tokens == 1 ? "" : "s");
  return sample.cached > 0 ? fmt::format("{} after {}", text, grouped(cached)) : text;
}

std::vector<std::pair<std::string, std::size_t>> counts_of(const std::vector<Skipped>& skipped) {
  std::map<std::string, std::size_t> counts;
  for (const Skipped& op : skipped) ++counts[op.op_type];
  std::vector<std::pair<std::string, std::size_t>> types(counts.begin(), counts.end());
  std::stable_sort(types.begin(), types.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  return types;
}

std::string list_of(const std::vector<Skipped>& skipped) {
  std::string text;
  for (const auto& [type, count] : counts_of(skipped)) {
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", type, count);
  }
  return text;
}

}  // namespace rooftile
