#include "rooftile/cli/values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "rooftile/base/lower_case.hpp"
#include "rooftile/base/nearest.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/parse_number.hpp"
#include "rooftile/base/try.hpp"

namespace rooftile::cli {
namespace {

constexpr std::array kMethods = {Method::delta, Method::rooftile, Method::roofline, Method::prior};

// A count as people write it: "64", "1_000", "1e6", "256M", "1.5k", with decimal prefixes.
std::optional<std::int64_t> count_of(std::string text) {
  constexpr std::string_view kPrefixes = "kMGT";
  constexpr double kThousand = 1000, kExact = 0x1p53;
  text.erase(std::remove(text.begin(), text.end(), '_'), text.end());
  if (const auto whole = parse_number<std::int64_t>(text)) return whole;
  const std::size_t prefix = text.empty() ? std::string_view::npos : kPrefixes.find(text.back());
  if (prefix != std::string_view::npos) text.pop_back();
  const auto number = parse_number<double>(text);
  if (!number) return std::nullopt;
  const double count =
      prefix == std::string_view::npos ? *number : *number * std::pow(kThousand, static_cast<double>(prefix + 1));
  if (!(std::abs(count) <= kExact) || count != std::floor(count)) return std::nullopt;
  return static_cast<std::int64_t>(count);
}

}  // namespace

Result<std::int64_t> parse_count(std::string_view option, const std::string& text, std::int64_t most) {
  const auto number = count_of(text);
  if (!number || *number < 1 || *number > most) {
    return bad(option, fmt::format("'{}' is not a whole number from 1 to {}", text, most));
  }
  return *number;
}

Result<Tile> parse_tile(std::string_view option, const std::string& text) {
  std::vector<int> sizes;
  std::string_view rest = text;
  while (true) {
    const std::size_t end = std::min(rest.find('x'), rest.size());
    const auto number = parse_number<std::int64_t>(rest.substr(0, end));
    if (!number || *number < 1 || *number > std::numeric_limits<int>::max()) break;
    sizes.push_back(static_cast<int>(*number));
    if (end == rest.size()) {
      if (sizes.size() != 3) break;
      return Tile{sizes[0], sizes[1], sizes[2]};
    }
    rest.remove_prefix(end + 1);
  }
  return bad(option, fmt::format("'{}' is not a tile; write rows x columns x depth, as in 128x64x4", text));
}

std::vector<std::string> precision_names() {
  return {"fp32", "tf32", "fp16", "bf16", "fp8", "nvfp4", "mxfp4", "int8", "int4"};
}

Result<DType> parse_precision(std::string_view option, const std::string& text) {
  const std::vector<std::string> precisions = precision_names();
  const auto dtype = parse_dtype(lower_case(text));
  const bool known = dtype && std::find(precisions.begin(), precisions.end(), name_of(*dtype)) != precisions.end();
  if (known) return *dtype;
  return bad(option, fmt::format("unknown precision '{}'{}", text, one_of(text, precisions)));
}

Result<std::vector<std::string>> parse_list(std::string_view option, const std::string& text) {
  std::vector<std::string> elements;
  std::string_view rest = text;
  while (true) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    if (end == 0) return bad(option, fmt::format("'{}' has an empty element", text));
    elements.emplace_back(rest.substr(0, end));
    if (end == rest.size()) return elements;
    rest.remove_prefix(end + 1);
  }
}

Result<double> parse_rate(std::string_view option, std::string_view text) {
  const auto rate = parse_number<double>(text);
  if (!rate || !(*rate >= 0 && *rate <= 1)) return bad(option, fmt::format("'{}' is not a number from 0 to 1", text));
  return *rate;
}

Result<std::vector<std::string>> parse_names(std::string_view option, const std::string& text) {
  auto names = TRY(parse_list(option, text));
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (!seen.insert(name).second) return bad(option, fmt::format("'{}' is named twice", one_line(name)));
  }
  return names;
}

Result<std::vector<std::pair<std::string, std::string>>> parse_pairs(std::string_view option, const std::string& text) {
  std::vector<std::pair<std::string, std::string>> pairs;
  std::set<std::string> seen;
  for (const std::string& one : TRY(parse_list(option, text))) {
    const std::size_t equals = one.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == one.size()) {
      return bad(option, fmt::format("'{}' is not KEY=VALUE", one_line(one)));
    }
    pairs.emplace_back(one.substr(0, equals), one.substr(equals + 1));
    if (!seen.insert(pairs.back().first).second) {
      return bad(option, fmt::format("'{}' is named twice", one_line(pairs.back().first)));
    }
  }
  return pairs;
}

Result<std::string> parse_date(std::string_view option, const std::string& date) {
  constexpr std::string_view kShape = "0000-00-00";
  bool good = date.size() == 4 || date.size() == 7 || date.size() == kShape.size();
  for (std::size_t i = 0; good && i < date.size(); ++i) {
    good = kShape[i] == '-' ? date[i] == '-' : date[i] >= '0' && date[i] <= '9';
  }
  // Where a month and a day stand in it.
  const auto number = [&](std::size_t at) { return (date[at] - '0') * 10 + (date[at + 1] - '0'); };
  constexpr std::size_t kMonthAt = 5, kDayAt = 8;
  if (good && date.size() > kMonthAt) good = number(kMonthAt) >= 1 && number(kMonthAt) <= 12;
  if (good && date.size() > kDayAt) good = number(kDayAt) >= 1 && number(kDayAt) <= 31;
  if (good) return date;
  return bad(option, fmt::format("'{}' is not a date such as 2026-01-31, 2026-01 or 2026", one_line(date)));
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const Method method : kMethods) names.emplace_back(name_of(method));
  return names;
}

Result<MethodArgument> parse_method(std::string_view option, const std::string& text, bool fitted) {
  const std::size_t equals = std::min(text.find('='), text.size());
  const std::string name = lower_case(text.substr(0, equals));
  const auto* const found =
      std::find_if(kMethods.begin(), kMethods.end(), [&](Method method) { return name_of(method) == name; });
  MethodArgument argument;
  if (found == kMethods.end()) {
    if (!fitted || text.empty()) {
      return bad(option, fmt::format("unknown method '{}'{}, prior=RATE, rooftile=FILE", one_line(text),
                                     one_of(name, method_names())));
    }
    argument.fitted = text;
    return argument;
  }
  argument.method = *found;
  if (equals == text.size()) return argument;
  const std::string value = text.substr(equals + 1);
  if (*found == Method::prior) {
    argument.prior_miss_rate = TRY(parse_rate(option, value));
  } else if (*found == Method::rooftile && !value.empty()) {
    argument.constants = value;
  } else {
    return bad(option, fmt::format("'{}': only prior takes a rate, and rooftile a file of constants", one_line(text)));
  }
  return argument;
}

Result<std::string> parse_choice(std::string_view option, const std::string& text,
                                 const std::vector<std::string>& known) {
  const auto found = std::find(known.begin(), known.end(), lower_case(text));
  if (found != known.end()) return *found;
  return bad(option, fmt::format("unknown value '{}'{}", one_line(text), one_of(text, known)));
}

}  // namespace rooftile::cli
