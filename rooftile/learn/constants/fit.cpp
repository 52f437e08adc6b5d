#include "rooftile/learn/constants/fit.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <nlopt.hpp>
#include <numeric>

#include "rooftile/learn/constants/fit_problem.hpp"
#include "rooftile/timing/plan_time.hpp"

namespace rooftile {
namespace {

std::vector<double> minimise(const FitProblem& problem, std::vector<double> best, int evaluations) {
  for (const nlopt::algorithm algorithm : {nlopt::LN_BOBYQA, nlopt::LN_SBPLX}) {
    nlopt::opt optimiser(algorithm, static_cast<unsigned>(problem.size()));
    optimiser.set_min_objective([](const std::vector<double>& x, std::vector<double>&,
                                   void* data) { return static_cast<const FitProblem*>(data)->cost(x); },
                                const_cast<FitProblem*>(&problem));
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

struct Solution {
  std::vector<bool> rotates;  // of each harness
  std::vector<double> x;
  double cost = 0;
};

Solution solve(const FitRows& rows, const Prior& prior, const Solution& from, int evaluations) {
  const FitProblem problem(rows, prior, from.rotates);
  Solution solution = from;
  solution.x = minimise(problem, from.x.empty() ? problem.start() : from.x, evaluations);
  solution.cost = problem.cost(solution.x);
  return solution;
}

// A harness may or may not rotate its activations: all or none of them, then each alone the other way.
Solution best_rotation(const FitRows& rows, const FitOptions& options) {
  constexpr int kTrial = 4, kFlips = 2;  // parts of the evaluations for a trial, and for all flips
  const std::size_t count = rows.harnesses.size();
  const int trial = options.evaluations / kTrial;
  Solution best = solve(rows, options.prior, {std::vector<bool>(count, false), {}, 0}, trial);
  const Solution rotating = solve(rows, options.prior, {std::vector<bool>(count, true), {}, 0}, trial);
  if (rotating.cost < best.cost) best = rotating;
  for (std::size_t i = 0; i < count && count > 1; ++i) {
    Solution flipped = best;
    flipped.rotates[i] = !flipped.rotates[i];
    flipped = solve(rows, options.prior, flipped, options.evaluations / kFlips / static_cast<int>(count));
    if (flipped.cost < best.cost) best = flipped;
  }
  return solve(rows, options.prior, best, options.evaluations);
}

// Change of every residual for a small step of one parameter.
std::vector<double> sensitivity(const FitProblem& problem, const std::vector<double>& x, std::size_t parameter) {
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

double inner_product(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void describe(const FitProblem& problem, const std::vector<double>& x, Fit& fit) {
  constexpr double kBound = 1e-3, kUnseen = 1e-4, kSame = 0.97;
  std::vector<std::vector<double>> slopes;
  std::vector<std::size_t> seen;
  const auto rows = static_cast<double>(fit.residuals.size());
  for (std::size_t i = 0; i < problem.constants_size(); ++i) {
    std::vector<double> slope = sensitivity(problem, x, i);
    const std::string name(problem.info(i).name);
    if (std::sqrt(inner_product(slope, slope) / rows) < kUnseen) {
      fit.unseen.push_back(name);
      continue;
    }
    if (x[i] < kBound || x[i] > 1 - kBound) fit.at_bound.push_back(name);
    for (std::size_t j = 0; j < seen.size(); ++j) {
      const double cosine = inner_product(slope, slopes[j]) /
                            std::sqrt(inner_product(slope, slope) * inner_product(slopes[j], slopes[j]));
      if (std::abs(cosine) > kSame) fit.confounded.emplace_back(problem.info(seen[j]).name, name);
    }
    seen.push_back(i);
    slopes.push_back(std::move(slope));
  }
}

}  // namespace

Seconds fitted_time(const FitRow& row, const std::vector<GpuRates>& all_rates, const Constants& constants,
                    const Harness& harness) {
  GpuRates rates = all_rates[row.gpu];
  rates.constants = constants;
  rates.weight_sets = harness.weight_sets;
  rates.rotates = harness.rotates;
  rates.flushed = harness.flushes;
  rates.step_launches = harness.step_launches;
  return call_time(row.kernels(rates), harness.overhead, harness.floor);
}

double residual_of(const FitRow& row, const std::vector<GpuRates>& rates, const Constants& constants,
                   const Harness& harness) {
  return std::log(row.measured / fitted_time(row, rates, constants, harness));
}

double residual_beyond(const FitRow& row, const std::vector<GpuRates>& rates, const Constants& constants,
                       const Harness& harness) {
  if (!harness.range) return residual_of(row, rates, constants, harness);
  Harness quick = harness, slow = harness;
  quick.overhead = harness.range->overhead_low;
  quick.floor = harness.range->floor_low;
  quick.step_launches = harness.range->launches_low;
  slow.overhead = harness.range->overhead_high;
  slow.floor = harness.range->floor_high;
  slow.step_launches = harness.range->launches_high;
  const double least = residual_of(row, rates, constants, slow), most = residual_of(row, rates, constants, quick);
  return least > 0 ? least : std::min(0.0, most);
}

double gmae_of(const std::vector<double>& residuals) {
  double sum = 0;
  for (const double residual : residuals) sum += std::abs(residual);
  return residuals.empty() ? 0 : std::exp(sum / static_cast<double>(residuals.size())) - 1;
}

Fit fit(const FitRows& rows, const FitOptions& options) {
  const Solution solution =
      rows.family == KernelFamily::tensor
          ? best_rotation(rows, options)
          : solve(rows, options.prior, {std::vector<bool>(rows.harnesses.size(), false), {}, 0}, options.evaluations);
  const FitProblem problem(rows, options.prior, solution.rotates);
  const std::vector<double>& best = solution.x;
  Fit result;
  result.entry.family = rows.family;
  result.entry.scope = rows.scope;
  result.entry.board = rows.board;
  result.entry.choice = rows.choice;
  result.entry.constants = problem.constants(best);
  result.entry.date = options.date;
  for (const std::string& table : rows.tables) result.entry.data += (result.entry.data.empty() ? "" : ", ") + table;
  result.harnesses = problem.harnesses(best);
  result.residuals = problem.residuals(best);
  result.entry.rows = static_cast<double>(rows.rows.size());
  result.entry.gmae = gmae_of(result.residuals);
  describe(problem, best, result);
  return result;
}

}  // namespace rooftile
