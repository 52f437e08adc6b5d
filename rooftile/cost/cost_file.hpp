// Cost files (data/costs, docs/costs.md): TOML in, CostTable out.
//
//     const CostTable costs = load_costs("").value();  // or a file of your own over those built in
#pragma once

#include <string>
#include <string_view>

#include "rooftile/base/error.hpp"
#include "rooftile/cost/cost_data.hpp"

namespace rooftile {

// `table` with what the file says put over it: a number replaces the one before; a [[process]] of another `nm`, a
// [[memory]] of another `type`, a [[chip]] of another `name` is added and must be whole. `where` names the file in
// errors: text that is not TOML, an unknown key, source or kind, a number without its unit or out of range; each with
// line and column.
Result<CostTable> with_costs(CostTable table, std::string_view toml, std::string_view where);

// The costs built in; with those of the user's own file over them where `path` is not empty.
Result<CostTable> load_costs(const std::string& path);

}  // namespace rooftile
