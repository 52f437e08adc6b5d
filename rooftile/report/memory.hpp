// What a network needs of a GPU's memory, for people and as JSON.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "rooftile/predict/prediction.hpp"

namespace rooftile {

// "weights 97.5 MiB, activations 10.1 GiB": the parts that there are.
std::string memory_parts(const MemoryUse& memory);

// Whole bytes of each part that there is, weights, activations and workspace in any case, and the total.
nlohmann::ordered_json memory_json(const MemoryUse& memory);

}  // namespace rooftile
