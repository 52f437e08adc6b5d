// How near searches come to the best of a million designs in a hundredth of the trials: that of rooftile optimise
// beside random trials, differential evolution and those of NLopt, over seeds. Prints a line a question and search.
//
// optimise_search [SEEDS]      default: 3
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <nlopt.hpp>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/cost/cost_file.hpp"
#include "rooftile/explore/optimise/design_table.hpp"
#include "rooftile/explore/optimise/front_search.hpp"
#include "rooftile/explore/optimise/hypervolume.hpp"
#include "rooftile/explore/optimise/least_search.hpp"
#include "rooftile/explore/optimise/local_search.hpp"
#include "rooftile/explore/optimise/million_spaces.hpp"
#include "rooftile/explore/optimise/random_source.hpp"
#include "rooftile/explore/space_file.hpp"
#include "rooftile/zoo/zoo.hpp"

namespace rooftile {
namespace {

constexpr std::size_t kTrials = 9999, kSamples = 625;

// Bounds as multiples of the GPU's own.
struct Question {
  Metric least;
  std::vector<std::pair<Metric, double>> bounds;
};
const std::vector<Question>& questions() {
  using M = Metric;
  static const std::vector<Question> all = {
      {M::time, {{M::area, 0.95}}},
      {M::time, {{M::area, 1.2}}},
      {M::time, {{M::manufacturing_cost, 0.9}}},
      {M::time, {{M::manufacturing_cost, 1.5}}},
      {M::time, {{M::power, 1}}},
      {M::time, {{M::area, 1.1}, {M::power, 1.1}}},
      {M::time, {{M::manufacturing_cost, 1.3}, {M::power, 1.2}}},
      {M::manufacturing_cost, {{M::time, 0.7}}},
      {M::manufacturing_cost, {{M::time, 0.45}}},
      {M::area, {{M::time, 0.6}}},
      {M::area, {{M::time, 0.4}}},
      {M::power, {{M::time, 0.8}}},
      {M::power, {{M::time, 0.7}, {M::manufacturing_cost, 2}}},
      {M::energy, {{M::time, 0.8}, {M::manufacturing_cost, 1.4}}},
      {M::manufacturing_cost, {{M::time, 0.8}, {M::power, 1.2}, {M::area, 1.5}}},
  };
  return all;
}

const Aim kFirst = [](const Trial& trial) { return trial.objectives.front(); };

using Search = std::function<void(Trials&, std::uint64_t seed)>;

void both_searches(Trials& trials, std::uint64_t seed) { least_search(trials, kFirst, {.seed = seed}); }
void descents(Trials& trials, std::uint64_t seed) { local_search(trials, kFirst, {.seed = seed, .samples = kSamples}); }

void random_trials(Trials& trials, std::uint64_t seed) {
  RandomSource random(seed);
  while (trials.left() > 0) {
    SearchPoint point;
    for (const SearchAxis& axis : trials.problem().axes()) point.push_back(axis.at_place(random.place()));
    trials.add(std::span(&point, 1));
  }
}

constexpr std::size_t kMostCalls = 200000;  // points that were tried already are free, but not for ever

// DE/rand/1/bin with ten points a variable and Deb's rule; coordinates are rounded where they are tried.
void differential_evolution(Trials& trials, std::uint64_t seed) {
  const std::vector<SearchAxis>& axes = trials.problem().axes();
  const std::size_t variables = axes.size(), points = 10 * variables;
  RandomSource random(seed);
  const auto tried = [&](SearchPoint point) {
    for (std::size_t a = 0; a < variables; ++a) point[a] = axes[a].nearest(point[a]);
    return trials.add(std::span(&point, 1)).front();
  };
  std::vector<SearchPoint> population(points, SearchPoint(variables));
  std::vector<std::size_t> entries(points);
  for (std::size_t i = 0; i < points; ++i) {
    for (std::size_t a = 0; a < variables; ++a) population[i][a] = random.place() * axes[a].last();
    entries[i] = *tried(population[i]);
  }
  for (std::size_t calls = 0; calls < kMostCalls && trials.left() > 0; ++calls) {
    const std::size_t i = calls % points;
    const SearchPoint &a = population[random.index(points)], &b = population[random.index(points)],
                      &c = population[random.index(points)];
    SearchPoint point = population[i];
    const double length = 0.4 + 0.5 * random.place();
    const std::size_t always = random.index(variables);
    for (std::size_t v = 0; v < variables; ++v) {
      if (v != always && random.place() >= 0.7) continue;
      point[v] = a[v] + length * (b[v] - c[v]);
      if (point[v] < 0 || point[v] > axes[v].last()) point[v] = random.place() * axes[v].last();
    }
    const auto entry = tried(point);
    if (!entry || better(trials.trial(entries[i]), trials.trial(*entry), 0)) continue;
    entries[i] = *entry;
    population[i] = std::move(point);
  }
}

// Any of NLopt's, on rounded coordinates, with a penalty for what limits are broken by.
void nlopt_search(nlopt::algorithm algorithm, Trials& trials, std::uint64_t seed) {
  const std::vector<SearchAxis>& axes = trials.problem().axes();
  struct Context {
    Trials& trials;
    nlopt::opt* optimiser;
  };
  nlopt::srand(static_cast<unsigned long>(seed));
  RandomSource random(seed);
  const auto objective = [](const std::vector<double>& x, std::vector<double>&, void* data) {
    auto& context = *static_cast<Context*>(data);
    const std::vector<SearchAxis>& all = context.trials.problem().axes();
    SearchPoint point;
    for (std::size_t a = 0; a < all.size(); ++a) point.push_back(all[a].nearest(x[a] * all[a].last()));
    const auto entry = context.trials.add(std::span(&point, 1)).front();
    constexpr double kWorst = 1e6, kPenalty = 10;
    if (!entry) {
      context.optimiser->force_stop();
      return kWorst;
    }
    const Trial& trial = context.trials.trial(*entry);
    return trial.possible ? std::log(trial.objectives.front()) + kPenalty * trial.violation() : kWorst;
  };
  for (int start = 0; start < 1000 && trials.left() > 0; ++start) {
    nlopt::opt optimiser(algorithm, static_cast<unsigned>(axes.size()));
    Context context = {trials, &optimiser};
    optimiser.set_min_objective(objective, &context);
    optimiser.set_lower_bounds(0.0);
    optimiser.set_upper_bounds(1.0);
    optimiser.set_maxeval(static_cast<int>(kMostCalls) / 10);
    optimiser.set_xtol_abs(1e-4);
    std::vector<double> x;
    for (std::size_t a = 0; a < axes.size(); ++a) x.push_back(random.place());
    double least = 0;
    try {
      optimiser.optimize(x, least);
    } catch (const nlopt::forced_stop&) {
      return;
    } catch (const std::exception&) {  // roundoff: another start
    }
  }
}

struct Tally {
  std::size_t runs = 0, exact = 0, within = 0, questions_within = 0, questions = 0;
  double worst = 0;
};

double quantile(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

void compare(int seeds) {
  const std::vector<std::pair<const char*, Search>> searches = {
      {"rooftile optimise", both_searches},
      {"its descents alone", descents},
      {"random", random_trials},
      {"differential evolution", differential_evolution},
      {"NLopt CRS2", [](Trials& t, std::uint64_t s) { nlopt_search(nlopt::GN_CRS2_LM, t, s); }},
      {"NLopt ESCH", [](Trials& t, std::uint64_t s) { nlopt_search(nlopt::GN_ESCH, t, s); }},
      {"NLopt COBYLA", [](Trials& t, std::uint64_t s) { nlopt_search(nlopt::LN_COBYLA, t, s); }},
      {"NLopt Subplex", [](Trials& t, std::uint64_t s) { nlopt_search(nlopt::LN_SBPLX, t, s); }},
  };
  std::vector<Tally> tallies(searches.size());
  const CostTable costs = load_costs("").value();
  for (const char* text : kMillionSpaces) {
    const DesignSpace space = parse_space(text, "space").value();
    std::vector<WeightedWorkload> workloads;
    for (const WorkloadChoice& choice : space.workloads) {
      for (const ZooEntry& entry : zoo()) {
        if (entry.name == choice.model) workloads.push_back({entry.build(*choice.batch_size), choice.weight});
      }
    }
    const auto evaluator = make_evaluator(space, workloads, {.method = Method::delta}).value();
    const DesignTable table = DesignTable::make(space, *evaluator, costs).value();
    fmt::print("\n{} designs over {}: per cent above the least of all, {} seeds\n", table.size(), space.base.id, seeds);
    for (const Question& question : questions()) {
      std::vector<TableProblem::Bound> bounds;
      std::string what = fmt::format("{}", name_of(question.least));
      for (const auto& [metric, factor] : question.bounds) {
        bounds.push_back({metric, factor * table.base(metric)});
        what += fmt::format("{} {} <= x{}", bounds.size() == 1 ? ":" : ",", name_of(metric), factor);
      }
      TableProblem problem(table, {question.least}, bounds);
      const auto least = problem.least();
      if (!least) {
        fmt::print("{:45} nothing is feasible\n", what);
        continue;
      }
      for (std::size_t s = 0; s < searches.size(); ++s) {
        std::vector<double> above;
        for (int seed = 1; seed <= seeds; ++seed) {
          Trials trials(problem, kTrials);
          searches[s].second(trials, static_cast<std::uint64_t>(seed));
          const Trial& best = trials.trial(*trials.best(0));
          above.push_back(best.feasible() ? 100 * (best.objectives.front() / *least - 1) : INFINITY);
        }
        std::sort(above.begin(), above.end());
        Tally& tally = tallies[s];
        tally.runs += above.size();
        ++tally.questions;
        tally.questions_within += above.back() <= 1 ? 1 : 0;
        for (const double one : above) {
          tally.exact += one < 1e-9 ? 1 : 0;
          tally.within += one <= 1 ? 1 : 0;
        }
        tally.worst = std::max(tally.worst, above.back());
        fmt::print("{:45} {:23} median {:6.2f}  90th {:6.2f}  worst {:6.2f}\n", s == 0 ? what : "", searches[s].first,
                   quantile(above, 0.5), quantile(above, 0.9), above.back());
      }
    }
    TableProblem both(table, {Metric::time, Metric::manufacturing_cost}, {});
    const std::vector<Trial> whole = both.front();
    const std::array<double, 2> ideal = {whole.front().objectives[0], whole.back().objectives[1]};
    const std::array<double, 2> worst = {whole.back().objectives[0], whole.front().objectives[1]};
    const double all = hypervolume(whole, ideal, worst);
    std::vector<double> lost;
    std::size_t members = 0;
    for (int seed = 1; seed <= seeds; ++seed) {
      Trials trials(both, kTrials);
      std::vector<Trial> found;
      const auto front = front_search(trials, {.seed = static_cast<std::uint64_t>(seed), .samples = kSamples});
      for (const std::size_t entry : front) found.push_back(trials.trial(entry));
      members += found.size();
      lost.push_back(100 * (1 - hypervolume(found, ideal, worst) / all));
    }
    std::sort(lost.begin(), lost.end());
    fmt::print(
        "front of time and manufacturing cost, {} designs: hypervolume lost, per cent: median {:.3f}, worst {:.3f}; {} "
        "designs "
        "on average\n",
        whole.size(), quantile(lost, 0.5), lost.back(), members / static_cast<std::size_t>(seeds));
  }
  fmt::print("\nAll questions of all spaces\n");
  for (std::size_t s = 0; s < searches.size(); ++s) {
    const Tally& tally = tallies[s];
    fmt::print(
        "{:23} exact {:5.1f} %  within 1 % {:5.1f} %  questions within 1 % from every seed {} of {}  worst {:.2f} %\n",
        searches[s].first, 100.0 * static_cast<double>(tally.exact) / static_cast<double>(tally.runs),
        100.0 * static_cast<double>(tally.within) / static_cast<double>(tally.runs), tally.questions_within,
        tally.questions, tally.worst);
  }
}

}  // namespace
}  // namespace rooftile

int main(int argc, char** argv) {
  constexpr int kUsualSeeds = 3;
  const int seeds = argc > 1 ? std::atoi(argv[1]) : kUsualSeeds;
  if (seeds < 1) return 2;
  rooftile::compare(seeds);
  return 0;
}
