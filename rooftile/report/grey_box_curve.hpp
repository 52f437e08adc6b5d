// How good the grey box is with few rows, as text.
#pragma once

#include <string>
#include <vector>

#include "rooftile/learn/grey_box/curve.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {

// One line a GPU and number of points.
std::string grey_box_curve_report(const std::vector<GreyBoxCurvePoint>& curve, std::size_t width = kAnyWidth);

}  // namespace rooftile
