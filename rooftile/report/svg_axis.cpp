#include "rooftile/report/svg_axis.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/units.hpp"
#include "rooftile/base/units_text.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {
namespace {

constexpr double kTen = 10;
constexpr double kSlack = 1e-9;  // so that rounding loses no tick at an end

constexpr double kMinute = 60, kHour = 3600, kDay = 86400;

// 1, 2 or 5 times a power of ten, at least `least`.
double round_step(double least) {
  const double power = std::pow(kTen, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1 - kSlack)) return factor * power;
  }
  return kTen * power;
}

// The same among what divides minutes, hours and days.
double round_time_step(double least) {
  constexpr std::array<double, 20> kSteps = {
      1,       2,           5,           10,           15,           20,           30,
      kMinute, 2 * kMinute, 5 * kMinute, 10 * kMinute, 15 * kMinute, 20 * kMinute, 30 * kMinute,
      kHour,   2 * kHour,   3 * kHour,   6 * kHour,    12 * kHour,   kDay};
  if (least <= kSteps.front()) return round_step(least);
  const auto* step = std::lower_bound(kSteps.begin(), kSteps.end(), least * (1 - kSlack));
  return step == kSteps.end() ? round_step(least / kDay) * kDay : *step;
}

// A multiple of `step` in the largest unit of which the step is a whole number: "90 min" where steps are half hours.
std::string step_label(double value, double step) {
  constexpr std::array<std::pair<double, const char*>, 4> kUnits = {
      {{kDay, "d"}, {kHour, "h"}, {kMinute, "min"}, {1, "s"}}};
  if (value == 0) return "0";
  for (const auto& [seconds, name] : kUnits) {
    if (std::fmod(step, seconds) == 0) return fmt::format("{:g} {}", value / seconds, name);
  }
  return time_label(value);
}

std::vector<Tick> linear_ticks(const Axis& axis, int wanted) {
  const double least = (axis.high - axis.low) / wanted;
  const double step = axis.time ? round_time_step(least) : round_step(least);
  std::vector<Tick> ticks;
  const double first = std::ceil(axis.low / step - kSlack);
  const int count = 1 + static_cast<int>(std::floor(axis.high / step + kSlack) - first);
  for (int i = 0; i < count; ++i) {
    const double value = (first + i) * step;
    ticks.push_back({value, axis.time ? step_label(value, step) : value_label(axis, value)});
  }
  return ticks;
}

// Whether a logarithmic axis names digit x 10^power.
bool is_named(int digit, int power, double decades, int wanted) {
  if (digit == 1) {
    const int every = std::max(1, static_cast<int>(std::ceil(decades / wanted)));
    return power % every == 0;
  }
  constexpr double kTicksADecade = 3;  // 1, 2 and 5
  return (digit == 2 || digit == 5) && decades * kTicksADecade <= wanted;
}

// Beyond a minute, such parts of hours and days as clocks have, named as is_named() has it; all of them within a
// decade.
void add_long_times(std::vector<Tick>& ticks, const Axis& axis, double decades, int wanted) {
  const bool few = is_named(2, 0, decades, wanted), all = decades < 1;
  const auto add = [&](double count, double unit, const char* name, bool always, bool round) {
    const double value = count * unit;
    if (value < axis.low * (1 - kSlack) || value > axis.high * (1 + kSlack)) return;
    ticks.push_back({value, always || (few && round) || all ? fmt::format("{:g} {}", count, name) : ""});
  };
  for (const int minutes : {1, 2, 3, 4, 5, 10, 15, 20, 30, 45}) {
    const bool round = minutes == 2 || minutes == 5 || minutes == 20 || minutes == 30;
    add(minutes, kMinute, "min", minutes == 1 || minutes == 10, round);
  }
  constexpr double kManyHours = 1e6;
  for (double power = 1; power < kManyHours; power *= kTen) {
    for (int digit = 1; digit < kTen; ++digit) add(digit * power, kHour, "h", digit == 1, digit == 2 || digit == 5);
  }
}

