#include "rooftile/learn/fit.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <nlopt.hpp>
#include <numeric>

#include "rooftile/timing/plan_time.hpp"

namespace rooftile {
namespace {

constexpr double kMostOverhead = 150e-6;  // seconds: above it lies no framework's call
constexpr double kLeastOverhead = 0;

// Parameters from 0 to 1: the constants between their bounds, then the overheads.
class Problem {
 public:
  Problem(const FitRows& rows, const Prior& prior) : rows_(rows), prior_(prior) {}

  std::size_t size() const { return kConstants + rows_.overheads.size(); }

  std::vector<double> start() const {
    std::vector<double> x(size(), 0.1);
    for (std::size_t i = 0; i < kConstants; ++i) x[i] = position(i, prior_.constants.values[i]);
    return x;
  }

  Constants constants(const std::vector<double>& x) const {
    Constants constants;
    for (std::size_t i = 0; i < kConstants; ++i) {
      const ConstantInfo& row = constant_table()[i];
      constants.values[i] = row.low + std::clamp(x[i], 0.0, 1.0) * (row.high - row.low);
    }
    return constants;
  }

  Seconds overhead(const std::vector<double>& x, std::size_t which) const {
    return Seconds(kLeastOverhead + std::clamp(x[kConstants + which], 0.0, 1.0) * (kMostOverhead - kLeastOverhead));
  }

  std::vector<double> residuals(const std::vector<double>& x) const {
    const Constants constants = this->constants(x);
    std::vector<double> result;
    result.reserve(rows_.rows.size());
    for (const FitRow& row : rows_.rows) {
      const Seconds time = fitted_time(row, rows_.machines, constants, overhead(x, row.overhead));
      result.push_back(std::log(row.measured / time));
    }
    return result;
  }

  // Mean |residual|, smooth at zero, plus the pull of the prior.
  double cost(const std::vector<double>& x) const {
    constexpr double kSmooth = 0.01;
    double sum = 0;
    for (const double residual : residuals(x)) sum += std::sqrt(residual * residual + kSmooth * kSmooth);
    double pull = 0;
    const std::vector<double> from = start();
    for (std::size_t i = 0; i < kConstants; ++i) pull += (x[i] - from[i]) * (x[i] - from[i]);
    return (sum + prior_.strength * pull) / static_cast<double>(rows_.rows.size());
  }

 private:
  static double position(std::size_t i, double value) {
    const ConstantInfo& row = constant_table()[i];
    return (value - row.low) / (row.high - row.low);
  }

  const FitRows& rows_;
  const Prior& prior_;
};

std::vector<double> minimise(const Problem& problem, int evaluations) {
  std::vector<double> best = problem.start();
  for (const nlopt::algorithm algorithm : {nlopt::LN_BOBYQA, nlopt::LN_SBPLX}) {
    nlopt::opt optimiser(algorithm, static_cast<unsigned>(problem.size()));
    optimiser.set_min_objective([](const std::vector<double>& x, std::vector<double>&,
                                   void* data) { return static_cast<const Problem*>(data)->cost(x); },
                                const_cast<Problem*>(&problem));
    optimiser.set_lower_bounds(0.0);
    optimiser.set_upper_bounds(1.0);
    optimiser.set_initial_step(0.1);
    optimiser.set_ftol_rel(1e-6);
    optimiser.set_maxeval(evaluations / 2);
    double least = 0;
    try {
      optimiser.optimize(best, least);
    } catch (const nlopt::roundoff_limited&) {  // as good as it gets; `best` holds it
    }
  }
  return best;
}

// Change of every residual for a small step of one parameter.
std::vector<double> sensitivity(const Problem& problem, const std::vector<double>& x, std::size_t parameter) {
  constexpr double kStep = 0.02;
  std::vector<double> up = x, down = x;
  up[parameter] = std::min(1.0, x[parameter] + kStep);
  down[parameter] = std::max(0.0, x[parameter] - kStep);
  std::vector<double> change = problem.residuals(up);
  const std::vector<double> before = problem.residuals(down);
  for (std::size_t i = 0; i < change.size(); ++i)
    change[i] = (change[i] - before[i]) / (up[parameter] - down[parameter]);
  return change;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void describe(const Problem& problem, const std::vector<double>& x, Fit& fit) {
  constexpr double kBound = 1e-3, kUnseen = 1e-4, kSame = 0.97;
  std::vector<std::vector<double>> slopes;
  std::vector<std::size_t> seen;
  const auto rows = static_cast<double>(fit.residuals.size());
  for (std::size_t i = 0; i < kConstants; ++i) {
    std::vector<double> slope = sensitivity(problem, x, i);
    const std::string name(constant_table()[i].name);
    if (std::sqrt(dot(slope, slope) / rows) < kUnseen) {
      fit.unseen.push_back(name);
      continue;
    }
    if (x[i] < kBound || x[i] > 1 - kBound) fit.at_bound.push_back(name);
    for (std::size_t j = 0; j < seen.size(); ++j) {
      const double cosine = dot(slope, slopes[j]) / std::sqrt(dot(slope, slope) * dot(slopes[j], slopes[j]));
      if (std::abs(cosine) > kSame) fit.confounded.emplace_back(constant_table()[seen[j]].name, name);
    }
    seen.push_back(i);
    slopes.push_back(std::move(slope));
  }
}

}  // namespace

Seconds fitted_time(const FitRow& row, const std::vector<Machine>& machines, const Constants& constants,
                    Seconds overhead) {
  Machine machine = machines[row.machine];
  machine.constants = constants;
  Seconds least(std::numeric_limits<double>::infinity());
  for (const LaunchPlan& plan : row.plans) least = std::min(least, plan_time(plan, machine));
  return least + overhead;
}

double gmae_of(const std::vector<double>& residuals) {
  double sum = 0;
  for (const double residual : residuals) sum += std::abs(residual);
  return residuals.empty() ? 0 : std::exp(sum / static_cast<double>(residuals.size())) - 1;
}

Spread spread_of(std::vector<double> residuals) {
  if (residuals.empty()) return {};
  std::sort(residuals.begin(), residuals.end());
  constexpr double kTail = 0.05;
  const auto at = [&](double share) {
    return std::exp(residuals[static_cast<std::size_t>(share * static_cast<double>(residuals.size() - 1))]);
  };
  return {at(kTail), at(1 - kTail)};
}

Fit fit(const FitRows& rows, const FitOptions& options) {
  const Problem problem(rows, options.prior);
  const std::vector<double> best = minimise(problem, options.evaluations);
  Fit result;
  result.entry.family = rows.family;
  result.entry.scope = rows.scope;
  result.entry.choice = rows.choice;
  result.entry.constants = problem.constants(best);
  result.entry.date = options.date;
  for (const std::string& table : rows.tables) result.entry.data += (result.entry.data.empty() ? "" : ", ") + table;
  for (std::size_t i = 0; i < rows.overheads.size(); ++i) {
    result.overheads.push_back(rows.overheads[i]);
    result.overheads.back().time = problem.overhead(best, i);
  }
  result.residuals = problem.residuals(best);
  result.entry.rows = static_cast<double>(rows.rows.size());
  result.entry.gmae = gmae_of(result.residuals);
  describe(problem, best, result);
  return result;
}

}  // namespace rooftile
