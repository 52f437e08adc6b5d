#include "rooftile/base/units_text.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <string>

#include <fmt/format.h>

#include "rooftile/base/parse_number.hpp"

namespace rooftile {
namespace {

struct Unit {
  Dimension dimension;
  std::string_view name;
  double base_units;     // how many base units one is
  bool prefixes = true;  // takes k, M, m, …
  bool binary = false;   // takes Ki, Mi, … as well
};

// The first unit of a dimension is the one that is printed.
constexpr std::array kUnits = {
    Unit{{.byte = 1}, "B", 1, true, true},
    Unit{{.second = 1}, "s", 1},
    Unit{{.flop = 1}, "FLOP", 1},
    Unit{{.cycle = 1}, "cycles", 1, false},
    Unit{{.cycle = 1}, "cycle", 1, false},
    Unit{{.second = -1, .cycle = 1}, "Hz", 1},
    Unit{{.byte = 1, .second = -1}, "B/s", 1, true, true},
    Unit{{.byte = 1, .cycle = -1}, "B/clk", 1, false},
    Unit{{.second = -1, .flop = 1}, "FLOP/s", 1},
    Unit{{.second = -1, .flop = 1}, "FLOPS", 1},
    Unit{{.second = -1, .flop = 1}, "OP/s", 1},
    Unit{{.flop = 1, .cycle = -1}, "FLOP/clk", 1, false},
    Unit{{.second = -1, .joule = 1}, "W", 1},
    Unit{{.dollar = 1}, "USD", 1, false},
    Unit{{.second = -1, .dollar = 1}, "USD/h", 1.0 / 3600, false},
};

struct Prefix {
  std::string_view name;
  double factor;
  bool binary = false;
};

constexpr std::array kPrefixes = {
    Prefix{"", 1},
    Prefix{"k", 1e3},
    Prefix{"M", 1e6},
    Prefix{"G", 1e9},
    Prefix{"T", 1e12},
    Prefix{"P", 1e15},
    Prefix{"m", 1e-3},
    Prefix{"u", 1e-6},
    Prefix{"n", 1e-9},
    Prefix{"Ki", 1024, true},
    Prefix{"Mi", 1024.0 * 1024, true},
    Prefix{"Gi", 1024.0 * 1024 * 1024, true},
    Prefix{"Ti", 1024.0 * 1024 * 1024 * 1024, true},
};

// The number of base units of `dimension` in one `name` ("MiB"), or 0 if it is no such unit.
double scale_of(std::string_view name, Dimension dimension) {
  for (const Unit& unit : kUnits) {
    if (unit.dimension != dimension || !name.ends_with(unit.name)) continue;
    const std::string_view prefix_name = name.substr(0, name.size() - unit.name.size());
    for (const Prefix& prefix : kPrefixes) {
      const bool fits = prefix.name.empty() || (prefix.binary ? unit.binary : unit.prefixes);
      if (fits && prefix.name == prefix_name) return prefix.factor * unit.base_units;
    }
  }
  return 0;
}

const Unit& unit_of(Dimension dimension) {
  for (const Unit& unit : kUnits) {
    if (unit.dimension == dimension) return unit;
  }
  return kUnits[0];  // not reached: every instantiated dimension has a row
}

std::string example_of(const Unit& unit) {
  if (unit.binary) return fmt::format("{0}, k{0}, M{0}, G{0}, Ki{0}, Mi{0}, …", unit.name);
  if (unit.prefixes) return fmt::format("{0}, k{0}, M{0}, m{0}, u{0}, …", unit.name);
  return std::string(unit.name);
}

Result<double> parse_base_units(std::string_view text, Dimension dimension) {
  const Unit& unit = unit_of(dimension);
  const auto bad = [&](std::string_view why) {
    constexpr std::size_t kShown = 40;
    const std::string_view shown = text.substr(0, kShown);
    return fail(ErrorCode::bad_input, fmt::format("'{}{}' {}; write a number and a unit: {}", shown,
                                                  text.size() > kShown ? "…" : "", why, example_of(unit)));
  };
  std::string_view name = text;
  const auto number = take_number<double>(name);
  if (!number) return bad("does not start with a finite number");
  while (!name.empty() && name.front() == ' ') name.remove_prefix(1);
  if (name.empty()) return bad("has no unit");
  const double scale = scale_of(name, dimension);
  if (scale == 0) return bad("has a wrong or unknown unit");
  return *number * scale;
}

std::string print_base_units(double value, Dimension dimension) {
  const Unit& unit = unit_of(dimension);
  const double in_unit = value / unit.base_units;
  const bool sizes = unit.binary && unit.name == "B";  // capacities in powers of 1024, rates in powers of 1000
  const Prefix* best = &kPrefixes[0];
  for (const Prefix& prefix : kPrefixes) {
    const bool fits = prefix.name.empty() || (unit.prefixes && prefix.binary == sizes && (!sizes || prefix.factor > 1));
    if (!fits || (sizes && prefix.factor < 1)) continue;
    const double scaled = std::abs(in_unit) / prefix.factor;
    const bool best_in_range = std::abs(in_unit) / best->factor >= 1;
    // The largest factor that leaves at least 1; where none does, the smallest.
    if (scaled >= 1 ? (!best_in_range || prefix.factor > best->factor)
                    : (!best_in_range && prefix.factor < best->factor)) {
      best = &prefix;
    }
  }
  if (in_unit == 0) best = &kPrefixes[0];
  constexpr double kFourDigits = 1e4, kMost = 1e15;
  if (!unit.prefixes && std::abs(in_unit) >= kFourDigits && std::abs(in_unit) < kMost) {
    return fmt::format("{:.0f} {}", in_unit, unit.name);  // not "1.7e+04 USD"
  }
  return fmt::format("{:.4g} {}{}", in_unit / best->factor, best->name, unit.name);
}

}  // namespace

template <class Q>
Result<Q> parse(std::string_view text) {
  return parse_base_units(text, Q::dimension).map([](double value) { return Q(value); });
}

template <class Q>
std::string print(Q quantity) {
  return print_base_units(quantity.value(), Q::dimension);
}

#define ROOFTILE_TEXT_OF(Q)                      \
  template Result<Q> parse<Q>(std::string_view); \
  template std::string print<Q>(Q)
ROOFTILE_TEXT_OF(Bytes);
ROOFTILE_TEXT_OF(Seconds);
ROOFTILE_TEXT_OF(Flops);
ROOFTILE_TEXT_OF(Cycles);
ROOFTILE_TEXT_OF(Hertz);
ROOFTILE_TEXT_OF(BytesPerSecond);
ROOFTILE_TEXT_OF(BytesPerCycle);
ROOFTILE_TEXT_OF(FlopsPerSecond);
ROOFTILE_TEXT_OF(FlopsPerCycle);
ROOFTILE_TEXT_OF(Watts);
ROOFTILE_TEXT_OF(Dollars);
ROOFTILE_TEXT_OF(DollarsPerSecond);
#undef ROOFTILE_TEXT_OF

}  // namespace rooftile
