#include "rooftile/learn/few_points.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "rooftile/gpu/catalogue.hpp"

namespace rooftile {
namespace {

using Vector = Eigen::Matrix<double, static_cast<int>(kFactors), 1>;
using Matrix = Eigen::Matrix<double, static_cast<int>(kFactors), static_cast<int>(kFactors)>;

constexpr std::size_t kLaunch = 2;

Vector vector_of(const FactorLogs& logs) { return Eigen::Map<const Vector>(logs.data()); }

FactorLogs logs_of(const Vector& vector) {
  FactorLogs logs{};
  Eigen::Map<Vector>(logs.data()) = vector;
  return logs;
}

// Rows beyond so many deviations count as if they lay there (Huber): one odd row cannot carry the fit.
constexpr double kOdd = 1.5;

// What the points say at some factors, with the prior.
struct Posterior {
  Vector mean;  // of the factors' logarithms
  Matrix variance;
  double scale = 1;  // of the noise, relative to the prior's
  double width = 1;  // of the prior, relative to what it was: 1 or more
};

// Bayes' rule for a linear model with normal errors, about `at`. The scale of the noise starts as worth kWorth rows. A
// GPU that lies beyond the others widens the prior, as if it were a multivariate t of kFreedom degrees.
Posterior update(const std::vector<LinearPoint>& rows, const Vector& at, const Vector& precision,
                 const FactorPrior& prior, double scale, double width) {
  constexpr double kWorth = 10;
  Matrix information = precision.asDiagonal();
  Vector pull = Vector::Zero();
  double squares = kWorth;
  for (const LinearPoint& row : rows) {
    const double noise = prior.noise[static_cast<std::size_t>(row.family)] * scale;
    const double odd = std::abs(row.residual) / noise;
    const double weight = std::min(1.0, kOdd / std::max(odd, 1e-12)) / (noise * noise);
    const Vector slope = vector_of(row.slope);
    information += weight * slope * slope.transpose();
    pull += weight * slope * (row.residual + slope.dot(at));
    squares += std::min(odd * odd, kOdd * odd) * scale * scale;
  }
  Posterior result;
  result.variance = information.inverse();
  result.mean = result.variance * pull;
  constexpr double kFreedom = 4;
  const double moved = static_cast<double>(kFactors) - result.variance.diagonal().dot(precision);
  const double far = result.mean.dot(precision.asDiagonal() * result.mean) * width * width;
  result.width = std::sqrt(std::max(1.0, (kFreedom + far) / (kFreedom + moved)));
  result.scale = std::sqrt(squares / (kWorth + static_cast<double>(rows.size())));
  return result;
}

// How far along the likeliest step it is 19 in 20 that squared errors of rows like these shrink: with the step m, its
// variance V and the slopes' Gram matrix G, the fall 2 a m'G x - a^2 m'G m of a share a is above 0 where the true step
// x has m'G x > a m'G m / 2.
double cautious_share(const Posterior& posterior, const Matrix& gram) {
  constexpr double kCautious = 2;
  const Vector reach = gram * posterior.mean;
  const double square = posterior.mean.dot(reach);
  if (square <= 0) return 0;
  const double deviation = std::sqrt(reach.dot(posterior.variance * reach));
  return std::clamp(2 * (1 - kCautious * deviation / square), 0.0, 1.0);
}

}  // namespace

std::string factor_name(std::size_t factor) {
  static constexpr std::array<std::string_view, kSharedFactors> kShared = {"clock", "dram_bandwidth",
                                                                           "launch_overhead"};
  if (factor < kSharedFactors) return std::string(kShared[factor]);
  return fmt::format("{}.efficiency", name_of(kKernelFamilies[factor - kSharedFactors]));
}

GpuFactors factors_of(const FactorLogs& logs, std::string gpu) {
  const auto factor = [&](std::size_t i) { return std::clamp(std::exp(logs[i]), kLeastFactor, kMostFactor); };
  GpuFactors factors{
      .gpu = std::move(gpu), .clock = factor(0), .dram_bandwidth = factor(1), .launch_overhead = factor(kLaunch)};
  for (std::size_t i = 0; i < factors.families.size(); ++i) factors.families[i].efficiency = factor(kSharedFactors + i);
  return factors;
}

FactorModel::FactorModel(Calibration base, std::string gpu) : calibration_(std::move(base)) {
  std::erase_if(calibration_.factors, [&](const GpuFactors& other) { return other.gpu == gpu; });
  calibration_.factors.push_back({.gpu = std::move(gpu)});
}

Result<Seconds> FactorModel::time(const LayerRow& row, const FactorLogs& logs) {
  factors() = factors_of(logs, factors().gpu);
  const auto layer = estimate_row(row, {.method = Method::rooftile, .calibration = &calibration_}, gpus_);
  if (!layer) return tl::unexpected(layer.error());
  return layer->time;
}

bool FactorModel::knows_framework(const LayerRow& row) const {
  const std::string framework = framework_of(row);
  return std::any_of(kKernelFamilies.begin(), kKernelFamilies.end(), [&](KernelFamily family) {
    return find_harness(calibration_, family, framework, calibration_.factors.back().gpu) != nullptr;
  });
}

Result<LinearPoint> linearise(const Point& point, FactorModel& model, const FactorLogs& logs) {
  constexpr double kStep = 0.05;
  LinearPoint result;
  const auto here = model.time(*point.row, logs);
  if (!here) return tl::unexpected(here.error());
  result.residual = std::log(point.measured / *here);
  std::size_t family = kSharedFactors;
  for (std::size_t i = 0; i < kFactors; ++i) {
    FactorLogs up = logs;
    up[i] += kStep;
    const auto there = model.time(*point.row, up);
    if (!there) return tl::unexpected(there.error());
    result.slope[i] = std::log(*there / *here) / kStep;
    if (i >= kSharedFactors && result.slope[i] < result.slope[family]) family = i;
  }
  result.family = kKernelFamilies[family - kSharedFactors];
  return result;
}

Result<FewPoints> fit_few_points(const std::vector<Point>& points, FactorModel& model, const FactorPrior& prior) {
  constexpr int kSteps = 12;
  constexpr double kFarthest = 1.0;  // of a step in any factor's logarithm
  FewPoints result;
  result.prior = prior.deviation;
  const bool unknown =
      std::any_of(points.begin(), points.end(), [&](const Point& point) { return !model.knows_framework(*point.row); });
  if (unknown) result.prior[kLaunch] = prior.unknown_launch;
  const Vector precision = vector_of(result.prior).array().square().inverse();
  Vector at = Vector::Zero();
  Posterior posterior;
  std::vector<LinearPoint> rows;
  double scale = 1, width = 1, used = 1;  // used: in the last update
  for (int step = 0; step < kSteps; ++step) {
    rows.clear();
    for (const Point& point : points) {
      const auto row = linearise(point, model, logs_of(at));
      if (!row) return tl::unexpected(row.error());
      rows.push_back(*row);
    }
    if (step == 0) {
      for (const LinearPoint& row : rows) result.before.push_back(row.residual);
    }
    used = width;
    posterior = update(rows, at, precision / (width * width), prior, scale, width);
    width = posterior.width;
    scale = posterior.scale;
    Vector change = posterior.mean - at;
    const double farthest = change.cwiseAbs().maxCoeff();
    if (farthest > kFarthest) change *= kFarthest / farthest;
    at += change;
    if (farthest < 1e-3) break;
  }
  Matrix gram = Matrix::Zero();
  for (const LinearPoint& row : rows) {
    const Vector slope = vector_of(row.slope);
    gram += slope * slope.transpose();
    ++result.points[static_cast<std::size_t>(row.family)];
  }
  posterior.mean = at;
  result.caution = cautious_share(posterior, gram);
  result.likeliest = logs_of(at);
  result.logs = logs_of(result.caution * at);
  for (double& deviation : result.prior) deviation *= used;
  result.deviation = logs_of(posterior.variance.diagonal().cwiseSqrt());
  for (std::size_t f = 0; f < result.interval.size(); ++f) {
    double spread = 0;
    for (const LinearPoint& row : rows) {
      if (static_cast<std::size_t>(row.family) != f) continue;
      const Vector slope = vector_of(row.slope);
      const double missed = (1 - result.caution) * slope.dot(at);
      spread += (slope.dot(posterior.variance * slope) + missed * missed) / static_cast<double>(result.points[f]);
    }
    const double noise = prior.noise[f] * scale;
    if (result.points[f] > 0) result.interval[f] = prior.tail * std::sqrt(noise * noise + spread);
  }
  for (const Point& point : points) {
    const auto time = model.time(*point.row, result.logs);
    if (!time) return tl::unexpected(time.error());
    result.after.push_back(std::log(point.measured / *time));
  }
  return result;
}

Result<std::vector<double>> cross_validated(const std::vector<Point>& points, FactorModel& model,
                                            const FactorPrior& prior) {
  constexpr std::size_t kParts = 10;
  const std::size_t parts = points.size() > kEachAlone ? kParts : points.size();
  std::vector<double> residuals(points.size());
  for (std::size_t part = 0; part < parts; ++part) {
    std::vector<Point> seen;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (i % parts != part) seen.push_back(points[i]);
    }
    const auto fitted = fit_few_points(seen, model, prior);
    if (!fitted) return tl::unexpected(fitted.error());
    for (std::size_t i = part; i < points.size(); i += parts) {
      const auto time = model.time(*points[i].row, fitted->logs);
      if (!time) return tl::unexpected(time.error());
      residuals[i] = std::log(points[i].measured / *time);
    }
  }
  return residuals;
}

Calibration calibration_of(const FewPoints& fitted, const std::string& gpu, const std::string& data,
                           const std::string& date) {
  Calibration calibration;
  calibration.on_shipped = true;
  GpuFactors factors = factors_of(fitted.logs, gpu);
  factors.data = data;
  factors.date = date;
  factors.rows = static_cast<double>(fitted.before.size());
  for (std::size_t f = 0; f < fitted.points.size(); ++f) {
    if (fitted.points[f] == 0) continue;
    factors.families[f].spread = Spread{std::exp(-fitted.interval[f]), std::exp(fitted.interval[f])};
  }
  calibration.factors.push_back(std::move(factors));
  return calibration;
}

}  // namespace rooftile
