// A GPU's predictions under factors of its clock, DRAM, launches and kernel families, and how each moves a row's time.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/calibration/calibration.hpp"
#include "rooftile/validate/estimate_row.hpp"

namespace rooftile {

// Clock, DRAM bandwidth, launch overhead, then the efficiency of each kernel family.
inline constexpr std::size_t kSharedFactors = 3, kLaunchFactor = 2;
inline constexpr std::size_t kFactors = kSharedFactors + kKernelFamilies.size();
std::string factor_name(std::size_t factor);

// Natural logarithms of the factors: all 0 changes nothing.
using FactorLogs = std::array<double, kFactors>;
GpuFactors factors_of(const FactorLogs& logs, std::string gpu);

// What GPUs that no constant was fitted on differ by: standard deviations of natural logarithms.
struct FactorPrior {
  FactorLogs deviation{};     // of the factors
  double unknown_launch = 2;  // of the launch overhead's where no calibration knows the framework
  // Of ln(measured / predicted) of rows, beside the factors: what they share with rows of their family that are like
  // them (see likeness()), and what is a row's own. The same for all families: what is noisier in one would else be
  // taken for what is worth a measurement.
  double shared = 0, noise = 0;
  std::array<double, kKernelFamilies.size()> scatter{};  // both together, of each family
  double tail = 1.645;                                   // nine of ten rows lie within so many deviations
};

// Predicts rows of one GPU under factors.
class FactorModel {
 public:
  // `gpu` is an id; `base` holds the constants that the factors are relative to.
  FactorModel(Calibration base, std::string gpu);

  const std::string& gpu() const { return calibration_.factors.back().gpu; }

  // Errors: those of estimate_row().
  Result<LayerEstimate> estimate(const LayerRow& row, const GpuFactors& factors);
  Result<Seconds> time(const LayerRow& row, const GpuFactors& factors);
  Result<Seconds> time(const LayerRow& row, const FactorLogs& logs) { return time(row, factors_of(logs, gpu())); }

  bool knows_framework(const LayerRow& row);

 private:
  Calibration calibration_;  // the GPU's factors last
  GpuCache gpus_;
};

// A row, measured or to be. It must outlive what is made of it.
struct Point {
  const LayerRow* row = nullptr;
  Seconds measured = {};  // without the harness's share
};

struct LinearPoint {
  double residual = 0;                            // ln(measured / predicted)
  FactorLogs slope{};                             // of ln(predicted) by each factor
  KernelFamily family = KernelFamily::conv_simt;  // whose constants the call's time has
  CallPlace place = {};
  bool known_framework = true;
};

// At `logs`; the residual of a point without a measurement is 0. Errors: those of FactorModel::time().
Result<LinearPoint> linearise(const Point& point, FactorModel& model, const FactorLogs& logs);
Result<std::vector<LinearPoint>> linearise(const std::vector<Point>& points, FactorModel& model,
                                           const FactorLogs& logs);

}  // namespace rooftile
