#include "rooftile/ingest/input_shape.hpp"

#include <optional>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/parse_number.hpp"

namespace rooftile {
namespace {

// The parts before and after the last "="; names may hold one.
std::optional<std::pair<std::string_view, std::string_view>> split(std::string_view text) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string_view::npos || equals == 0) return std::nullopt;
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

std::optional<std::int64_t> parse_dimension(std::string_view text) {
  const auto number = parse_number<std::int64_t>(text);
  return number && *number >= 1 && *number <= kMaxDimension ? number : std::nullopt;
}

tl::unexpected<Error> wrong(std::string_view text, std::string_view form) {
  return fail(ErrorCode::usage,
              fmt::format("'{}' is not {} with sizes from 1 to {}", one_line(text), form, kMaxDimension));
}

}  // namespace

Result<std::pair<std::string, Shape>> parse_input_shape(std::string_view text) {
  constexpr std::string_view kForm = "INPUT=NxCxHxW";
  const auto parts = split(text);
  if (!parts) return wrong(text, kForm);
  Shape shape;
  std::string_view rest = parts->second;
  for (bool more = true; more;) {
    const std::size_t cross = rest.find('x');
    const auto dimension = parse_dimension(rest.substr(0, cross));
    if (!dimension) return wrong(text, kForm);
    shape.push_back(*dimension);
    more = cross != std::string_view::npos;
    if (more) rest.remove_prefix(cross + 1);
  }
  return std::pair(std::string(parts->first), std::move(shape));
}

Result<std::pair<std::string, std::int64_t>> parse_open_dimension(std::string_view text) {
  const auto parts = split(text);
  const auto dimension = parts ? parse_dimension(parts->second) : std::nullopt;
  if (!dimension) return wrong(text, "NAME=N");
  return std::pair(std::string(parts->first), *dimension);
}

}  // namespace rooftile
