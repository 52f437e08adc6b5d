#include "rooftile/plan/kernel_name.hpp"

#include <cctype>
#include <utility>

#include "rooftile/base/parse_number.hpp"

namespace rooftile {
namespace {

constexpr int kLargestSide = 1024;

// The number that begins `text`; nothing unless it is a plausible side of a tile.
std::optional<int> leading_side(std::string_view text, std::size_t& length) {
  std::string_view rest = text;
  const auto number = take_number<int>(rest);
  if (!number || *number < 1 || *number > kLargestSide) return std::nullopt;
  length = text.size() - rest.size();
  return number;
}

}  // namespace

std::optional<Tile> tile_of_kernel(std::string_view name) {
  if (name.find("first_layer") != std::string_view::npos) return std::nullopt;  // 16x64x64: rows and columns of pixels
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (std::isdigit(static_cast<unsigned char>(name[i])) == 0) continue;
    std::size_t length = 0, second = 0;
    const auto rows = leading_side(name.substr(i), length);
    const std::size_t cross = i + length;
    if (rows && cross + 1 < name.size() && name[cross] == 'x' && name[cross + 1] != '0') {
      if (const auto columns = leading_side(name.substr(cross + 1), second)) return Tile{*rows, *columns, 8};
    }
    while (i < name.size() && std::isdigit(static_cast<unsigned char>(name[i])) != 0) ++i;
  }
  return std::nullopt;
}

std::optional<Tile> conv_tile_of_kernel(std::string_view name) {
  std::optional<Tile> tile = tile_of_kernel(name);
  if (tile && name.find("nvjet") != std::string_view::npos) std::swap(tile->m, tile->n);
  return tile;
}

}  // namespace rooftile
