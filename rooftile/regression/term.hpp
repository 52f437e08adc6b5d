// Terms of an equation: products of powers of named columns, as the alphabet of Lattuada et al. (Cluster Computing
// 2022) has them: a column, its inverse, and products of these.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/regression/matrix.hpp"

namespace rooftile::regression {

struct Factor {
  std::string column;
  double power = 1;  // -1: its inverse
  bool log = false;  // the natural logarithm of the column, to that power
  bool operator==(const Factor&) const = default;
};

// The product of its factors; without any it is 1, the intercept.
using Term = std::vector<Factor>;

// "1", "batch*iterations/gpus", "1/batch", "ln(flops)", "batch^0.5".
std::string text_of(const Term& term);

struct AlphabetOptions {
  std::size_t degree = 1;  // most columns in a product
  bool inverses = true;    // of each column too
  bool intercept = true;   // the term 1, first
};

// All terms over `columns`: products of distinct columns, each as it is or inverted (so never a column with its own
// inverse), up to the degree. Error: more than 5,000 of them.
Result<std::vector<Term>> alphabet(std::span<const std::string> columns, const AlphabetOptions& options);

// The values of the terms, one column each. Errors: a column that the table has not (with the nearest that it has), a
// value that is not finite (the inverse of 0).
Result<Matrix> design_matrix(std::span<const Term> terms, const NumberTable& table);

}  // namespace rooftile::regression
