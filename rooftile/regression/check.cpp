#include "rooftile/regression/check.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include <fmt/format.h>

namespace rooftile::regression {

Result<void> check_problem(const Matrix& x, std::span<const double> y, std::span<const double> weights) {
  assert(x.rows() == y.size() && (weights.empty() || weights.size() == y.size()));
  if (y.empty()) return fail(ErrorCode::bad_input, "there are no rows to fit to");
  if (x.columns() == 0) return fail(ErrorCode::bad_input, "there are no columns to fit with");
  for (std::size_t row = 0; row < y.size(); ++row) {
    if (!std::isfinite(y[row])) {
      return fail(ErrorCode::bad_input, fmt::format("the value to fit is not finite in row {}", row + 1));
    }
    if (!weights.empty() && !(weights[row] > 0 && std::isfinite(weights[row]))) {
      return fail(ErrorCode::bad_input, fmt::format("the weight of row {} is not positive", row + 1));
    }
  }
  for (std::size_t column = 0; column < x.columns(); ++column) {
    const std::span<const double> values = x.column(column);
    const auto odd = std::find_if(values.begin(), values.end(), [](double value) { return !std::isfinite(value); });
    if (odd != values.end()) {
      return fail(ErrorCode::bad_input,
                  fmt::format("column {} is not finite in row {}", column + 1, odd - values.begin() + 1));
    }
  }
  return {};
}

}  // namespace rooftile::regression
