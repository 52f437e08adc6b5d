// Which GPU of the catalogue a name means: an id, a part of one, or what drivers and vendors call the board.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"

namespace rooftile {

// The words of a device's name that tell it from others, in lower case: "NVIDIA GeForce RTX 4090" as rtx, 4090.
std::vector<std::string> device_words(std::string_view name);

// The one catalogue id that `selector` means. Errors: none (with the nearest), several (with all).
Result<std::string> select_gpu(std::string_view selector);

}  // namespace rooftile
