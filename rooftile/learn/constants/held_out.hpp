// Accuracy on what a calibration has not seen: a calibration for every row that was fitted without it.
#pragma once

#include <string_view>
#include <vector>

#include "rooftile/learn/constants/calibrate.hpp"

namespace rooftile {

enum class Tier {
  own,   // fitted on other shapes of the same GPU, and on the other GPUs
  none,  // the row's GPU left out
};
std::string_view name_of(Tier tier);
Result<Tier> parse_tier(std::string_view text);

struct HeldOut {
  std::vector<Calibration> calibrations;
  // For each table and row the calibration that has not seen it; rows that take no part have 0.
  std::vector<std::vector<std::size_t>> of_row;
};

// `options.rows.keep` says which rows take part at all.
Result<HeldOut> hold_out(const std::vector<MeasuredTable>& tables, Tier tier, const CalibrateOptions& options);

}  // namespace rooftile
