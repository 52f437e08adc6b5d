// Calibration from a few measurements of one GPU: factors of its clock, DRAM, launches and kernel families, and what
// rows like the measured ones are off by beside; held by what is known of how GPUs differ, and moved only as far as is
// likely to help (docs/learning.md).
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "rooftile/learn/factors/few_points_model.hpp"

namespace rooftile {

// The prior over every GPU of the public tables (docs/learning.md says what printed it).
FactorPrior shipped_factor_prior();

// Deviations by which a step must be sure to help, beside that points must be nearer by what the others say of them.
// With it 1 to 6 % of the draws of the trial's variants got worse (docs/learning.md). 0 takes any step.
inline constexpr double kCaution = 2.5;

// Fewer rows say little of how others of the GPU differ.
inline constexpr std::size_t kLeastPoints = 5;

// More rows than these are not taken: each is a line of the calibration, and constants can be fitted to so many.
inline constexpr std::size_t kMostPoints = 200;

struct FewPoints {
  FactorLogs logs{};                                      // what to apply
  std::vector<MeasuredCall> calls;                        // the same
  FactorLogs likeliest{};                                 // before caution
  std::vector<double> weights;                            // the same of the calls
  FactorLogs deviation{};                                 // of the likeliest, standard
  FactorLogs prior{};                                     // deviation before the points
  double sure = 0;                                        // how many deviations the step is from helping nothing
  double share = 1;                                       // of the likeliest that is applied, 0 where little is told
  std::array<double, kKernelFamilies.size()> interval{};  // of rows of a family: nine of ten within exp(+-)
  std::array<std::size_t, kKernelFamilies.size()> points{};
  std::vector<double> before, after;  // ln(measured / predicted) of the points
  std::vector<double> fitted;         // by how much the likeliest step moves each
  std::vector<double> unknown;        // standard deviation of a row in its place, were it not measured
  std::vector<double> odd;            // how far each lies from what the others say, in such deviations

  // The share of a factor's deviation that the points took away: 0 where they say nothing of it.
  double told(std::size_t factor) const { return prior[factor] > 0 ? 1 - deviation[factor] / prior[factor] : 0; }
};

// A factor of which the points tell less stays 1: whatever it moved by, its prior alone held it.
inline constexpr double kLeastTold = 0.02;

// The same points give the same factors. Errors: those of linearise().
Result<FewPoints> fit_few_points(const std::vector<Point>& points, FactorModel& model, const FactorPrior& prior,
                                 double caution = kCaution);

// The fit with another caution. Errors: those of FactorModel::time().
Result<FewPoints> with_caution(FewPoints fitted, const std::vector<Point>& points, FactorModel& model,
                               const FactorPrior& prior, double caution);

// What to apply.
GpuFactors factors_of(const FewPoints& fitted, const std::string& gpu);

// ln(measured / predicted) of each point by factors fitted without it, or without its tenth where there are more than
// kEachAlone.
inline constexpr std::size_t kEachAlone = 50;
Result<std::vector<double>> cross_validated(const std::vector<Point>& points, FactorModel& model,
                                            const FactorPrior& prior);

// The calibration to write: what ships, with these factors.
Calibration calibration_of(const FewPoints& fitted, const std::string& gpu, const std::string& data,
                           const std::string& date);

}  // namespace rooftile
