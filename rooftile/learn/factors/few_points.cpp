#include "rooftile/learn/factors/few_points.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "rooftile/base/try.hpp"
#include "rooftile/learn/constants/fit.hpp"
#include "rooftile/learn/factors/few_points_covariance.hpp"
#include "rooftile/predict/refined.hpp"

namespace rooftile {
namespace {

// Rows beyond so many deviations count as if they lay there (Huber): one odd row cannot carry the fit.
constexpr double kOdd = 1.5;

// What the points say, with the prior.
struct Posterior {
  FactorLogs mean{}, deviation{};
  DenseVector pull;     // of each row, in units of 1 / variance
  DenseVector fitted;   // what it moves each row by
  double variance = 0;  // of the product of that and what is right
  DenseVector unknown;  // standard deviation of each row by the others
  double scale = 1;     // of the noise, relative to the prior's
  double width = 1;     // of the factors' prior, relative to what it was: 1 or more
};

// Sets pull and fitted by what is seen, each row's noise as large as those of the round before say, and the scale of
// it, which starts as worth kWorth rows. Returns the inverse of the rows' covariance.
DenseMatrix reweigh(const DenseMatrix& covariance, const DenseVector& seen, double noise, Posterior& result) {
  constexpr double kWorth = 10;
  constexpr int kRounds = 6;
  const std::size_t count = seen.size();
  DenseVector weight(count, 1.0);
  DenseMatrix inverse(0, 0);
  for (int round = 0; round < kRounds; ++round) {
    DenseMatrix all = covariance;
    for (std::size_t i = 0; i < count; ++i) all(i, i) += std::pow(result.scale * noise, 2) / weight[i];
    inverse = inverse_of(std::move(all));
    result.pull = product(inverse, seen);
    result.fitted = product(covariance, result.pull);
    double squares = kWorth;
    const double most = kOdd * result.scale;
    for (std::size_t i = 0; i < count; ++i) {
      const double odd = std::abs(seen[i] - result.fitted[i]) / noise;
      weight[i] = std::min(1.0, most / std::max(odd, 1e-12));
      squares += std::pow(std::min(odd, most), 2);
    }
    result.scale = std::sqrt(squares / (kWorth + static_cast<double>(count)));
  }
  return inverse;
}

// Bayes' rule for a linear model with normal errors, about `at`, the prior as wide as `from` has it. A GPU that lies
// beyond the others widens the prior, as if it were a multivariate t of kFreedom degrees.
Posterior update(const std::vector<LinearPoint>& rows, const FactorLogs& at, const FactorLogs& deviation,
                 const FactorPrior& prior, const Posterior& from) {
  constexpr double kFreedom = 4;
  FactorLogs wide = deviation;
  for (double& value : wide) value *= from.width;
  const DenseMatrix covariance = covariance_of(rows, wide, prior), slopes = slopes_of(rows);
  DenseVector seen = product(slopes, DenseVector(at.begin(), at.end()));
  for (std::size_t i = 0; i < rows.size(); ++i) seen[i] += rows[i].residual;
  Posterior result;
  const DenseMatrix inverse = reweigh(covariance, seen, prior.noise, result);
  const DenseVector reach = product(covariance, result.fitted);
  result.variance = dot(result.fitted, reach) - dot(reach, product(inverse, reach));
  for (std::size_t i = 0; i < rows.size(); ++i) result.unknown.push_back(1 / std::sqrt(inverse(i, i)));
  double moved = 0, far = 0;
  for (std::size_t i = 0; i < kFactors; ++i) {
    const DenseVector slope = column_of(slopes, i);
    const double square = wide[i] * wide[i];
    const double told = square * dot(slope, product(inverse, slope));  // of the variance
    result.mean[i] = square * dot(slope, result.pull);
    result.deviation[i] = wide[i] * std::sqrt(std::max(0.0, 1 - told));
    moved += told;
    far += result.mean[i] * result.mean[i] / (deviation[i] * deviation[i]);
  }
  result.width = std::sqrt(std::max(1.0, (kFreedom + far) / (kFreedom + moved)));
  return result;
}

// How sure it is that squared errors of rows like these shrink: with the likeliest step m of each row, and its variance
// V, the fall 2 a m'x - a^2 m'm of a share a is above 0 where the true step x has m'x > a m'm / 2. In deviations of m'x
// from 0.
double sureness(const Posterior& posterior) {
  const double square = dot(posterior.fitted, posterior.fitted);
  return square > 0 && posterior.variance > 0 ? square / std::sqrt(posterior.variance) : 0;
}

// Whether the points, each by what the others say of it, are nearer than they were. One odd row, or five that have
// nothing to do with each other, are not.
bool others_help(const FewPoints& fitted) {
  double before = 0, by_others = 0;
  for (std::size_t i = 0; i < fitted.before.size(); ++i) {
    before += std::abs(fitted.before[i]);
    by_others += std::abs(fitted.odd[i] * fitted.unknown[i]);
  }
  return by_others < before;
}

// A step towards the likeliest factors, so long that a linear model holds. Returns how far they are.
double approach(const FactorLogs& mean, FactorLogs& at) {
  constexpr double kFarthest = 1;  // in any factor's logarithm
  double farthest = 0;
  for (std::size_t i = 0; i < kFactors; ++i) farthest = std::max(farthest, std::abs(mean[i] - at[i]));
  const double share = farthest > kFarthest ? kFarthest / farthest : 1;
  for (std::size_t i = 0; i < kFactors; ++i) at[i] += share * (mean[i] - at[i]);
  return farthest;
}

// How far other rows of each family lie from what is applied: what is not known of a row in the place of a point, and
// what caution left out. Wider where the points, each by the others, are farther off than they should.
void set_intervals(const std::vector<MeasuredCall>& calls, const FactorPrior& prior, FewPoints& result) {
  constexpr double kWorth = 4;
  double squares = kWorth;
  std::array<double, kKernelFamilies.size()> spread{};
  result.points.fill(0);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const auto family = static_cast<std::size_t>(calls[i].family);
    const double variance = result.unknown[i] * result.unknown[i];
    const double odd = result.odd[i];
    squares += odd * odd;
    const double missed = (1 - result.share) * result.fitted[i];
    spread[family] += variance + missed * missed;
    ++result.points[family];
  }
  const double wider = std::sqrt(std::max(1.0, squares / (kWorth + static_cast<double>(calls.size()))));
  const double usual = std::hypot(prior.shared, prior.noise);
  for (std::size_t f = 0; f < spread.size(); ++f) {
    if (result.points[f] == 0) {
      result.interval[f] = 0;
      continue;
    }
    const double reach = std::sqrt(spread[f] / static_cast<double>(result.points[f]));
    result.interval[f] = std::min(kWidestSpread, prior.tail * wider * prior.scatter[f] / usual * reach);
  }
}

}  // namespace

