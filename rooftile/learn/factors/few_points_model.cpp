#include "rooftile/learn/factors/few_points_model.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/predict/refined.hpp"

namespace rooftile {

std::string factor_name(std::size_t factor) {
  static constexpr std::array<std::string_view, kSharedFactors> kShared = {"clock", "dram_bandwidth",
                                                                           "launch_overhead"};
  if (factor < kSharedFactors) return std::string(kShared[factor]);
  return fmt::format("{}.efficiency", name_of(kKernelFamilies[factor - kSharedFactors]));
}

GpuFactors factors_of(const FactorLogs& logs, std::string gpu) {
  const auto factor = [&](std::size_t i) { return std::clamp(std::exp(logs[i]), kLeastFactor, kMostFactor); };
  GpuFactors factors{
      .gpu = std::move(gpu), .clock = factor(0), .dram_bandwidth = factor(1), .launch_overhead = factor(kLaunchFactor)};
  for (std::size_t i = 0; i < factors.families.size(); ++i) factors.families[i].efficiency = factor(kSharedFactors + i);
  return factors;
}

FactorModel::FactorModel(Calibration base, std::string gpu) : calibration_(std::move(base)) {
  std::erase_if(calibration_.factors, [&](const GpuFactors& other) { return other.gpu == gpu; });
  calibration_.factors.push_back({.gpu = std::move(gpu)});
}

Result<LayerEstimate> FactorModel::estimate(const LayerRow& row, const GpuFactors& factors) {
  calibration_.factors.back() = factors;
  return estimate_row(row, {.method = Method::rooftile, .calibration = &calibration_}, gpus_);
}

Result<Seconds> FactorModel::time(const LayerRow& row, const GpuFactors& factors) {
  const auto layer = TRY(estimate(row, factors));
  return layer.time;
}

bool FactorModel::knows_framework(const LayerRow& row) {
  const std::string framework = framework_of(row);
  const auto found = gpus_.find(gpu());
  const std::string vendor = found ? (*found)->vendor : "";
  return std::any_of(kKernelFamilies.begin(), kKernelFamilies.end(), [&](KernelFamily family) {
    return find_harness(calibration_, family, framework, gpu(), vendor) != nullptr;
  });
}

Result<LinearPoint> linearise(const Point& point, FactorModel& model, const FactorLogs& logs) {
  constexpr double kStep = 0.05;
  LinearPoint result;
  const auto here = TRY(model.estimate(*point.row, factors_of(logs, model.gpu())));
  if (point.measured > Seconds(0)) result.residual = std::log(point.measured / here.time);
  for (std::size_t i = 0; i < kFactors; ++i) {
    FactorLogs up = logs;
    up[i] += kStep;
    const auto there = TRY(model.time(*point.row, up));
    result.slope[i] = std::log(there / here.time) / kStep;
  }
  if (here.family) result.family = *here.family;
  result.place = place_of(here);
  result.known_framework = model.knows_framework(*point.row);
  return result;
}

Result<std::vector<LinearPoint>> linearise(const std::vector<Point>& points, FactorModel& model,
                                           const FactorLogs& logs) {
  std::vector<LinearPoint> rows;
  for (const Point& point : points) {
    const auto row = TRY(linearise(point, model, logs));
    rows.push_back(row);
  }
  return rows;
}

}  // namespace rooftile
