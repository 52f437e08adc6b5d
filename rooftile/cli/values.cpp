#include "rooftile/cli/values.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include <fmt/format.h>

#include "rooftile/base/lower_case.hpp"
#include "rooftile/base/nearest.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/try.hpp"

namespace rooftile::cli {
namespace {

tl::unexpected<Error> bad(std::string_view option, std::string message) {
  return fail(ErrorCode::usage, std::move(message), std::string(option));
}

// The whole of `text` as a number, or nothing.
std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

Result<std::int64_t> parse_count(std::string_view option, const std::string& text, std::int64_t most) {
  const auto number = whole_number(text);
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
    const auto number = whole_number(rest.substr(0, end));
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

Result<DType> parse_precision(std::string_view option, const std::string& text) {
  static const std::vector<std::string> kPrecisions = {"fp32", "tf32", "fp16", "bf16", "fp8", "int8"};
  const auto dtype = parse_dtype(text);
  const bool known = dtype && std::find(kPrecisions.begin(), kPrecisions.end(), name_of(*dtype)) != kPrecisions.end();
  if (known) return *dtype;
  return bad(option, fmt::format("unknown precision '{}'{}; one of {}", text, did_you_mean(text, kPrecisions),
                                 fmt::join(kPrecisions, ", ")));
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
  double rate = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rate);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || !(rate >= 0 && rate <= 1)) return bad(option, fmt::format("'{}' is not a number from 0 to 1", text));
  return rate;
}

Result<std::map<std::string, std::string>> parse_columns(std::string_view option, const std::string& text) {
  std::map<std::string, std::string> columns;
  if (text.empty()) return columns;
  const auto list = TRY(parse_list(option, text));
  for (const std::string& one : list) {
    const std::size_t equals = one.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == one.size()) {
      return fail(ErrorCode::usage, fmt::format("'{}' is not NAME=VALUE", one_line(one)), std::string(option));
    }
    const std::string name = one.substr(0, equals);
    if (name == "gpu" || name == "gpus" || name == "iterations" || name == "batch" || name == "precision" ||
        name == "pass") {
      return fail(ErrorCode::usage, fmt::format("{} has an option of its own", name), std::string(option));
    }
    if (!columns.emplace(name, one.substr(equals + 1)).second) {
      return fail(ErrorCode::usage, fmt::format("'{}' is named twice", one_line(name)), std::string(option));
    }
  }
  return columns;
}

Result<MethodArgument> parse_method(std::string_view option, const std::string& text) {
  constexpr std::array kMethods = {Method::delta, Method::rooftile, Method::roofline, Method::prior};
  const std::size_t equals = std::min(text.find('='), text.size());
  const std::string name = text.substr(0, equals);
  std::vector<std::string> names;
  for (const Method method : kMethods) {
    names.emplace_back(name_of(method));
    if (names.back() != name) continue;
    MethodArgument argument = {.method = method};
    if (equals == text.size()) return argument;
    if (method != Method::prior) return bad(option, fmt::format("'{}': only prior takes a rate", text));
    const auto rate = TRY(parse_rate(option, std::string_view(text).substr(equals + 1)));
    argument.prior_miss_rate = rate;
    return argument;
  }
  return bad(option, fmt::format("unknown method '{}'{}; one of {}, prior=RATE", text, did_you_mean(name, names),
                                 fmt::join(names, ", ")));
}

Result<void> check_choice(std::string_view option, const std::string& text, const std::vector<std::string>& built,
                          const std::vector<std::string>& planned) {
  if (std::find(built.begin(), built.end(), text) != built.end()) return {};
  if (std::find(planned.begin(), planned.end(), text) != planned.end()) {
    return fail(ErrorCode::unsupported, fmt::format("'{}' is not built yet; only {} is", text, fmt::join(built, ", ")),
                std::string(option));
  }
  std::vector<std::string> all = built;
  all.insert(all.end(), planned.begin(), planned.end());
  return bad(option,
             fmt::format("unknown value '{}'{}; one of {}", text, did_you_mean(text, all), fmt::join(all, ", ")));
}

}  // namespace rooftile::cli
