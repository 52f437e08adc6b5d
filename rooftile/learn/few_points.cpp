#include "rooftile/learn/few_points.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "rooftile/learn/factor_algebra.hpp"

namespace rooftile {
namespace {

constexpr std::size_t kLaunch = 2;

// Rows beyond so many deviations count as if they lay there (Huber): one odd row cannot carry the fit.
constexpr double kOdd = 1.5;

// What the points say, with the prior.
struct Posterior {
  FactorLogs mean{};
  FactorMatrix variance{};
  double scale = 1;  // of the noise, relative to the prior's
  double width = 1;  // of the prior, relative to what it was: 1 or more
};

// Bayes' rule for a linear model with normal errors, about `at`, the prior as wide as `from` has it. The scale of the
// noise starts as worth kWorth rows. A GPU that lies beyond the others widens the prior, as if it were a multivariate t
// of kFreedom degrees.
Posterior update(const std::vector<LinearPoint>& rows, const FactorLogs& at, const FactorLogs& deviation,
                 const FactorPrior& prior, const Posterior& from) {
  constexpr double kWorth = 10, kFreedom = 4;
  const FactorMatrix precision = precision_of(scaled(deviation, from.width));
  FactorMatrix information = precision;
  FactorLogs pull{};
  double squares = kWorth;
  for (const LinearPoint& row : rows) {
    const double noise = prior.noise[static_cast<std::size_t>(row.family)] * from.scale;
    const double odd = std::abs(row.residual) / noise;
    const double weight = std::min(1.0, kOdd / std::max(odd, 1e-12)) / (noise * noise);
    add_square(information, row.slope, weight);
    const double seen = row.residual + dot(row.slope, at);
    for (std::size_t i = 0; i < kFactors; ++i) pull[i] += weight * row.slope[i] * seen;
    squares += std::min(odd * odd, kOdd * kOdd) * from.scale * from.scale;
  }
  Posterior result;
  result.variance = inverse_of(information);
  result.mean = product(result.variance, pull);
  double moved = 0, far = 0;
  for (std::size_t i = 0; i < kFactors; ++i) {
    moved += 1 - result.variance[i][i] * precision[i][i];
    far += result.mean[i] * result.mean[i] / (deviation[i] * deviation[i]);
  }
  result.width = std::sqrt(std::max(1.0, (kFreedom + far) / (kFreedom + moved)));
  result.scale = std::sqrt(squares / (kWorth + static_cast<double>(rows.size())));
  return result;
}

// How far along the likeliest step it is all but sure that squared errors of rows like these shrink: with the step m,
// its variance V and the slopes' Gram matrix G, the fall 2 a m'G x - a^2 m'G m of a share a is above 0 where the true
// step x has m'G x > a m'G m / 2. Three deviations of it, for models are wrong: with 1.645, which would be 19 in 20
// were this one true, 8 in 100 draws of the trial got worse, with 2 it was 6 to 7.
double cautious_share(const std::vector<LinearPoint>& rows, const FactorLogs& step, const FactorMatrix& variance) {
  constexpr double kCautious = 3;
  FactorMatrix gram{};
  for (const LinearPoint& row : rows) add_square(gram, row.slope, 1);
  const FactorLogs reach = product(gram, step);
  const double square = dot(step, reach);
  if (square <= 0) return 0;
  const double deviation = std::sqrt(dot(reach, product(variance, reach)));
  return std::clamp(2 * (1 - kCautious * deviation / square), 0.0, 1.0);
}

// A step towards the likeliest factors, so long that a linear model holds. Returns how far they are.
double approach(const FactorLogs& mean, FactorLogs& at) {
  constexpr double kFarthest = 1;  // in any factor's logarithm
  const FactorLogs change = difference(mean, at);
  double farthest = 0;
  for (const double part : change) farthest = std::max(farthest, std::abs(part));
  const double share = farthest > kFarthest ? kFarthest / farthest : 1;
  for (std::size_t i = 0; i < kFactors; ++i) at[i] += share * change[i];
  return farthest;
}

Result<std::vector<LinearPoint>> linearise_all(const std::vector<Point>& points, FactorModel& model,
                                               const FactorLogs& at) {
  std::vector<LinearPoint> rows;
  for (const Point& point : points) {
    const auto row = linearise(point, model, at);
    if (!row) return tl::unexpected(row.error());
    rows.push_back(*row);
  }
  return rows;
}

// Counts the rows of each family, and how far others lie from what is applied: their noise, what is not known of the
// factors, and what was not applied of them.
void set_intervals(const std::vector<LinearPoint>& rows, const Posterior& posterior, const FactorPrior& prior,
                   FewPoints& result) {
  std::array<double, kKernelFamilies.size()> spread{};
  for (const LinearPoint& row : rows) {
    const auto family = static_cast<std::size_t>(row.family);
    const double missed = dot(row.slope, difference(result.likeliest, result.logs));
    spread[family] += dot(row.slope, product(posterior.variance, row.slope)) + missed * missed;
    ++result.points[family];
  }
  for (std::size_t f = 0; f < spread.size(); ++f) {
    if (result.points[f] == 0) continue;
    const double noise = prior.noise[f] * posterior.scale;
    result.interval[f] = prior.tail * std::sqrt(noise * noise + spread[f] / static_cast<double>(result.points[f]));
  }
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
  constexpr double kThere = 1e-3;
  FewPoints result;
  FactorLogs deviation = prior.deviation;
  const bool unknown =
      std::any_of(points.begin(), points.end(), [&](const Point& point) { return !model.knows_framework(*point.row); });
  if (unknown) deviation[kLaunch] = prior.unknown_launch;
  FactorLogs at{};
  Posterior posterior;
  std::vector<LinearPoint> rows;
  for (int step = 0; step < kSteps; ++step) {
    auto linear = linearise_all(points, model, at);
    if (!linear) return tl::unexpected(linear.error());
    rows = std::move(*linear);
    if (step == 0) {
      for (const LinearPoint& row : rows) result.before.push_back(row.residual);
    }
    result.prior = scaled(deviation, posterior.width);
    posterior = update(rows, at, deviation, prior, posterior);
    if (approach(posterior.mean, at) < kThere) break;
  }
  result.caution = cautious_share(rows, at, posterior.variance);
  result.likeliest = at;
  result.logs = scaled(at, result.caution);
  for (std::size_t i = 0; i < kFactors; ++i) {
    result.deviation[i] = std::sqrt(posterior.variance[i][i]);
    if (result.told(i) < kLeastTold) result.logs[i] = 0;
  }
  set_intervals(rows, posterior, prior, result);
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
    if (fitted.points[f] == 0 || fitted.caution == 0) continue;  // what changes nothing has the interval that was there
    factors.families[f].spread = Spread{std::exp(-fitted.interval[f]), std::exp(fitted.interval[f])};
  }
  calibration.factors.push_back(std::move(factors));
  return calibration;
}

}  // namespace rooftile
