// Calibration from a few measurements of one GPU: factors of its clock, DRAM, launches and kernel families, held by
// what is known of how GPUs differ, and moved only as far as is likely to help (docs/learning.md).
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/calibration/calibration.hpp"
#include "rooftile/error/error.hpp"
#include "rooftile/validate/estimate_row.hpp"

namespace rooftile {

// Clock, DRAM bandwidth, launch overhead, then the efficiency of each kernel family.
inline constexpr std::size_t kSharedFactors = 3;
inline constexpr std::size_t kFactors = kSharedFactors + kKernelFamilies.size();
std::string factor_name(std::size_t factor);

// Natural logarithms of the factors: all 0 changes nothing.
using FactorLogs = std::array<double, kFactors>;
GpuFactors factors_of(const FactorLogs& logs, std::string gpu);

// How far the factors of GPUs that no constant was fitted on lie from 1, and how far a row lies from what its GPU's
// factors say: standard deviations of natural logarithms.
struct FactorPrior {
  FactorLogs deviation{};
  double unknown_launch = 1;  // the launch overhead's where no calibration knows the framework
  std::array<double, kKernelFamilies.size()> noise{};
  double tail = 1.645;  // nine of ten rows lie within so many deviations
};

// The prior over every GPU of the public tables (docs/learning.md says what printed it).
FactorPrior shipped_factor_prior();

// Predicts rows of one GPU under factors.
class FactorModel {
 public:
  // `gpu` is an id; `base` holds the constants that the factors are relative to.
  FactorModel(Calibration base, std::string gpu);

  // Error: those of estimate_row().
  Result<Seconds> time(const LayerRow& row, const FactorLogs& logs);

  bool knows_framework(const LayerRow& row) const;

 private:
  GpuFactors& factors() { return calibration_.factors.back(); }

  Calibration calibration_;  // the GPU's factors last
  GpuCache gpus_;
};

// A measured row. It must outlive what is made of it.
struct Point {
  const LayerRow* row = nullptr;
  Seconds measured;  // without the harness's share
};

struct LinearPoint {
  double residual = 0;                            // ln(measured / predicted)
  FactorLogs slope{};                             // of ln(predicted) by each factor
  KernelFamily family = KernelFamily::conv_simt;  // whose efficiency moves the time most
};

// At `logs`. Errors: those of FactorModel::time().
Result<LinearPoint> linearise(const Point& point, FactorModel& model, const FactorLogs& logs);

struct FewPoints {
  FactorLogs logs{};                                      // what to apply
  FactorLogs likeliest{};                                 // before caution
  FactorLogs deviation{};                                 // of the likeliest, standard
  FactorLogs prior{};                                     // deviation before the points
  double caution = 1;                                     // logs = caution x likeliest, 0 where little is told
  std::array<double, kKernelFamilies.size()> interval{};  // of rows of a family: nine of ten within exp(+-)
  std::array<std::size_t, kKernelFamilies.size()> points{};
  std::vector<double> before, after;  // ln(measured / predicted) of the points

  // The share of a factor's deviation that the points took away: 0 where they say nothing of it.
  double told(std::size_t factor) const { return prior[factor] > 0 ? 1 - deviation[factor] / prior[factor] : 0; }
};

// A factor of which the points tell less stays 1: whatever it moved by, its prior alone held it.
inline constexpr double kLeastTold = 0.02;

// The same points give the same factors. Errors: those of linearise().
Result<FewPoints> fit_few_points(const std::vector<Point>& points, FactorModel& model, const FactorPrior& prior);

// ln(measured / predicted) of each point by factors fitted without it, or without its tenth where there are more than
// kEachAlone.
inline constexpr std::size_t kEachAlone = 50;
Result<std::vector<double>> cross_validated(const std::vector<Point>& points, FactorModel& model,
                                            const FactorPrior& prior);

// The calibration to write: what ships, with these factors.
Calibration calibration_of(const FewPoints& fitted, const std::string& gpu, const std::string& data,
                           const std::string& date);

}  // namespace rooftile
