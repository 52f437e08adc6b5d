// Searches on problems whose answers are known, and on small random ones beside brute force.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include <gtest/gtest.h>

#include "rooftile/explore/optimise/front_search.hpp"
#include "rooftile/explore/optimise/local_search.hpp"
#include "rooftile/explore/optimise/random_source.hpp"
#include "rooftile/explore/optimise/worth.hpp"

namespace rooftile {
namespace {

// Objectives and excess as functions of the values of the variables.
class Formula : public SearchProblem {
 public:
  using Function = std::function<double(const std::vector<double>&)>;
  Formula(std::vector<SearchAxis> axes, std::vector<Function> objectives, std::vector<Function> excess)
      : axes_(std::move(axes)), objectives_(std::move(objectives)), excess_(std::move(excess)) {}

  const std::vector<SearchAxis>& axes() const override { return axes_; }
  std::size_t objectives() const override { return objectives_.size(); }
  void evaluate(std::span<const SearchPoint> points, std::span<Trial> trials) override {
    for (std::size_t i = 0; i < points.size(); ++i) {
      std::vector<double> x;
      for (std::size_t a = 0; a < axes_.size(); ++a) x.push_back(axes_[a].value(points[i][a]));
      trials[i].possible = true;
      for (const Function& objective : objectives_) trials[i].objectives.push_back(objective(x));
      for (const Function& excess : excess_) trials[i].excess.push_back(excess(x));
    }
    evaluated += points.size();
  }
  std::size_t evaluated = 0;

 private:
  std::vector<SearchAxis> axes_;
  std::vector<Function> objectives_, excess_;
};

const Aim kFirst = [](const Trial& trial) { return trial.objectives.front(); };

SearchAxis whole(double low, double high) { return SearchAxis::whole_range(low, high); }

TEST(SearchAxis, ValuesCoordinatesAndEnds) {
  const SearchAxis list = SearchAxis::list({8, 2, 4});
  EXPECT_EQ(list.last(), 2);
  EXPECT_EQ(list.value(1), 4);
  EXPECT_EQ(list.coordinate(5), 1);
  EXPECT_EQ(list.coordinate(7), 2);
  EXPECT_EQ(list.coordinate(100), 2);
  EXPECT_EQ(list.nearest(-3), 0);
  const SearchAxis range = SearchAxis::range(1, 100, true);
  EXPECT_NEAR(range.value(range.last() / 2), 10, 1e-12);
  EXPECT_NEAR(range.value(range.coordinate(37)), 37, 1e-9);
  EXPECT_EQ(range.value(range.last()), 100);
  EXPECT_EQ(whole(3, 9).values(), 7);
  EXPECT_EQ(whole(3, 9).value(whole(3, 9).coordinate(5.4)), 5);
}

TEST(LocalSearch, FindsTheLeastOfABowlAmongAMillionPoints) {
  Formula bowl({whole(0, 99), whole(0, 99), whole(0, 99)},
               {[](const auto& x) { return 1 + std::pow(x[0] - 37, 2) + std::pow(x[1] - 3, 2) + std::abs(x[2] - 99); }},
               {});
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Trials trials(bowl, 2000);
    const auto best = local_search(trials, kFirst, {.seed = seed, .samples = 50});
    ASSERT_TRUE(best);
    EXPECT_EQ(trials.trial(*best).objectives.front(), 1) << seed;
    EXPECT_LE(trials.size(), 2000U);
  }
}

// Least x + y where x y >= 1: both are 1.
TEST(LocalSearch, FollowsAConstraintThatBindsOfContinuousVariables) {
  Formula problem({SearchAxis::range(0.01, 10, false), SearchAxis::range(0.01, 10, true)},
                  {[](const auto& x) { return x[0] + x[1]; }}, {[](const auto& x) { return 1 - x[0] * x[1]; }});
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Trials trials(problem, 5000);
    const auto best = local_search(trials, kFirst, {.seed = seed, .samples = 100});
    EXPECT_TRUE(trials.trial(*best).feasible());
    EXPECT_NEAR(trials.trial(*best).objectives.front(), 2, 0.002) << seed;
  }
}

