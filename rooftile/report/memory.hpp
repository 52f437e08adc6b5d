// What a network needs of a GPU's memory, for people.
#pragma once

#include <string>

#include "rooftile/predict/prediction.hpp"

namespace rooftile {

// "weights 97.5 MiB, activations 10.1 GiB": the parts that there are.
std::string memory_parts(const MemoryUse& memory);

}  // namespace rooftile
