// What an hour of a GPU costs, as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "rooftile/prices/gpu_price.hpp"

namespace rooftile {

// USD an hour and where that comes from.
nlohmann::ordered_json price_json(const GpuPrice& price);

}  // namespace rooftile