GpuFactors factors_of(const FewPoints& fitted, const std::string& gpu) {
  GpuFactors factors = factors_of(fitted.logs, gpu);
  factors.calls = fitted.calls;
  return factors;
}

Result<FewPoints> fit_few_points(const std::vector<Point>& points, FactorModel& model, const FactorPrior& prior,
                                 double caution) {
  constexpr int kSteps = 12;
  constexpr double kThere = 1e-3;
  FewPoints result;
  FactorLogs at{}, deviation{};
  Posterior posterior;
  std::vector<LinearPoint> rows;
  for (int step = 0; step < kSteps; ++step) {
    auto linear = TRY(linearise(points, model, at));
    rows = std::move(linear);
    if (step == 0) {
      deviation = deviations_for(rows, prior);
      for (const LinearPoint& row : rows) result.before.push_back(row.residual);
    }
    result.prior = deviation;
    for (double& value : result.prior) value *= posterior.width;
    posterior = update(rows, at, deviation, prior, posterior);
    if (approach(posterior.mean, at) < kThere) break;
  }
  result.likeliest = at;
  result.deviation = posterior.deviation;
  result.sure = sureness(posterior);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    result.weights.push_back(prior.shared * prior.shared * posterior.pull[i]);
    result.fitted.push_back(posterior.fitted[i]);
    result.unknown.push_back(posterior.unknown[i]);
    result.odd.push_back(posterior.pull[i] * posterior.unknown[i]);
  }
  return with_caution(std::move(result), points, model, prior, caution);
}

Result<FewPoints> with_caution(FewPoints fitted, const std::vector<Point>& points, FactorModel& model,
                               const FactorPrior& prior, double caution) {
  fitted.share = fitted.sure > 0 ? std::clamp(2 * (1 - caution / fitted.sure), 0.0, 1.0) : 0;
  if (caution > 0 && !others_help(fitted)) fitted.share = 0;
  for (std::size_t i = 0; i < kFactors; ++i) {
    fitted.logs[i] = fitted.told(i) < kLeastTold ? 0 : fitted.share * fitted.likeliest[i];
  }
  fitted.calls.clear();
  std::vector<MeasuredCall> calls;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto layer = TRY(model.estimate(*points[i].row, factors_of(fitted.logs, model.gpu())));
    calls.push_back(
        {layer.family.value_or(KernelFamily::conv_simt), place_of(layer), fitted.share * fitted.weights[i]});
  }
  set_intervals(calls, prior, fitted);
  if (fitted.share > 0) fitted.calls = std::move(calls);
  const GpuFactors factors = factors_of(fitted, model.gpu());
  fitted.after.clear();
  for (const Point& point : points) {
    const auto time = TRY(model.time(*point.row, factors));
    fitted.after.push_back(std::log(point.measured / time));
  }
  return fitted;
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
    const auto fitted = TRY(fit_few_points(seen, model, prior));
    const GpuFactors factors = factors_of(fitted, model.gpu());
    for (std::size_t i = part; i < points.size(); i += parts) {
      const auto time = TRY(model.time(*points[i].row, factors));
      residuals[i] = std::log(points[i].measured / time);
    }
  }
  return residuals;
}

Calibration calibration_of(const FewPoints& fitted, const std::string& gpu, const std::string& data,
                           const std::string& date) {
  Calibration calibration;
  calibration.on_shipped = true;
  GpuFactors factors = factors_of(fitted, gpu);
  factors.data = data;
  factors.date = date;
  factors.rows = static_cast<double>(fitted.before.size());
  for (std::size_t f = 0; f < fitted.points.size(); ++f) {
    if (fitted.points[f] == 0 || fitted.share == 0) continue;  // what changes nothing has the interval that was there
    const double wide = std::exp(fitted.interval[f]);
    factors.families[f].spread = Spread{1 / wide, wide, wide};  // how much of it is common was not asked
  }
  calibration.factors.push_back(std::move(factors));
  return calibration;
}

}  // namespace rooftile
