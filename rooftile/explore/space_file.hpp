// Design spaces as TOML files (docs/explore.md).
//
//     const DesignSpace space = parse_space(R"(
//       gpu = "titan-xp-delta"
//       [axes]
//       sm_count = { values = [15, 30, 60] }
//       [[workload]]
//       model = "alexnet"
//     )", "mine.toml").value();
//     assert(space.size() == 3);
#pragma once

#include <string>
#include <string_view>

#include "rooftile/base/error.hpp"
#include "rooftile/explore/space.hpp"

namespace rooftile {

// Reads the text of a space file; `where` names it in errors. The GPU is looked up, models are not loaded. Errors, with
// line and column: bad TOML, an unknown key, axis or GPU with the nearest known name, an axis given twice, a number
// without a unit or outside its range, a space without designs or with more than kMostDesigns, a constraint that cannot
// be read.
Result<DesignSpace> parse_space(std::string_view toml, const std::string& where);

}  // namespace rooftile
