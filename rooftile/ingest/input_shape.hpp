// What a user writes about the inputs of an ONNX model, or the size of any network's images.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "rooftile/base/error.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {

struct InputSizes {
  std::optional<std::int64_t> image_size;    // "224": height and width
  std::map<std::string, std::int64_t> dims;  // "height=512": a dimension that the file leaves open, or a whole input
  std::map<std::string, Shape> shapes;       // "input=1x3x224x224": a whole input
};

// Errors: neither of these; what is given already.
Result<void> add_input_size(std::string_view text, InputSizes& sizes);

}  // namespace rooftile
