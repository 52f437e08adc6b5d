// Running another program.
#pragma once

#include <string>
#include <vector>

#include "rooftile/base/error.hpp"

namespace rooftile {

// Runs `arguments` (the program first, looked for on PATH) to its end, its output and errors in the file at `output`.
// The exit status; 128 and the signal's number where a signal ended it. Errors: no such program, a file that cannot be
// written.
Result<int> run_process(const std::vector<std::string>& arguments, const std::string& output);

}  // namespace rooftile
