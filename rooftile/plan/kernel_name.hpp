// What the name of a library's kernel says about it.
#pragma once

#include <optional>
#include <string_view>

#include "rooftile/plan/plan.hpp"

namespace rooftile {

// The first "128x64" of a name as rows and columns of the library's own tile; nothing if there is none.
std::optional<Tile> tile_of_kernel(std::string_view name);

// The same of a convolution's kernel, as rows (positions) and columns (channels): cuBLAS's nvjet kernels, which cuDNN
// calls for pointwise convolutions, name the sides of the transposed product.
std::optional<Tile> conv_tile_of_kernel(std::string_view name);

}  // namespace rooftile
