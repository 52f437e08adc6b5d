// End-to-end models as a person reads them.
#pragma once

#include <string>

#include "rooftile/learn/networks/network_fit.hpp"
#include "rooftile/report/regression.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {

// One line a group and way with rows and errors, then each way over all groups, what was published of the nearest case,
// and of each fit the coefficients and warnings where there are few groups or `details` asks for all.
std::string network_fit_report(const NetworkFit& fit, const RunRows& rows, bool details, std::size_t width = kAnyWidth);

// "rooftile/network-fit/1": the same figures as fractions, with coefficients and warnings of every fit.
std::string network_fit_json(const NetworkFit& fit, const RunRows& rows);

// A row a group and way: its columns, rows and errors, as fractions.
std::string network_fit_csv(const NetworkFit& fit);

// Measured and predicted times of the rows that were held out, for the plots of regression.hpp: a colour for each way,
// or, of one way, for each group, by its first column where they are many.
FittedPoints fitted_points(const NetworkFit& fit);

}  // namespace rooftile
