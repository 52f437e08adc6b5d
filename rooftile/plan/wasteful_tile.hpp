// Tiles that no library would pick.
#pragma once

#include <algorithm>
#include <span>

#include "rooftile/plan/plan.hpp"

namespace rooftile {

// Another of `tiles` does the same product of rows x columns with less padding.
inline bool is_wasteful(const Tile& tile, std::span<const Tile> tiles, double rows, double columns) {
  if (tile.m <= rows && tile.n <= columns) return false;
  return std::any_of(tiles.begin(), tiles.end(), [&](const Tile& other) {
    return (other.n == tile.n && other.m < tile.m && other.m >= rows) ||
           (other.m == tile.m && other.n < tile.n && other.n >= columns);
  });
}

}  // namespace rooftile
