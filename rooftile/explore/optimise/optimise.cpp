#include "rooftile/explore/optimise/optimise.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/try.hpp"
#include "rooftile/explore/optimise/front_search.hpp"
#include "rooftile/explore/optimise/least_search.hpp"
#include "rooftile/explore/optimise/local_search.hpp"
#include "rooftile/explore/optimise/worth.hpp"

namespace rooftile {
namespace {

constexpr std::size_t kWorthTrials = 1000;  // for each question that the explanation asks

double size_of(const std::vector<SearchAxis>& axes) {
  double size = 1;
  for (const SearchAxis& axis : axes) size *= axis.values();
  return size;
}

// All of a space, a block at a time.
void try_all(Trials& trials, const std::vector<SearchAxis>& axes) {
  constexpr std::size_t kBlock = 1024;
  SearchPoint point(axes.size(), 0);
  std::vector<SearchPoint> block;
  for (bool more = true; more && trials.left() > 0;) {
    block.push_back(point);
    more = false;
    for (std::size_t a = axes.size(); a-- > 0 && !more;) {
      more = point[a] < axes[a].last();
      point[a] = more ? point[a] + 1 : 0;
    }
    if (block.size() < kBlock && more) continue;
    trials.add(block);
    block.clear();
  }
}

std::string axes_text(const DesignSpace& space, const DesignPoint& point) {
  std::vector<std::string> values;
  for (const DesignAxis& axis : space.axes) {
    values.push_back(fmt::format("{} {}", name_of(axis.parameter), print(axis.parameter, at(point, axis.parameter))));
  }
  return fmt::format("{}", fmt::join(values, ", "));
}

// "21 %", "0.034 %", "29100 %".
std::string percents(double share) {
  constexpr double kWhole = 10;
  return 100 * share >= kWhole ? fmt::format("{:.0f} %", 100 * share) : fmt::format("{:.2g} %", 100 * share);
}

class Optimiser {
 public:
  Optimiser(const DesignSpace& space, const Evaluator& evaluator, const OptimiseOptions& options,
            DesignProblem& problem)
      : space_(space),
        evaluator_(evaluator),
        options_(options),
        problem_(problem),
        trials_(problem, options.trials, options.stop, options.progress) {}

  Result<Optimum> run() {
    describe();
    const std::vector<std::size_t> chosen = search();
    result_.trials = trials_.size();
    result_.stopped = options_.stop != nullptr && *options_.stop;
    if (chosen.empty()) return none_fits();
    TRY(objectives_vary());
    for (const std::size_t entry : chosen) result_.designs.push_back(chosen_at(trials_.point(entry)));
    if (options_.objectives.size() == 1 && !result_.stopped) explain(chosen.front());
    return std::move(result_);
  }

 private:
  void describe() {
    result_.objectives = options_.objectives;
    for (std::size_t i = 0; i < problem_.limits().size(); ++i) {
      result_.constraints.push_back(problem_.limits().text(i));
      result_.has_slack.push_back(problem_.limits().has_slack(i));
    }
    result_.base = problem_.measure(design_of(space_.base));
    result_.size = size_of(problem_.axes());
  }

  // Feasible entries: the best, or the front.
  std::vector<std::size_t> search() {
    const std::vector<SearchPoint> starts = {problem_.point_of_design(design_of(space_.base))};
    constexpr std::size_t kOneOf = 16;  // trials that are spread evenly
    const std::size_t samples = options_.trials / kOneOf;
    if (result_.size <= static_cast<double>(options_.trials)) {
      try_all(trials_, problem_.axes());
      result_.exact = trials_.size() == static_cast<std::size_t>(result_.size);
    }
    if (options_.objectives.size() > 1) {
      return front_search(trials_, {.seed = options_.seed, .samples = samples, .starts = starts});
    }
    if (!result_.exact) {
      least_search(trials_, [](const Trial& trial) { return trial.objectives.front(); },
                   {.seed = options_.seed, .starts = starts});
    }
    const auto best = trials_.best(0);
    if (!best || !trials_.trial(*best).feasible()) return {};
    return {*best};
  }

