// What preparing a network's input takes, as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "rooftile/hosts/input_share.hpp"

namespace rooftile {

// Seconds that a batch takes each part of the host, and what the GPU waits for.
nlohmann::ordered_json input_json(const InputShare& input);

}  // namespace rooftile
