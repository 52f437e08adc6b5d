#include "rooftile/explore/optimise/least_search.hpp"

#include <algorithm>
#include <cmath>
#include <nlopt.hpp>
#include <span>

#include "rooftile/explore/optimise/random_source.hpp"

namespace rooftile {
namespace {

struct Context {
  Trials& trials;
  const Aim& aim;
  nlopt::opt* optimiser;
};

// Coordinates come as shares of their axes.
double penalised(const std::vector<double>& shares, std::vector<double>& /*gradient*/, void* data) {
  const auto& context = *static_cast<const Context*>(data);
  const std::vector<SearchAxis>& axes = context.trials.problem().axes();
  SearchPoint point;
  for (std::size_t a = 0; a < axes.size(); ++a) point.push_back(axes[a].nearest(shares[a] * axes[a].last()));
  const auto entry = context.trials.add(std::span(&point, 1)).front();
  constexpr double kWorst = 1e6, kPenalty = 10;
  if (!entry) {
    context.optimiser->force_stop();
    return kWorst;
  }
  const Trial& trial = context.trials.trial(*entry);
  const double violation = trial.violation();
  if (!std::isfinite(violation)) return kWorst;
  return std::log(context.aim(trial)) + kPenalty * violation;
}

// Until the trials are used up.
void controlled_random_search(Trials& trials, const Aim& aim, std::uint64_t seed) {
  const std::size_t axes = trials.problem().axes().size();
  RandomSource random(seed);
  nlopt::srand(static_cast<unsigned long>(seed));
  constexpr int kMostRuns = 1000, kMostSteps = 20000;
  for (int run = 0; run < kMostRuns && trials.left() > 0; ++run) {
    nlopt::opt optimiser(nlopt::GN_CRS2_LM, static_cast<unsigned>(axes));
    Context context = {trials, aim, &optimiser};
    optimiser.set_min_objective(penalised, &context);
    optimiser.set_lower_bounds(0.0);
    optimiser.set_upper_bounds(1.0);
    optimiser.set_maxeval(kMostSteps);
    constexpr double kConverged = 1e-4;
    optimiser.set_xtol_abs(kConverged);
    std::vector<double> shares;
    for (std::size_t a = 0; a < axes; ++a) shares.push_back(random.place());
    double least = 0;
    try {
      optimiser.optimize(shares, least);
    } catch (const nlopt::forced_stop&) {
      return;
    } catch (const nlopt::roundoff_limited&) {  // as good as it gets
    }
  }
}

}  // namespace

std::optional<std::size_t> least_search(Trials& trials, const Aim& aim, const LeastSearchOptions& options) {
  trials.add(options.starts);
  const std::size_t most = trials.most();
  trials.set_most(trials.size() + trials.left() / 4 * 3);
  controlled_random_search(trials, aim, options.seed);
  trials.set_most(most);
  // The best few of all there are.
  std::vector<std::size_t> best(trials.size());
  for (std::size_t i = 0; i < best.size(); ++i) best[i] = i;
  constexpr std::size_t kStarts = 8, kOneOf = 32;
  const auto before = [&](std::size_t a, std::size_t b) {
    const double a_violation = trials.trial(a).violation(), b_violation = trials.trial(b).violation();
    if (a_violation != b_violation) return a_violation < b_violation;
    return trials.trial(a).possible && aim(trials.trial(a)) < aim(trials.trial(b));
  };
  std::stable_sort(best.begin(), best.end(), before);
  LocalSearchOptions local = {.seed = options.seed, .samples = most / kOneOf};
  for (std::size_t i = 0; i < std::min(kStarts, best.size()); ++i) local.starts.push_back(trials.point(best[i]));
  return local_search(trials, aim, local);
}

}  // namespace rooftile
