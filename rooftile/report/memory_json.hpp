// What a network needs of a GPU's memory, as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "rooftile/predict/prediction.hpp"

namespace rooftile {

// Whole bytes of each part that there is, weights, activations and workspace in any case, and the total.
nlohmann::ordered_json memory_json(const MemoryUse& memory);

}  // namespace rooftile