  Result<void> objectives_vary() const {
    for (std::size_t k = 0; k < options_.objectives.size(); ++k) {
      double low = INFINITY, high = -INFINITY;
      for (const Trials::Entry& entry : trials_.entries()) {
        if (!entry.trial.possible) continue;
        low = std::min(low, entry.trial.objectives[k]);
        high = std::max(high, entry.trial.objectives[k]);
      }
      if (low < high || trials_.size() < 2) continue;
      return fail(ErrorCode::bad_input,
                  fmt::format("{} is {} in every design: no axis changes it", name_of(options_.objectives[k]),
                              print(options_.objectives[k], low)));
    }
    return {};
  }

  ChosenDesign chosen_at(const SearchPoint& point) { return chosen_of(problem_.design_of_point(point)); }
  ChosenDesign chosen_of(const DesignPoint& point) {
    ChosenDesign chosen = {.design = problem_.measure(point), .excess = {}};
    chosen.excess = problem_.excess(chosen.design);
    return chosen;
  }

  // What comes nearest, and by how much it misses.
  tl::unexpected<Error> none_fits() {
    const auto nearest = trials_.best(0);
    const std::string tried =
        fmt::format("{}{} designs{}", result_.exact ? "the " : "", trials_.size(), result_.exact ? "" : " tried");
    if (!nearest || !trials_.trial(*nearest).possible) {
      const std::string why =
          nearest ? std::string(reason_of(chosen_at(trials_.point(*nearest)).design.unfit)) : "stopped";
      return fail(ErrorCode::bad_input, fmt::format("none of {} is feasible: {}", tried, why));
    }
    const ChosenDesign design = chosen_at(trials_.point(*nearest));
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < design.excess.size(); ++i) {
      const double least = least_excess(i);
      if (design.excess[i] <= 0) {
        parts.push_back(fmt::format("'{}' is met", result_.constraints[i]));
      } else if (!result_.has_slack[i]) {
        parts.push_back(fmt::format("'{}' does not hold{}", result_.constraints[i], least > 0 ? " for any" : ""));
      } else {
        parts.push_back(fmt::format("'{}' is missed by {}{}", result_.constraints[i], percents(design.excess[i]),
                                    least > 0 ? ", by every design" : ""));
      }
    }
    return fail(ErrorCode::bad_input, fmt::format("none of {} meets the constraints; the nearest has {}: {}", tried,
                                                  axes_text(space_, design.design.point), fmt::join(parts, ", ")));
  }
  double least_excess(std::size_t limit) const {
    double least = INFINITY;
    for (const Trials::Entry& entry : trials_.entries()) {
      if (entry.trial.possible) least = std::min(least, entry.trial.excess[limit]);
    }
    return least;
  }

  void explain(std::size_t best) {
    const double objective = trials_.trial(best).objectives.front();
    const SearchPoint point = trials_.point(best);
    const WorthOptions worth_options = {.evaluations = kWorthTrials, .seed = options_.seed, .stop = options_.stop};
    for (const LimitWorth& worth : limit_worths(trials_, best, worth_options, result_.more_trials)) {
      result_.limits.push_back({.excess = worth.excess,
                                .looser_1 = worth.looser_1,
                                .looser_10 = worth.looser_10,
                                .without = worth.without,
                                .binds = worth.binds(objective)});
    }
    for (std::size_t a = 0; a < problem_.axes().size(); ++a) {
      AxisAnswer& answer = result_.axes.emplace_back();
      answer.less = step(point, a, false);
      answer.more = step(point, a, true);
      look_beyond(answer, a, point, objective);
    }
  }

