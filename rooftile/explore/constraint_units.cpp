#include "rooftile/explore/constraint_units.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/nearest.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/parse_number.hpp"
#include "rooftile/explore/metric.hpp"

namespace rooftile {
namespace {

struct Unit {
  std::string_view name;
  double factor;  // base units that one is
};

// What a constraint may write behind a number, by what it measures. Decimal prefixes are powers of 1000.
constexpr std::array kCounts = {Unit{"k", 1e3}, Unit{"M", 1e6}, Unit{"G", 1e9}, Unit{"T", 1e12}};
constexpr std::array kTimes = {Unit{"s", 1}, Unit{"ms", 1e-3}, Unit{"us", 1e-6}, Unit{"ns", 1e-9}};
constexpr std::array kAreas = {Unit{"mm2", 1}};
constexpr std::array kPowers = {Unit{"W", 1}, Unit{"mW", 1e-3}, Unit{"kW", 1e3}};
constexpr std::array kPrices = {Unit{"USD", 1}};
constexpr std::array kEnergies = {Unit{"J", 1}, Unit{"mJ", 1e-3}, Unit{"kJ", 1e3}};
constexpr std::array kBytes = {Unit{"B", 1},
                               Unit{"kB", 1e3},
                               Unit{"MB", 1e6},
                               Unit{"GB", 1e9},
                               Unit{"KiB", 1024},
                               Unit{"MiB", 1024.0 * 1024},
                               Unit{"GiB", 1024.0 * 1024 * 1024}};
constexpr std::array kRates = {Unit{"B/s", 1}, Unit{"kB/s", 1e3}, Unit{"MB/s", 1e6}, Unit{"GB/s", 1e9},
                               Unit{"TB/s", 1e12}};
constexpr std::array kPerCycle = {Unit{"B/clk", 1}};
constexpr std::array kClocks = {Unit{"Hz", 1}, Unit{"kHz", 1e3}, Unit{"MHz", 1e6}, Unit{"GHz", 1e9}};
constexpr std::array kCycles = {Unit{"cycles", 1}, Unit{"cycle", 1}};

using Units = std::vector<Unit>;

template <std::size_t N>
void append(Units& all, const std::array<Unit, N>& units) {
  all.insert(all.end(), units.begin(), units.end());
}

void append_units_of(Metric metric, Units& all) {
  if (const auto parameter = as_parameter(metric)) {
    switch (row_of(*parameter).unit) {
      case FactUnit::bytes:
        return append(all, kBytes);
      case FactUnit::bytes_per_second:
        return append(all, kRates);
      case FactUnit::bytes_per_cycle:
        return append(all, kPerCycle);
      case FactUnit::hertz:
        return append(all, kClocks);
      case FactUnit::cycles:
        return append(all, kCycles);
      default:
        return;
    }
  }
  switch (metric) {
    case Metric::time:
      return append(all, kTimes);
    case Metric::area:
      return append(all, kAreas);
    case Metric::power:
      return append(all, kPowers);
    case Metric::manufacturing_cost:
      return append(all, kPrices);
    case Metric::energy:
      return append(all, kEnergies);
  }
}

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::size_t end_of_word(std::string_view text, std::size_t at) {
  while (at < text.size() && is_word(text[at])) ++at;
  return at;
}

// The units of all metrics that the expression names, and counts.
Units units_of(std::string_view expression) {
  std::set<Metric> metrics;
  for (std::size_t at = 0; at < expression.size();) {
    const std::size_t end = end_of_word(expression, at);
    if (const auto metric = find_metric(expression.substr(at, end - at))) metrics.insert(*metric);
    at = std::max(end, at + 1);
  }
  Units units;
  for (const Metric metric : metrics) append_units_of(metric, units);
  append(units, kCounts);
  return units;
}

// The longest of `units` that stands at `at`, as a whole word.
const Unit* unit_at(std::string_view text, std::size_t at, const Units& units) {
  const Unit* longest = nullptr;
  for (const Unit& unit : units) {
    const std::size_t end = at + unit.name.size();
    if (text.substr(at, unit.name.size()) != unit.name || (end < text.size() && is_word(text[end]))) continue;
    if (longest == nullptr || unit.name.size() > longest->name.size()) longest = &unit;
  }
  return longest;
}

tl::unexpected<Error> unknown_unit(std::string_view unit, const Units& units) {
  std::vector<std::string> names;
  for (const Unit& one : units) names.emplace_back(one.name);
  // A count is no nearest unit: one letter is near to every unit of two.
  std::string help = did_you_mean(unit, std::span(names).first(names.size() - kCounts.size()));
  if (help.empty()) help = fmt::format("; one of {}", fmt::join(names, ", "));
  return fail(ErrorCode::bad_input, fmt::format("'{}' is not a unit of what is compared{}", one_line(unit), help));
}

}  // namespace

Result<std::string> in_base_units(std::string_view expression) {
  const Units units = units_of(expression);
  std::string result;
  bool names_unknown = false;  // then its units are, too, and the name is what is wrong
  for (std::size_t at = 0; at < expression.size();) {
    if (!is_digit(expression[at])) {  // names may have digits: they go as a whole
      const std::size_t end = std::max(end_of_word(expression, at), at + 1);
      const std::string_view word = expression.substr(at, end - at);
      names_unknown |= is_letter(word.front()) && word != "and" && word != "or" && !find_metric(word);
      result += word;
      at = end;
      continue;
    }
    std::string_view rest = expression.substr(at);
    const auto number = take_number<double>(rest);
    // One beyond double stays as it is.
    const std::size_t end = number ? expression.size() - rest.size() : end_of_word(expression, at);
    const std::size_t unit = std::min(expression.find_first_not_of(" \t", end), expression.size());
    const std::string_view word = expression.substr(unit, end_of_word(expression, unit) - unit);
    const Unit* known = unit_at(expression, unit, units);
    if (!number || word.empty() || word == "and" || word == "or" || (known == nullptr && names_unknown)) {
      result += expression.substr(at, end - at);
      at = end;
      continue;
    }
    if (known == nullptr) return unknown_unit(word, units);
    result += fmt::format("{}", *number * known->factor);
    at = unit + known->name.size();
  }
  return result;
}

}  // namespace rooftile
