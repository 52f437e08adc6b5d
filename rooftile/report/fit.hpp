// A finished calibration as a page to read.
#pragma once

#include <string>

#include "rooftile/learn/constants/calibrate.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {

// For each family the constants side by side, one column a scope, with rows, GMAE and interval of each; then what ended
// on a bound, what the rows say nothing of, what they cannot tell apart, and the harnesses.
std::string fit_report(const CalibrationReport& report, std::size_t width = kAnyWidth);

}  // namespace rooftile
