// Sequential forward selection: the columns that together predict rows not fitted to.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/regression/matrix.hpp"
#include "rooftile/regression/split.hpp"

namespace rooftile::regression {

struct Selection {
  std::vector<std::size_t> columns;  // in the order of their choice; those of `always` are not named
  std::vector<double> errors;        // mean weighted squared error of held-out rows, with none and after each choice
};

// Starts from the columns `always`, adds the one that most lowers the cross-validated mean weighted squared error of
// least squares, and stops at `most` columns or when the best lowers it by less than 0.1 %. With weights 1 / y^2 it is
// the error relative to y.
// Errors: as linear_fit.
Result<Selection> select_columns(const Matrix& x, std::span<const double> y, std::span<const double> weights,
                                 std::span<const std::size_t> always, std::size_t most, std::span<const Split> folds);

}  // namespace rooftile::regression
