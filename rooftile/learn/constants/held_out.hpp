// Accuracy on what a calibration has not seen: a calibration for every row that was fitted without it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/learn/constants/calibrate.hpp"

namespace rooftile {

enum class Tier {
  own,     // fitted on other shapes of the same GPU, and on the other GPUs
  source,  // the rows of one source (a folder of tables) and framework left out, where another has measured the GPU
  size,    // fitted on the lower two thirds of a GPU's rows by FLOPs, scored on the upper third
  none,    // the row's GPU left out
};
std::string_view name_of(Tier tier);

struct HeldOut {
  std::vector<Calibration> calibrations;
  // For each table and row the calibration that has not seen it; nothing where the row takes no part or is not scored.
  std::vector<std::vector<std::optional<std::size_t>>> of_row;
  std::string why_not_scored;  // of rows that take part
};

// `options.rows.keep` says which rows take part at all.
Result<HeldOut> hold_out(const std::vector<MeasuredTable>& tables, Tier tier, const CalibrateOptions& options);

}  // namespace rooftile
