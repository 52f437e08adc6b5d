// A PyTorch script in the place of a model: the Python package captures a step of it.
#pragma once

#include <string>
#include <string_view>

#include "rooftile/base/error.hpp"

namespace rooftile::cli {

// "train.py"
bool is_script(std::string_view model);

// The captured step as JSON, by `python3 -m rooftile capture SCRIPT`. Errors: no Python or no package, whatever the
// script died of, which has been written to standard error.
Result<std::string> capture_script(const std::string& script);

}  // namespace rooftile::cli
