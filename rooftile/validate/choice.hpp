// How well method rooftile chooses: the plan it takes when told nothing of the kernel, against the kernel that ran.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/validate/measured_tables.hpp"
#include "rooftile/validate/validate.hpp"

namespace rooftile {

struct ChoiceScore {
  std::size_t rows = 0;             // that name an algorithm or a kernel of a known tile
  std::size_t algorithm_rows = 0;   // that name an algorithm which is planned
  std::size_t algorithm_right = 0;  // of them, those where it was chosen
  std::size_t tile_rows = 0;        // whose algorithm was right or not named, and whose kernel names a tile
  std::size_t tile_right = 0;
  std::vector<double> regret;  // predicted time of what ran over that of what was chosen, less 1; never below 0
};

struct ChoiceGroup {
  std::vector<std::string> key;  // one cell for each column of ValidateOptions::by
  ChoiceScore score;
};

// Groups by key, then one without a key for all. Rows that tell nothing of their kernel take no part, nor do flagged
// ones. Of `options`, the methods are not used but the first one's calibration is. Errors: those of estimate_row(); no
// row.
Result<std::vector<ChoiceGroup>> score_choices(const std::vector<MeasuredTable>& tables,
                                               const ValidateOptions& options);

}  // namespace rooftile
