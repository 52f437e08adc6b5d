// Which peak tensor cores or matrix cores reach with operands of a type.
#pragma once

#include <optional>

#include "rooftile/gpu/gpu.hpp"
#include "rooftile/workload/dtype.hpp"

namespace rooftile {

// None: there are no such units for the type. A GPU may lack the unit all the same: its peak is then zero.
std::optional<Peak> matrix_peak(DType precision);

}  // namespace rooftile
