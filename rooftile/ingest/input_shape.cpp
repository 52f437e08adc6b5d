#include "rooftile/ingest/input_shape.hpp"

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/parse_number.hpp"

namespace rooftile {
namespace {

std::optional<std::int64_t> parse_dimension(std::string_view text) {
  const auto number = parse_number<std::int64_t>(text);
  return number && *number >= 1 && *number <= kMaxDimension ? number : std::nullopt;
}

// "1x3x224x224"; empty: none.
Shape parse_sizes(std::string_view text) {
  Shape shape;
  while (true) {
    const std::size_t cross = text.find('x');
    const auto dimension = parse_dimension(text.substr(0, cross));
    if (!dimension) return {};
    shape.push_back(*dimension);
    if (cross == std::string_view::npos) return shape;
    text.remove_prefix(cross + 1);
  }
}

}  // namespace

Result<void> add_input_size(std::string_view text, InputSizes& sizes) {
  const std::size_t equals = text.rfind('=');  // names may hold one
  const bool named = equals != std::string_view::npos;
  const Shape shape = parse_sizes(named ? text.substr(equals + 1) : text);
  if (shape.empty() || equals == 0 || (!named && shape.size() > 1)) {
    return fail(ErrorCode::usage, fmt::format("'{}' is none of N, DIM=N and INPUT=NxCxHxW with sizes from 1 to {}",
                                              one_line(text), kMaxDimension));
  }
  const std::string name(text.substr(0, named ? equals : 0));
  const bool twice = named ? sizes.dims.contains(name) || sizes.shapes.contains(name) : sizes.image_size.has_value();
  if (twice) {
    return fail(ErrorCode::usage,
                named ? fmt::format("'{}' is given twice", one_line(name)) : "the size of images is given twice");
  }
  if (!named) {
    sizes.image_size = shape.front();
  } else if (shape.size() == 1) {
    sizes.dims.emplace(name, shape.front());
  } else {
    sizes.shapes.emplace(name, shape);
  }
  return {};
}

}  // namespace rooftile
