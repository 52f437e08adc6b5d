#include "rooftile/base/duration.hpp"

#include <array>
#include <system_error>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/parse_number.hpp"

namespace rooftile {
namespace {

struct Unit {
  std::string_view name;
  double seconds;
};

constexpr std::array kUnits = {Unit{"s", 1},     Unit{"min", 60},   Unit{"h", 3600},
                               Unit{"d", 86400}, Unit{"w", 604800}, Unit{"y", 31536000}};

// Three significant digits, all of those before the point.
std::string with_digits(double number, std::string_view unit) {
  return number >= 1000 ? fmt::format("{:.0f} {}", number, unit) : fmt::format("{:.3g} {}", number, unit);
}

}  // namespace

Result<Seconds> parse_duration(std::string_view text, bool zero) {
  std::string_view rest = text;
  const auto number = take_number<double>(rest);
  if (rest.starts_with(' ')) rest.remove_prefix(1);
  constexpr double kMost = 1e12;  // seconds: 30 thousand years
  if (number) {
    for (const Unit& unit : kUnits) {
      const double seconds = *number * unit.seconds;
      if (rest == unit.name && (seconds > 0 || (zero && seconds == 0)) && seconds <= kMost) return Seconds(seconds);
    }
  }
  return fail(ErrorCode::bad_input,
              fmt::format("'{}' is not a time{}; write a number with s, min, h, d, w or y, as in 12h", one_line(text),
                          zero ? "" : " above 0"));
}

std::string print_duration(Seconds time) {
  const double seconds = time.value();
  constexpr double kYear = 365.25 * 86400, kManyYears = 3;
  if (seconds == 0) return "0";
  if (seconds >= kManyYears * kYear) return with_digits(seconds / kYear, "years");
  if (seconds < 1) return fmt::format("{:.3g} ms", seconds * 1e3);
  const Unit* unit = kUnits.data();
  for (const Unit& larger : kUnits) {
    if (larger.name != "w" && larger.name != "y" && seconds >= larger.seconds) unit = &larger;
  }
  return with_digits(seconds / unit->seconds, unit->name);
}

}  // namespace rooftile