// A list, a whole and a continuous variable at once: least 3 a + b + 10 c with a b c >= 60.
TEST(LocalSearch, MixesListsWholeNumbersAndRanges) {
  const std::vector<double> list = {1, 2, 4, 8, 16};
  Formula problem({SearchAxis::list(list), whole(1, 40), SearchAxis::range(0.1, 20, true)},
                  {[](const auto& x) { return 3 * x[0] + x[1] + 10 * x[2]; }},
                  {[](const auto& x) { return 1 - x[0] * x[1] * x[2] / 60; }});
  double least = 1e9;
  for (const double a : list) {
    for (double b = 1; b <= 40; ++b) {
      const double c = std::max(0.1, 60 / (a * b));
      if (c <= 20) least = std::min(least, 3 * a + b + 10 * c);
    }
  }
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Trials trials(problem, 5000);
    const auto best = local_search(trials, kFirst, {.seed = seed, .samples = 100});
    EXPECT_LT(trials.trial(*best).objectives.front(), least * 1.01) << seed;
    EXPECT_GE(trials.trial(*best).objectives.front(), least * (1 - 1e-9)) << seed;
  }
}

TEST(LocalSearch, IsTheSameForASeedAndTriesNothingTwice) {
  Formula problem({whole(0, 30), whole(0, 30)}, {[](const auto& x) { return 1 + std::cos(x[0]) * std::sin(x[1]); }},
                  {});
  Trials first(problem, 300), second(problem, 300);
  EXPECT_EQ(local_search(first, kFirst, {.seed = 5, .samples = 20}),
            local_search(second, kFirst, {.seed = 5, .samples = 20}));
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(first.point(i), second.point(i));
  EXPECT_EQ(problem.evaluated, first.size() + second.size());
}

TEST(LocalSearch, EndsWhereAllWasTriedAndWhereItIsStopped) {
  Formula problem({whole(0, 3)}, {[](const auto& x) { return 5 - x[0]; }}, {});
  Trials trials(problem, 1000);
  const auto best = local_search(trials, kFirst, {.samples = 2});
  EXPECT_EQ(trials.trial(*best).objectives.front(), 2);
  EXPECT_LE(trials.size(), 4U);
  const std::atomic<bool> stop = true;
  Trials stopped(problem, 1000, &stop);
  EXPECT_FALSE(local_search(stopped, kFirst, {.samples = 2}));
}

// Costs and speeds of four resources, drawn at random, with steps as of CTAs that an SM holds.
Formula random_problem(std::uint64_t seed, std::size_t objectives) {
  RandomSource random(seed);
  std::vector<double> price, need, step;
  for (int i = 0; i < 4; ++i) {
    price.push_back(0.2 + random.place());
    need.push_back(0.2 + 3 * random.place());
    step.push_back(1 + static_cast<double>(random.index(3)));
  }
  const double bound = 0.4 + 0.6 * random.place();
  const auto time = [need, step](const std::vector<double>& x) {
    double slowest = 0, sum = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const double part = need[i] / (step[i] * std::floor(x[i] / step[i]) + 0.5);
      slowest = std::max(slowest, part);
      sum += part;
    }
    return slowest + 0.2 * sum;
  };
  const auto cost = [price](const std::vector<double>& x) {
    return 1 + price[0] * x[0] + price[1] * x[1] + price[2] * std::sqrt(x[2]) + price[3] * x[3] * x[0] / 5;
  };
  std::vector<Formula::Function> all = {cost};
  if (objectives == 2) all.emplace_back(time);
  return {{whole(1, 9), whole(1, 9), whole(1, 9), whole(1, 9)}, all, {[time, bound](const std::vector<double>& x) {
            return time(x) / bound - 1;
          }}};
}

