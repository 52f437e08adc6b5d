#include "rooftile/learn/few_points_prior.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "rooftile/learn/factor_algebra.hpp"
#include "rooftile/validate/score.hpp"

namespace rooftile {
namespace {

using Families = std::array<double, kKernelFamilies.size()>;

constexpr std::size_t kLaunch = 2;
constexpr double kLeastDeviation = 0.02, kOdd = 1.5;

std::size_t place(const LinearPoint& row) { return static_cast<std::size_t>(row.family); }

bool has_family(const FactorEvidence& gpu, std::size_t family) {
  return std::any_of(gpu.rows.begin(), gpu.rows.end(), [&](const LinearPoint& row) { return place(row) == family; });
}

struct Moments {
  FactorLogs mean{};
  FactorMatrix variance{};
};

double unexplained(const LinearPoint& row, const FactorEvidence& gpu, const FactorLogs& factors) {
  return row.residual - dot(row.slope, difference(factors, gpu.at));
}

Moments moments_of(const FactorEvidence& gpu, const FactorLogs& start, const FactorPrior& prior) {
  FactorLogs deviation = prior.deviation;
  if (gpu.unknown_launch) deviation[kLaunch] = prior.unknown_launch;
  FactorMatrix information = precision_of(deviation);
  FactorLogs pull{};
  for (const LinearPoint& row : gpu.rows) {
    const double noise = prior.noise[place(row)];
    const double odd = std::abs(unexplained(row, gpu, start)) / noise;
    const double weight = std::min(1.0, kOdd / std::max(odd, 1e-12)) / (noise * noise);
    add_square(information, row.slope, weight);
    const double seen = row.residual + dot(row.slope, gpu.at);
    for (std::size_t i = 0; i < kFactors; ++i) pull[i] += weight * row.slope[i] * seen;
  }
  const FactorMatrix variance = inverse_of(information);
  return {product(variance, pull), variance};
}

// Of a factor over the GPUs that have it, as if kWorth further GPUs had `usual`.
double deviation_of(const std::vector<Moments>& gpus, const std::vector<bool>& has, std::size_t factor, double usual) {
  constexpr double kWorth = 2;
  double sum = kWorth * usual * usual, count = kWorth;
  for (std::size_t g = 0; g < gpus.size(); ++g) {
    if (!has[g]) continue;
    sum += gpus[g].mean[factor] * gpus[g].mean[factor] + gpus[g].variance[factor][factor];
    ++count;
  }
  return std::max(kLeastDeviation, std::sqrt(sum / count));
}

// Mean absolute deviations as those of a normal distribution, each GPU alike; and the share that tails go beyond them.
void set_noise(FactorPrior& prior, const std::vector<const FactorEvidence*>& gpus,
               const std::vector<Moments>& moments) {
  constexpr double kNormal = 1.2533;  // sqrt(pi / 2)
  Families sum{}, count{};
  for (std::size_t g = 0; g < gpus.size(); ++g) {
    Families of_gpu{}, rows{};
    for (const LinearPoint& row : gpus[g]->rows) {
      of_gpu[place(row)] += std::abs(unexplained(row, *gpus[g], moments[g].mean));
      ++rows[place(row)];
    }
    for (std::size_t f = 0; f < sum.size(); ++f) {
      if (rows[f] == 0) continue;
      sum[f] += of_gpu[f] / rows[f];
      ++count[f];
    }
  }
  for (std::size_t f = 0; f < sum.size(); ++f) {
    if (count[f] > 0) prior.noise[f] = std::max(kLeastDeviation, kNormal * sum[f] / count[f]);
  }
  std::vector<double> standard;
  for (std::size_t g = 0; g < gpus.size(); ++g) {
    for (const LinearPoint& row : gpus[g]->rows) {
      standard.push_back(std::abs(unexplained(row, *gpus[g], moments[g].mean)) / prior.noise[place(row)]);
    }
  }
  constexpr double kInside = 0.9;
  if (!standard.empty()) prior.tail = quantile(std::move(standard), kInside);
}

// Before any data: boards differ by a tenth, models of kernels by a sixth; an overhead that nobody measured may be ten
// times another. Worth kWorth GPUs where some are known.
FactorPrior guess() {
  FactorPrior prior;
  prior.deviation = {0.1, 0.1, 0.3, 0.15, 0.15, 0.15, 0.15, 0.15, 0.15};
  prior.unknown_launch = 2;
  prior.noise.fill(0.15);
  return prior;
}

}  // namespace

Result<FactorEvidence> factor_evidence(const std::vector<Point>& points, FactorModel& model) {
  const auto fitted = fit_few_points(points, model, guess());
  if (!fitted) return tl::unexpected(fitted.error());
  FactorEvidence evidence;
  evidence.at = fitted->likeliest;
  for (const Point& point : points) {
    const auto row = linearise(point, model, evidence.at);
    if (!row) return tl::unexpected(row.error());
    evidence.rows.push_back(*row);
    evidence.unknown_launch = evidence.unknown_launch || !model.knows_framework(*point.row);
  }
  return evidence;
}

FactorPrior learn_factor_prior(const std::vector<const FactorEvidence*>& gpus) {
  constexpr int kRounds = 100;
  const FactorPrior before = guess();
  FactorPrior prior = before;
  if (gpus.empty()) return prior;
  std::vector<Moments> moments(gpus.size());
  for (std::size_t g = 0; g < gpus.size(); ++g) moments[g].mean = gpus[g]->at;
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t g = 0; g < gpus.size(); ++g) moments[g] = moments_of(*gpus[g], moments[g].mean, prior);
    std::vector<bool> has(gpus.size(), true);
    for (std::size_t i = 0; i < kFactors; ++i) {
      for (std::size_t g = 0; g < gpus.size(); ++g) {
        if (i >= kSharedFactors) has[g] = has_family(*gpus[g], i - kSharedFactors);
        if (i == kLaunch) has[g] = !gpus[g]->unknown_launch;
      }
      prior.deviation[i] = deviation_of(moments, has, i, before.deviation[i]);
    }
    for (std::size_t g = 0; g < gpus.size(); ++g) has[g] = gpus[g]->unknown_launch;
    prior.unknown_launch = deviation_of(moments, has, kLaunch, before.unknown_launch);
    set_noise(prior, gpus, moments);
  }
  return prior;
}

FactorPrior shipped_factor_prior() {
  // Learned from 11 GPUs (M40 to H100), 120 rows of each table and GPU, constants fitted without each: the end of the
  // output of `rooftile fit … --model calibration --points 5` over the tables of docs/learning.md, 2026-11-21. No GPU
  // of theirs has streams: those are the guess's.
  FactorPrior prior = guess();
  prior.deviation = {0.130, 0.123, 0.525, 0.125, 0.159, 0.157, 0.123, 0.150, 0.275};
  prior.noise = {0.190, 0.186, 0.146, 0.167, 0.150, 0.348};
  prior.tail = 1.69;
  return prior;
}

}  // namespace rooftile
