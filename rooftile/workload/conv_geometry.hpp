// Geometry of convolution along its axes, and what makes it possible at all.
#pragma once

#include <cstdint>

#include "rooftile/base/error.hpp"
#include "rooftile/workload/op.hpp"

namespace rooftile {

// Input positions including padding.
std::int64_t padded(const ConvAxis& axis);

// Positions from the first to the last tap of the filter, inclusive.
std::int64_t filter_extent(const ConvAxis& axis);

// Output positions along one axis: floor((padded - extent) / stride) + 1; transposed: (in - 1) stride - pads + extent +
// output_padding. At least 1 for an axis that passed check().
std::int64_t out_positions(const ConvAxis& axis, bool transposed);

// One input channel per group: no reduction over channels.
bool is_depthwise(const Conv& conv);

// Multiply-accumulates of the textbook algorithm, padding counted as data.
double macs(const Conv& conv);

// Positive dimensions within kMaxDimension, channels divisible by groups, at least one output position on each axis,
// no more than kMaxMacs. The error says which number is off.
Result<void> check(const Conv& conv);

}  // namespace rooftile
