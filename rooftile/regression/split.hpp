// Which rows are fitted to and which are kept to judge the fit: hold-out, k folds, groups left out, extrapolation.
// The same seed gives the same rows on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/regression/matrix.hpp"

namespace rooftile::regression {

// Indices of rows in rising order.
struct Split {
  std::string name;  // "hold-out 20 %", "fold 1 of 5", "batch > 64"
  std::vector<std::size_t> training, validation;
  bool operator==(const Split&) const = default;
};

// Judged on the rows that it was fitted to.
Split all_rows(std::size_t rows);

// A share of the rows (0 to 1), drawn at random and at least one, is held out. With `groups` (a name for each row)
// whole groups are, as many as come nearest. Errors: nothing would be left to fit to; a share out of range.
Result<Split> hold_out(std::size_t rows, double share, std::uint64_t seed, std::span<const std::string> groups = {});

// Every row is held out once. With `groups` the rows of a group stay together. Errors: fewer than 2 folds; fewer rows
// (groups) than folds.
Result<std::vector<Split>> k_fold(std::size_t rows, std::size_t folds, std::uint64_t seed,
                                  std::span<const std::string> groups = {});

// As k_fold, with as many folds as the rows or groups allow where there are fewer than `folds`.
Result<std::vector<Split>> up_to_k_fold(std::size_t rows, std::size_t folds, std::uint64_t seed,
                                        std::span<const std::string> groups = {});

// One split a group, in the order in which they first come; named after it. Error: only one group.
Result<std::vector<Split>> leave_one_group_out(std::span<const std::string> groups);

// "COLUMN > N" (also >=, <, <=).
struct Bound {
  std::string column;
  std::string comparison = ">";
  double value = 0;
  bool beyond(double number) const;
  std::string text() const;
  bool operator==(const Bound&) const = default;
};
Result<Bound> parse_bound(std::string_view text);

// Rows that are beyond any of the bounds are held out, the others fitted to. Errors: no such column (with the nearest),
// no row on one of the sides.
Result<Split> extrapolation(const NumberTable& table, std::span<const Bound> bounds);

}  // namespace rooftile::regression