  std::optional<StepAnswer> step(const SearchPoint& from, std::size_t axis, bool up) {
    const auto moved = neighbour_of(problem_.axes()[axis], from[axis], up);
    if (!moved) return std::nullopt;
    SearchPoint point = from;
    point[axis] = *moved;
    ++result_.more_trials;
    StepAnswer answer = {.design = chosen_at(point), .broken = {}};
    for (std::size_t i = 0; i < answer.design.excess.size(); ++i) {
      if (answer.design.design.unfit == Unfit::none && answer.design.excess[i] > 0) answer.broken.push_back(i);
    }
    return answer;
  }

  // Solves the space with the axis one step longer, where it stands at an end.
  void look_beyond(AxisAnswer& answer, std::size_t axis, const SearchPoint& best, double objective) {
    if (answer.less && answer.more) return;
    const bool up = !answer.more;
    const auto longer = longer_axis(space_.axes[axis], up);
    if (!longer) return;
    DesignSpace space = space_;
    space.axes[axis] = longer->axis;
    auto problem = DesignProblem::make(space, evaluator_, options_.objectives, options_.constraints, options_.costs, 1);
    if (!problem) return;
    Trials trials(*problem, kWorthTrials, options_.stop);
    DesignPoint start = problem_.design_of_point(best);
    const SearchPoint same = problem->point_of_design(start);
    at(start, space.axes[axis].parameter) = longer->value;
    const auto found = local_search(trials, [](const Trial& trial) { return trial.objectives.front(); },
                                    {.seed = options_.seed, .starts = {same, problem->point_of_design(start)}});
    result_.more_trials += trials.size();
    answer.beyond_value = longer->value;
    answer.beyond =
        found && trials.trial(*found).feasible() ? std::min(objective, trials.trial(*found).objectives[0]) : objective;
  }

  // An axis with one more value at an end, as far from it as its neighbour is (in proportion); of a range a tenth more.
  struct Longer {
    DesignAxis axis;
    double value = 0;
  };
  static std::optional<Longer> longer_axis(const DesignAxis& axis, bool up) {
    const ParameterRow& row = row_of(axis.parameter);
    if (axis.parameter == Parameter::cta_tile) return std::nullopt;
    std::vector<double> values = axis.values;
    std::sort(values.begin(), values.end());
    if (values.size() < 2) return std::nullopt;
    constexpr double kTenth = 1.1;
    const double end = up ? values.back() : values.front();
    const double inner = up ? values[values.size() - 2] : values[1];
    double value = axis.range ? (up ? end * kTenth : end / kTenth) : (up ? end + (end - inner) : end * end / inner);
    if (row.whole) value = up ? std::ceil(value) : std::floor(value);
    if (!(value >= row.least && value <= row.most) || value == end) return std::nullopt;
    Longer longer = {.axis = axis, .value = value};
    if (axis.range) {
      (up ? longer.axis.values.back() : longer.axis.values.front()) = value;
    } else {
      longer.axis.values.push_back(value);
    }
    return longer;
  }

  const DesignSpace& space_;
  const Evaluator& evaluator_;
  const OptimiseOptions& options_;
  DesignProblem& problem_;
  Trials trials_;
  Optimum result_;
};

}  // namespace

Result<Optimum> optimise(const DesignSpace& space, const Evaluator& evaluator, const OptimiseOptions& options) {
  auto problem = TRY(
      DesignProblem::make(space, evaluator, options.objectives, options.constraints, options.costs, options.threads));
  for (std::size_t m = 0; m < kMetrics && options.costs == nullptr; ++m) {
    const auto metric = static_cast<Metric>(m);
    if (!as_cost(metric)) continue;
    const bool minimised =
        std::find(options.objectives.begin(), options.objectives.end(), metric) != options.objectives.end();
    if (minimised || problem.limits().names(metric)) {
      return fail(ErrorCode::bad_input, fmt::format("{} is asked for, but no costs are known", name_of(metric)));
    }
  }
  return Optimiser(space, evaluator, options, problem).run();
}

}  // namespace rooftile
