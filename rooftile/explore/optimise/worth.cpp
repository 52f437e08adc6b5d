#include "rooftile/explore/optimise/worth.hpp"

#include <algorithm>
#include <limits>

#include "rooftile/explore/optimise/local_search.hpp"

namespace rooftile {
namespace {

constexpr double kDropped = std::numeric_limits<double>::infinity();

void loosen(Trial& trial, std::size_t limit, double by) {
  if (trial.possible) trial.excess[limit] = by == kDropped ? -1 : trial.excess[limit] - by;
}

// The problem with one limit looser by a share of its bound.
class LooserProblem : public SearchProblem {
 public:
  LooserProblem(SearchProblem& problem, std::size_t limit, double by) : problem_(problem), limit_(limit), by_(by) {}
  const std::vector<SearchAxis>& axes() const override { return problem_.axes(); }
  std::size_t objectives() const override { return problem_.objectives(); }
  void evaluate(std::span<const SearchPoint> points, std::span<Trial> trials) override {
    problem_.evaluate(points, trials);
    for (Trial& trial : trials) loosen(trial, limit_, by_);
  }

 private:
  SearchProblem& problem_;
  std::size_t limit_;
  double by_;
};

// The least objective with a limit looser: the best that was tried, improved on.
double least_with(const Trials& trials, std::size_t limit, double by, const WorthOptions& options, std::size_t& tried) {
  constexpr std::size_t kStarts = 4;
  std::vector<std::pair<Trial, std::size_t>> best;  // the best few, sorted
  for (std::size_t i = 0; i < trials.size(); ++i) {
    Trial trial = trials.trial(i);
    loosen(trial, limit, by);
    if (best.size() == kStarts && !better(trial, best.back().first, 0)) continue;
    const auto place = std::upper_bound(best.begin(), best.end(), trial,
                                        [](const Trial& a, const auto& b) { return better(a, b.first, 0); });
    best.insert(place, {std::move(trial), i});
    if (best.size() > kStarts) best.pop_back();
  }
  LooserProblem looser(trials.problem(), limit, by);
  Trials more(looser, options.evaluations, options.stop);
  LocalSearchOptions search = {.seed = options.seed};
  for (const auto& [trial, entry] : best) search.starts.push_back(trials.point(entry));
  const auto found = local_search(
      more, [](const Trial& trial) { return trial.objectives.front(); }, search);
  tried += more.size();
  const double known = best.front().first.objectives.front();
  return found ? std::min(known, more.trial(*found).objectives.front()) : known;
}

}  // namespace

bool LimitWorth::binds(double objective) const {
  constexpr double kRounding = 1e-9;
  return without < objective * (1 - kRounding);
}

std::vector<LimitWorth> limit_worths(const Trials& trials, std::size_t best, const WorthOptions& options,
                                     std::size_t& tried) {
  constexpr double kLittle = 0.01, kMuch = 0.1;
  const Trial& optimum = trials.trial(best);
  std::vector<LimitWorth> worths;
  for (std::size_t limit = 0; limit < optimum.excess.size(); ++limit) {
    LimitWorth& worth = worths.emplace_back();
    worth.excess = optimum.excess[limit];
    worth.looser_1 = least_with(trials, limit, kLittle, options, tried);
    worth.looser_10 = std::min(worth.looser_1, least_with(trials, limit, kMuch, options, tried));
    worth.without = std::min(worth.looser_10, least_with(trials, limit, kDropped, options, tried));
  }
  return worths;
}

std::optional<double> neighbour_of(const SearchAxis& axis, double coordinate, bool up) {
  constexpr double kSteps = 100;
  const double step = axis.continuous() ? axis.last() / kSteps : 1;
  const double moved = axis.nearest(coordinate + (up ? step : -step));
  if (moved == coordinate) return std::nullopt;
  return moved;
}

}  // namespace rooftile
