// Numbers with units in constraints: "power <= 300 W and l2_capacity > 4 MiB" as muParser takes it, in base units.
#pragma once

#include <string>
#include <string_view>

#include "rooftile/base/error.hpp"

namespace rooftile {

// The expression with every number that a unit follows in base units; numbers alone stay as they are, for they are in
// base units. k, M, G and T behind a number are counts. Errors: a unit of none of the metrics that the expression
// names, with the nearest that is.
Result<std::string> in_base_units(std::string_view expression);

}  // namespace rooftile
