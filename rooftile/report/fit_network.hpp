// End-to-end models as a person reads them.
#pragma once

#include <string>

#include "rooftile/learn/network_fit.hpp"

namespace rooftile {

// One line a group and way with rows and errors, then each way over all groups, what was published of the nearest case,
// and of each fit the coefficients and warnings where there are few groups or `details` asks for all.
std::string network_fit_report(const NetworkFit& fit, const RunRows& rows, bool details);

}  // namespace rooftile
