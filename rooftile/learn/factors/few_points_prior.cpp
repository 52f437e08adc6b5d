#include "rooftile/learn/factors/few_points_prior.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "rooftile/base/quantile.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/learn/factors/few_points_covariance.hpp"
#include "rooftile/validate/score.hpp"

namespace rooftile {
namespace {

using Families = std::array<double, kKernelFamilies.size()>;

constexpr double kLeastDeviation = 0.02;

// Of the variance of rows beside the factors, what they share with rows like them.
constexpr double kSharedPart = 0.6;

std::size_t place(const LinearPoint& row) { return static_cast<std::size_t>(row.family); }

bool has_family(const FactorEvidence& gpu, std::size_t family) {
  return std::any_of(gpu.rows.begin(), gpu.rows.end(), [&](const LinearPoint& row) { return place(row) == family; });
}

bool has_unknown_launch(const FactorEvidence& gpu) {
  return std::any_of(gpu.rows.begin(), gpu.rows.end(), [](const LinearPoint& row) { return !row.known_framework; });
}

void set_scatter(FactorPrior& prior, double deviation) {
  prior.shared = deviation * std::sqrt(kSharedPart);
  prior.noise = deviation * std::sqrt(1 - kSharedPart);
}

double unexplained(const LinearPoint& row, const FactorEvidence& gpu, const DenseVector& factors) {
  double rest = row.residual;
  for (std::size_t i = 0; i < kFactors; ++i) rest -= row.slope[i] * (factors[i] - gpu.at[i]);
  return rest;
}

// The rows of a GPU as a normal distribution of its factors, whatever their prior.
struct Likelihood {
  DenseMatrix information;
  DenseVector pull;
};

// Rows beyond three deviations count as if they lay there.
Likelihood likelihood_of(const FactorEvidence& gpu, const FactorPrior& prior) {
  constexpr double kOdd = 3;
  DenseMatrix covariance = shared_covariance(gpu.rows, prior);
  const DenseMatrix slopes = slopes_of(gpu.rows);
  DenseVector seen = product(slopes, DenseVector(gpu.at.begin(), gpu.at.end()));
  for (std::size_t i = 0; i < gpu.rows.size(); ++i) {
    const double far = kOdd * prior.scatter[place(gpu.rows[i])];
    covariance(i, i) += prior.noise * prior.noise;
    seen[i] += std::clamp(gpu.rows[i].residual, -far, far);
  }
  const DenseMatrix weighted = product(transposed(slopes), inverse_of(std::move(covariance)));
  return {product(weighted, slopes), product(weighted, seen)};
}

struct Moments {
  DenseVector mean;
  DenseMatrix variance;
};

Moments moments_of(const Likelihood& gpu, bool unknown_launch, const FactorPrior& prior) {
  DenseMatrix information = gpu.information;
  for (std::size_t i = 0; i < kFactors; ++i) {
    const double deviation = i == kLaunchFactor && unknown_launch ? prior.unknown_launch : prior.deviation[i];
    information(i, i) += 1 / (deviation * deviation);
  }
  DenseMatrix variance = inverse_of(std::move(information));
  DenseVector mean = product(variance, gpu.pull);
  return {std::move(mean), std::move(variance)};
}

// Of a factor over the GPUs that have it, as if kWorth further GPUs had `usual`.
double deviation_of(const std::vector<Moments>& gpus, const std::vector<bool>& has, std::size_t factor, double usual) {
  constexpr double kWorth = 10;
  double sum = kWorth * usual * usual, count = kWorth;
  for (std::size_t g = 0; g < gpus.size(); ++g) {
    if (!has[g]) continue;
    sum += gpus[g].mean[factor] * gpus[g].mean[factor] + gpus[g].variance(factor, factor);
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
  double all = 0, families = 0;
  for (std::size_t f = 0; f < sum.size(); ++f) {
    if (count[f] == 0) continue;
    prior.scatter[f] = std::max(kLeastDeviation, kNormal * sum[f] / count[f]);
    all += count[f] * prior.scatter[f];
    families += count[f];
  }
  if (families > 0) set_scatter(prior, all / families);
  std::vector<double> standard;
  for (std::size_t g = 0; g < gpus.size(); ++g) {
    for (const LinearPoint& row : gpus[g]->rows) {
      standard.push_back(std::abs(unexplained(row, *gpus[g], moments[g].mean)) / prior.scatter[place(row)]);
    }
  }
  constexpr double kInside = 0.9;
  if (!standard.empty()) prior.tail = quantile(std::move(standard), kInside);
}

// Before any data: boards differ by a twentieth, models of kernels by a fourteenth over and above what is different
// from shape to shape, a sixth; an overhead that nobody measured may be ten times another. Worth kWorth GPUs where some
// are known.
FactorPrior guess() {
  FactorPrior prior;
  prior.deviation = {0.05, 0.05, 0.3, 0.07, 0.07, 0.07, 0.07, 0.07, 0.07};
  prior.unknown_launch = 2;
  prior.scatter.fill(0.17);
  set_scatter(prior, 0.17);
  return prior;
}

}  // namespace

Result<FactorEvidence> factor_evidence(const std::vector<Point>& points, FactorModel& model) {
  constexpr std::size_t kMost = 150;
  std::vector<Point> spread;
  const std::size_t taken = std::min(kMost, points.size());
  for (std::size_t i = 0; i < taken; ++i) spread.push_back(points[i * points.size() / taken]);
  const auto fitted = TRY(fit_few_points(spread, model, guess()));
  auto rows = TRY(linearise(spread, model, fitted.likeliest));
  return FactorEvidence{fitted.likeliest, std::move(rows)};
}

FactorPrior learn_factor_prior(const std::vector<const FactorEvidence*>& gpus) {
  constexpr int kScatters = 3, kRounds = 50;
  const FactorPrior before = guess();
  FactorPrior prior = before;
  if (gpus.empty()) return prior;
  std::vector<Moments> moments(gpus.size(), {{}, DenseMatrix(0, 0)});
  std::vector<bool> unknown;
  for (const FactorEvidence* gpu : gpus) unknown.push_back(has_unknown_launch(*gpu));
  for (int scatters = 0; scatters < kScatters; ++scatters) {
    std::vector<Likelihood> likelihoods;
    for (const FactorEvidence* gpu : gpus) likelihoods.push_back(likelihood_of(*gpu, prior));
    for (int round = 0; round < kRounds; ++round) {
      for (std::size_t g = 0; g < gpus.size(); ++g) moments[g] = moments_of(likelihoods[g], unknown[g], prior);
      std::vector<bool> has(gpus.size(), true);
      for (std::size_t i = 0; i < kFactors; ++i) {
        for (std::size_t g = 0; g < gpus.size(); ++g) {
          if (i >= kSharedFactors) has[g] = has_family(*gpus[g], i - kSharedFactors);
          if (i == kLaunchFactor) has[g] = !unknown[g];
        }
        prior.deviation[i] = deviation_of(moments, has, i, before.deviation[i]);
      }
      prior.unknown_launch = deviation_of(moments, unknown, kLaunchFactor, before.unknown_launch);
    }
    set_noise(prior, gpus, moments);
  }
  return prior;
}

FactorPrior shipped_factor_prior() {
  // Learned from 11 GPUs (M40 to H100), 120 rows of each table and GPU, constants fitted without each: the end of the
  // output of `rooftile fit factors … --points 5 --chosen` over the tables of docs/learning.md, 2026-11-21.
  // No GPU of theirs has streams: those are the guess's.
  FactorPrior prior = guess();
  prior.deviation = {0.062, 0.048, 0.349, 0.070, 0.080, 0.069, 0.068, 0.070, 0.076};
  prior.shared = 0.159;
  prior.noise = 0.130;
  prior.scatter = {0.195, 0.217, 0.146, 0.181, 0.170, 0.296};
  prior.tail = 1.59;
  return prior;
}

}  // namespace rooftile
