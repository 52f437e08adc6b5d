// What a user writes about the inputs of an ONNX model: "input=1x3x224x224", "height=512".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "rooftile/base/error.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {

Result<std::pair<std::string, Shape>> parse_input_shape(std::string_view text);
Result<std::pair<std::string, std::int64_t>> parse_open_dimension(std::string_view text);

}  // namespace rooftile