std::vector<Tick> logarithmic_ticks(const Axis& axis, int wanted) {
  const double low = std::log10(axis.low), high = std::log10(axis.high);
  constexpr double kFewDecades = 5;  // beyond, small marks would blacken the axis
  const int digits = high - low <= kFewDecades ? static_cast<int>(kTen) : 2;
  constexpr double kBeside = 1.5;  // a label this close below 1 min would overlap its label
  std::vector<Tick> ticks;
  const double beyond = axis.time ? std::min(axis.high, kMinute) : axis.high;
  for (int power = static_cast<int>(std::floor(low)); power <= static_cast<int>(std::ceil(high)); ++power) {
    for (int digit = 1; digit < digits; ++digit) {
      const double value = digit * std::pow(kTen, power);
      const double place = std::log10(value);
      if (place < low - kSlack || value > beyond * (1 + kSlack)) continue;
      const bool beside_minute = axis.time && axis.high > kMinute && value * kBeside > kMinute;
      const bool named = is_named(digit, power, high - low, wanted) && !beside_minute;
      ticks.push_back({value, named ? value_label(axis, value) : ""});
    }
  }
  if (axis.time) add_long_times(ticks, axis, high - low, wanted);
  return ticks;
}

// One name alone tells no scale.
bool names_two(const std::vector<Tick>& ticks) {
  return std::count_if(ticks.begin(), ticks.end(), [](const Tick& tick) { return !tick.label.empty(); }) > 1;
}

// An axis too short for two of 1, 2 and 5 names every mark, one too short for two marks names round numbers.
std::vector<Tick> told_apart(std::vector<Tick> ticks, const Axis& axis, int wanted) {
  if (names_two(ticks)) return ticks;
  if (ticks.size() < 2) return linear_ticks(axis, wanted);
  constexpr std::size_t kFew = 9;  // digits of a decade
  for (std::size_t i = 0; i < ticks.size() && ticks.size() <= kFew; ++i)
    ticks[i].label = value_label(axis, ticks[i].value);
  return ticks;
}

}  // namespace

std::string axis_title(std::string_view name) {
  constexpr std::array<std::string_view, 7> kShort = {"sm", "mac", "smem", "l1", "l2", "dram", "cta"};
  std::string title;
  while (!name.empty()) {
    const std::size_t end = std::min(name.find('_'), name.size());
    std::string word(name.substr(0, end));
    name.remove_prefix(std::min(end + 1, name.size()));
    if (std::find(kShort.begin(), kShort.end(), word) != kShort.end()) {
      for (char& c : word) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }
    title += (title.empty() ? "" : " ") + word;
  }
  return title;
}

std::string value_label(const Axis& axis, double value) {
  if (axis.label) return axis.label(value);
  if (axis.time) return time_label(value);
  constexpr double kThousand = 1000, kWritten = 1e12;  // with groups of digits: "10,000,000"
  return value >= kThousand && value < kWritten ? four_digits(value) : fmt::format("{:g}", value);
}

double place_on(const Axis& axis, double value) {
  if (axis.scale == Scale::linear) return (value - axis.low) / (axis.high - axis.low);
  return std::log(value / axis.low) / std::log(axis.high / axis.low);
}

std::vector<Tick> ticks_of(const Axis& axis, int wanted) {
  if (!axis.fixed.empty()) return axis.fixed;
  if (axis.scale == Scale::linear) return linear_ticks(axis, wanted);
  return told_apart(logarithmic_ticks(axis, wanted), axis, wanted);
}

void fit_to(Axis& axis, const std::vector<double>& values) {
  const bool logarithmic = axis.scale == Scale::logarithmic;
  double low = INFINITY, high = -INFINITY;
  for (const double value : values) {
    if (!std::isfinite(value) || (logarithmic && value <= 0)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  const bool none = low > high;
  if (logarithmic) {
    constexpr double kBeyond = 1.25;
    axis.low = none ? 1 : low / kBeyond;
    axis.high = none ? kTen : high * kBeyond;
    return;
  }
  constexpr double kSteps = 5;
  axis.low = none ? 0 : std::min(0.0, low);
  axis.high = none ? 1 : std::max(0.0, high);
  if (axis.low == axis.high) axis.high = 1;
  const double step = round_step((axis.high - axis.low) / kSteps);
  axis.low = std::floor(axis.low / step + kSlack) * step;
  axis.high = std::ceil(axis.high / step - kSlack) * step;
}

std::string time_label(double seconds) { return seconds == 0 ? "0" : print(Seconds(seconds)); }

std::string bytes_label(double bytes) {
  constexpr std::array<const char*, 6> kPrefixes = {"", "k", "M", "G", "T", "P"};
  constexpr double kThousand = 1000;
  std::size_t prefix = 0;
  while (bytes >= kThousand * (1 - kSlack) && prefix + 1 < kPrefixes.size()) {
    bytes /= kThousand;
    ++prefix;
  }
  return fmt::format("{:.4g} {}B", bytes, kPrefixes[prefix]);
}

}  // namespace rooftile
