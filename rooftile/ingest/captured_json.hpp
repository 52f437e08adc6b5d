// A captured step as JSON ("rooftile/step/1", docs/formats.md), as the Python package writes it.
#pragma once

#include <cstdint>
#include <optional>

#include <nlohmann/json_fwd.hpp>

#include "rooftile/workload/workload.hpp"

namespace rooftile {

inline constexpr const char* kStepSchema = "rooftile/step/1";

bool is_captured_step(const nlohmann::json& document);

// Its calls as the ops of a workload that is still to be validated. Throws an Error, as Fields does; also where the
// batch size is another than was captured.
Workload read_captured_step(const nlohmann::json& document, std::optional<std::int64_t> batch_size);

}  // namespace rooftile
