// How GPUs differ from what constants of other GPUs predict: the prior of few_points.hpp, from GPUs with many rows
// (empirical Bayes).
#pragma once

#include <vector>

#include "rooftile/learn/factors/few_points.hpp"

namespace rooftile {

// What the rows of one GPU say of its factors, under constants that were fitted without it.
struct FactorEvidence {
  FactorLogs at{};                // its likeliest factors
  std::vector<LinearPoint> rows;  // there
};

// From rows spread over the points. Errors: those of linearise().
Result<FactorEvidence> factor_evidence(const std::vector<Point>& points, FactorModel& model);

// Deviations by expectation and maximisation over the GPUs; where no GPU has rows of a family, or none an unknown
// framework, a guess. What ships has no say in it.
FactorPrior learn_factor_prior(const std::vector<const FactorEvidence*>& gpus);

}  // namespace rooftile
