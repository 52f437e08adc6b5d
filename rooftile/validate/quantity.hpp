// What is compared: the time of a row, the bytes at a memory level, or the number of kernels.
#pragma once

#include <optional>
#include <string_view>

#include "rooftile/base/error.hpp"
#include "rooftile/gpu/gpu.hpp"
#include "rooftile/ingest/layer_table.hpp"
#include "rooftile/predict/prediction.hpp"
#include "rooftile/validate/score.hpp"

namespace rooftile {

enum class ComparedQuantity { time, l1, l2, dram, launches };
std::string_view name_of(ComparedQuantity quantity);

// "time" and the other names; the error lists them and names the nearest.
Result<ComparedQuantity> parse_quantity(std::string_view text);

// Unit of the numbers below: "s", "bytes" or "launches".
std::string_view unit_of(ComparedQuantity quantity);

// What was measured: the time without the harness's share, a counter. The error says what the row lacks.
Result<double> measured_value(const LayerRow& row, ComparedQuantity quantity);

// What was predicted. Counters hold loads and stores, and so do the bytes here; stores pass the L1. `bias_kernel`: the
// counters also cover a kernel of its own that adds a bias, which reads and writes the result once more and is one more
// launch; it changes no time.
Compared compare(const LayerRow& row, const LayerEstimate& layer, ComparedQuantity quantity, double measured,
                 bool bias_kernel);

}  // namespace rooftile
