// A calibration from a few points, and a trial of such calibrations, as pages to read.
#pragma once

#include <string>
#include <vector>

#include "rooftile/learn/factors/few_points_choice.hpp"
#include "rooftile/learn/factors/few_points_trial.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {

// `crossed` are ln(measured / predicted) of each point by the factors of the others.
std::string few_points_report(const FewPoints& fitted, const std::vector<double>& crossed, const std::string& gpu,
                              std::size_t width = kAnyWidth);

// `rows` are all, `places` where each is.
std::string suggested_points_report(const std::vector<ChosenRow>& chosen, const std::vector<LinearPoint>& rows,
                                    const std::vector<std::string>& places, const std::string& gpu,
                                    std::size_t width = kAnyWidth);

std::string few_points_trials_report(const FewPointsTrials& trials, const FewPointsTrialOptions& options);

}  // namespace rooftile
