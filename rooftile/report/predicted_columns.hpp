// The columns that a prediction adds to the row of a table.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "rooftile/predict/prediction.hpp"

namespace rooftile {

constexpr std::size_t kPredictedColumns = 8;
constexpr std::array<const char*, kPredictedColumns> kPredictedNames = {
    "predicted_time_us",  "predicted_low_us",   "predicted_high_us",   "bottleneck", "method",
    "predicted_l1_bytes", "predicted_l2_bytes", "predicted_dram_bytes"};

constexpr std::size_t kMethodCell = 4;  // its place among them

// In the order of the names; what the method does not give is empty.
std::array<std::string, kPredictedColumns> predicted_cells(const LayerEstimate& layer);

// Where each of `names` stands in `header`: the column of that name, as of an earlier run, else a new one at the end.
std::vector<std::size_t> place_columns(std::vector<std::string>& header, std::span<const char* const> names);

}  // namespace rooftile
