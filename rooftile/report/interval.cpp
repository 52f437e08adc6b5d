#include "rooftile/report/interval.hpp"

#include <cmath>

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
  return fmt::format("layers taking {:.0f} % of the time are unlike any in the fit", 100 * (without / prediction.time));
}

}  // namespace rooftile