std::vector<Trial> all_trials(SearchProblem& problem) {
  std::vector<SearchPoint> points;
  for (double i = 0; i < 6561; ++i) {
    points.push_back(
        {std::fmod(i, 9), std::fmod(std::floor(i / 9), 9), std::fmod(std::floor(i / 81), 9), std::floor(i / 729)});
  }
  std::vector<Trial> trials(points.size());
  problem.evaluate(points, trials);
  return trials;
}

TEST(LocalSearch, MeetsBruteForceOnRandomSpacesInATenthOfTheTrials) {
  int exact = 0, feasible = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Formula problem = random_problem(seed, 1);
    double least = INFINITY;
    for (const Trial& trial : all_trials(problem)) {
      if (trial.feasible()) least = std::min(least, trial.objectives.front());
    }
    Trials trials(problem, 656);
    const auto best = local_search(trials, kFirst, {.seed = seed, .samples = 40});
    ASSERT_EQ(trials.trial(*best).feasible(), std::isfinite(least)) << seed;
    if (!std::isfinite(least)) continue;
    ++feasible;
    EXPECT_GE(trials.trial(*best).objectives.front(), least);
    EXPECT_LE(trials.trial(*best).objectives.front(), 1.03 * least) << seed;
    exact += trials.trial(*best).objectives.front() == least ? 1 : 0;
  }
  EXPECT_GE(feasible, 30);
  EXPECT_GE(exact, feasible * 8 / 10);
}

TEST(FrontSearch, FindsMostOfTheFrontOfRandomSpacesAndNothingThatIsBeaten) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Formula problem = random_problem(seed, 2);
    const std::vector<Trial> all = all_trials(problem);
    Trials trials(problem, 2000);
    const std::vector<std::size_t> front = front_search(trials, {.seed = seed, .samples = 100});
    for (const std::size_t a : front) {
      EXPECT_TRUE(trials.trial(a).feasible());
      for (const std::size_t b : front) EXPECT_FALSE(dominates(trials.trial(a), trials.trial(b)));
    }
    int members = 0, found = 0;
    for (const Trial& trial : all) {
      if (!trial.feasible()) continue;
      if (std::any_of(all.begin(), all.end(),
                      [&](const Trial& other) { return other.feasible() && dominates(other, trial); })) {
        continue;
      }
      ++members;
      found += std::any_of(front.begin(), front.end(),
                           [&](std::size_t f) { return trials.trial(f).objectives == trial.objectives; })
                   ? 1
                   : 0;
    }
    EXPECT_GE(found, members * 9 / 10) << seed;
  }
}

// Least x with x >= 10 (as 1 - x / 10) and x >= 4: a looser first bound gives 1 for each tenth, without it the second
// binds.
TEST(LimitWorth, SaysWhatALooserBoundGives) {
  Formula problem({SearchAxis::range(1, 20, false)}, {[](const auto& x) { return x[0]; }},
                  {[](const auto& x) { return 1 - x[0] / 10; }, [](const auto& x) { return 1 - x[0] / 4; }});
  Trials trials(problem, 2000);
  const auto best = local_search(trials, kFirst, {.samples = 50});
  ASSERT_TRUE(best);
  EXPECT_NEAR(trials.trial(*best).objectives.front(), 10, 0.005);
  std::size_t tried = 0;
  const std::vector<LimitWorth> worths = limit_worths(trials, *best, {}, tried);
  ASSERT_EQ(worths.size(), 2U);
  EXPECT_NEAR(worths[0].looser_1, 9.9, 0.005);
  EXPECT_NEAR(worths[0].looser_10, 9, 0.005);
  EXPECT_NEAR(worths[0].without, 4, 0.005);
  EXPECT_TRUE(worths[0].binds(trials.trial(*best).objectives.front()));
  EXPECT_NEAR(worths[1].without, 10, 0.005);
  EXPECT_NEAR(worths[1].excess, -1.5, 0.005);
  EXPECT_GT(tried, 0U);
}

}  // namespace
}  // namespace rooftile
