// What every fit asks of its numbers before it starts.
#pragma once

#include <span>

#include "rooftile/base/error.hpp"
#include "rooftile/regression/matrix.hpp"

namespace rooftile::regression {

// At least one row and one column, everything finite; `weights` is empty or positive. Sizes that do not match are bugs.
Result<void> check_problem(const Matrix& x, std::span<const double> y, std::span<const double> weights);

}  // namespace rooftile::regression
