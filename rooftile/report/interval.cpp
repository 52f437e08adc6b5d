#include "rooftile/report/interval.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/units_text.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {
namespace {

std::string three_digits(double number) {
  constexpr double kWhole = 100;
  return number >= kWhole ? grouped(std::round(number)) : fmt::format("{:.3g}", number);
}

}  // namespace

std::string print(Seconds time, const std::optional<Interval>& interval) {
  std::string text = print(time);
  if (!interval) return text;
  const auto unit = parse<Seconds>("1" + text.substr(text.find(' ')));
  if (!unit) return text;  // not reached: what print() writes, parse() reads
  const auto in_unit = [&](Seconds bound) { return three_digits(bound / *unit); };
  return fmt::format("{} ({} to {})", text, in_unit(interval->low), in_unit(interval->high));
}

std::string why_no_interval(const Prediction& prediction) {
  if (interval_of(prediction)) return "";
  if (prediction.time <= Seconds(0)) return "the network takes no time";
  if (!prediction.method.starts_with(name_of(Method::rooftile))) {
    return fmt::format("method {} has none", prediction.method);
  }
  Seconds without;
  for (const LayerEstimate& layer : prediction.layers) without += interval_of(layer) ? Seconds(0) : layer.time;
  return fmt::format("layers taking {:.0f} % of the time have none: {}", 100 * (without / prediction.time),
                     why_layers_have_none(prediction));
}

std::string why_layers_have_none(const Prediction& prediction) {
  std::map<std::string, Seconds> times;
  for (const LayerEstimate& layer : prediction.layers) {
    if (layer.time > Seconds(0) && !interval_of(layer)) times[why_no_interval(layer)] += layer.time;
  }
  std::vector<std::pair<Seconds, std::string>> order;
  for (const auto& [why, time] : times) order.emplace_back(time, why);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  constexpr std::size_t kMost = 2;
  if (order.size() > kMost) order.resize(kMost);
  std::string text;
  for (const auto& [time, why] : order) text += (text.empty() ? "" : "; ") + why;
  return text;
}

}  // namespace rooftile
