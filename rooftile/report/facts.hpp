// Numbers of a GPU with their kind and source, a line each.
#pragma once

#include <span>
#include <string>

#include "rooftile/gpu/gpu.hpp"

namespace rooftile {

std::string facts_text(std::span<const Fact> facts);

}  // namespace rooftile
