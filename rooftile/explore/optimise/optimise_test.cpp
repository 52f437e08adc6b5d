// Optimised designs beside all designs of their space.
#include "rooftile/explore/optimise/optimise.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/cost/cost_file.hpp"
#include "rooftile/explore/optimise/design_table.hpp"
#include "rooftile/explore/optimise/front_search.hpp"
#include "rooftile/explore/optimise/hypervolume.hpp"
#include "rooftile/explore/optimise/least_search.hpp"
#include "rooftile/explore/optimise/million_spaces.hpp"
#include "rooftile/explore/space_file.hpp"
#include "rooftile/zoo/zoo.hpp"

namespace rooftile {
namespace {

using testing::HasSubstr;

std::vector<WeightedWorkload> workloads_of(const DesignSpace& space) {
  std::vector<WeightedWorkload> workloads;
  for (const WorkloadChoice& choice : space.workloads) {
    for (const ZooEntry& entry : zoo()) {
      if (entry.name == choice.model) workloads.push_back({entry.build(choice.batch_size.value_or(1)), choice.weight});
    }
  }
  return workloads;
}

struct Ready {
  DesignSpace space;
  std::unique_ptr<const Evaluator> evaluator;
  CostTable costs;
};

Ready ready(const std::string& axes, const std::string& gpu = "titan-xp-delta", const std::string& head = "") {
  const std::string text =
      "gpu = \"" + gpu + "\"\n" + head + "\n[axes]\n" + axes + "\n[[workload]]\nmodel = \"alexnet\"\nbatch_size = 64\n";
  Ready result = {.space = parse_space(text, "test").value(), .evaluator = nullptr, .costs = load_costs("").value()};
  result.evaluator =
      std::move(make_evaluator(result.space, workloads_of(result.space), {.method = Method::delta}).value());
  return result;
}

Result<Optimum> optimised(const Ready& ready, OptimiseOptions options) {
  options.costs = &ready.costs;
  return optimise(ready.space, *ready.evaluator, options);
}

const char* const kSmall = R"(
sm_count = { multiples = { from = 0.5, to = 4, steps = 15 } }
mac_per_sm = { multiples = { from = 0.5, to = 4, steps = 12 } }
dram_bandwidth = { multiples = { from = 0.5, to = 4, steps = 15 } }
registers = { multiples = [0.5, 1, 1.5, 2] }
)";

MetricValues ones() {
  MetricValues values{};
  values.fill(1);
  return values;
}

TEST(Limits, SplitAtAndWithTheirSlack) {
  auto limits = Limits::parse(
      {"time <= 0.02 and manufacturing_cost<400", "(area > 300) && sm_count >= 2 * 10", "clock == 1 or time < 3"});
  ASSERT_TRUE(limits) << limits.error().text();
  ASSERT_EQ(limits->size(), 5U);
  EXPECT_EQ(limits->text(1), "manufacturing_cost<400");
  EXPECT_TRUE(limits->has_slack(3));
  EXPECT_FALSE(limits->has_slack(4));
  EXPECT_TRUE(limits->names(Metric::area));
  EXPECT_FALSE(limits->names(Metric::energy));
  MetricValues values = ones();
  limits->set_scale(values);
  at(values, Metric::time) = 0.03;
  at(values, Metric::manufacturing_cost) = 400;
  at(values, metric_of(Parameter::sm_count)) = 25;
  std::vector<double> excess;
  limits->excess(values, excess);
  ASSERT_EQ(excess.size(), 5U);
  EXPECT_NEAR(excess[0], 0.5, 1e-12);
  EXPECT_GT(excess[1], 0);  // must be less
  EXPECT_LT(excess[1], 1e-9);
  EXPECT_NEAR(excess[3], -0.25, 1e-12);
  EXPECT_EQ(excess[4], -1);
}

TEST(Limits, RefuseWhatConstraintsRefuse) {
  const auto limits = Limits::parse({"manufacturing_cots <= 3"});
  ASSERT_FALSE(limits);
  EXPECT_THAT(limits.error().text(), HasSubstr("did you mean 'manufacturing_cost'"));
  EXPECT_FALSE(Limits::parse({"time <= "}));
  EXPECT_FALSE(Limits::parse({"time = 3"}));
  EXPECT_FALSE(Limits::parse({" and time < 3"}));
}

// 10,800 designs: brute force, and the search in an eleventh of them, which is less than it takes to be sure.
TEST(Optimise, LeastPriceForASpeed) {
  const Ready given = ready(kSmall);
  const DesignTable table = DesignTable::make(given.space, *given.evaluator, given.costs).value();
  const double bound = 0.5 * table.base(Metric::time);
  const auto least = TableProblem(table, {Metric::manufacturing_cost}, {{Metric::time, bound}}).least();
  ASSERT_TRUE(least);
  OptimiseOptions options = {.objectives = {Metric::manufacturing_cost},
                             .constraints = {fmt::format("time <= {}", bound)}};
  options.trials = 1000;
  for (options.seed = 1; options.seed <= 10; ++options.seed) {
    const auto found = optimised(given, options);
    ASSERT_TRUE(found) << found.error().text();
    EXPECT_LE(found->trials, 1000U);
    EXPECT_FALSE(found->exact);
    const double price = at(found->designs.front().design.metrics, Metric::manufacturing_cost);
    EXPECT_GE(price, *least * (1 - 1e-12));
    EXPECT_LE(price, *least * 1.03) << options.seed;
  }
}

TEST(Optimise, ExplainsWhatBindsAndWhatAStepChanges) {
  const Ready given = ready(kSmall);
  const MeasuredDesign base = optimised(given, {.objectives = {Metric::time}, .trials = 50})->base;
  const double bound = 0.5 * at(base.metrics, Metric::time);
  OptimiseOptions options = {.objectives = {Metric::manufacturing_cost},
                             .constraints = {fmt::format("time <= {}", bound), "area <= 100000"}};
  options.trials = 20000;
  const auto found = optimised(given, options);
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_TRUE(found->exact);
  ASSERT_EQ(found->limits.size(), 2U);
  EXPECT_TRUE(found->limits[0].binds);
  EXPECT_FALSE(found->limits[1].binds);
  const double price = at(found->designs.front().design.metrics, Metric::manufacturing_cost);
  EXPECT_LE(found->limits[0].looser_10, found->limits[0].looser_1);
  EXPECT_LE(found->limits[0].looser_1, price);
  EXPECT_LT(found->limits[0].without, price);
  EXPECT_EQ(found->limits[1].without, price);
  ASSERT_EQ(found->axes.size(), 4U);
  for (std::size_t a = 0; a < 4; ++a) {
    for (const auto* step : {&found->axes[a].less, &found->axes[a].more}) {
      if (!*step || (*step)->design.design.unfit != Unfit::none) continue;
      // A neighbour that meets all constraints is no cheaper: this is the least of all.
      if (!(*step)->broken.empty()) continue;
      EXPECT_GE(at((*step)->design.design.metrics, Metric::manufacturing_cost), price);
    }
  }
}

TEST(Optimise, SaysWhatTheRangeKeepsFrom) {
  const Ready given = ready("dram_bandwidth = { multiples = [0.5, 0.75, 1] }\nsm_count = { multiples = [1, 2] }");
  const auto found = optimised(given, {.objectives = {Metric::time}});
  ASSERT_TRUE(found) << found.error().text();
  const AxisAnswer& dram = found->axes[0];
  EXPECT_TRUE(dram.less);
  EXPECT_FALSE(dram.more);
  ASSERT_TRUE(dram.beyond);
  EXPECT_NEAR(*dram.beyond_value, 1.25 * at(design_of(given.space.base), Parameter::dram_bandwidth), 1);
  EXPECT_LT(*dram.beyond, at(found->designs.front().design.metrics, Metric::time));
}

TEST(Optimise, TakesAnyValueOfARange) {
  const Ready given = ready(
      "dram_bandwidth = { from = \"200 GB/s\", to = \"2 TB/s\", spacing = \"geometric\" }\n"
      "sm_count = { from = 10, to = 120 }",
      "titan-xp-delta", "sampling = \"random\"\nsamples = 1");
  const MeasuredDesign base = optimised(given, {.objectives = {Metric::time}, .trials = 50})->base;
  const double bound = at(base.metrics, Metric::time);
  OptimiseOptions options = {.objectives = {Metric::manufacturing_cost},
                             .constraints = {fmt::format("time <= {}", bound)}};
  options.trials = 3000;
  double low = INFINITY, high = 0;
  for (options.seed = 1; options.seed <= 10; ++options.seed) {
    const auto found = optimised(given, options);
    ASSERT_TRUE(found) << found.error().text();
    const double price = at(found->designs.front().design.metrics, Metric::manufacturing_cost);
    low = std::min(low, price);
    high = std::max(high, price);
    EXPECT_LE(found->designs.front().excess.front(), 0);
    EXPECT_GT(found->designs.front().excess.front(), -0.01);
    const double sms = at(found->designs.front().design.point, Parameter::sm_count);
    EXPECT_EQ(sms, std::round(sms));
  }
  EXPECT_LT(high, low * 1.01);
}

TEST(Optimise, IsTheSameForAnyThreads) {
  const Ready given = ready(kSmall);
  OptimiseOptions options = {.objectives = {Metric::energy}, .constraints = {"manufacturing_cost <= 300"}};
  options.trials = 500;
  const auto one = optimised(given, options);
  options.threads = 3;
  const auto three = optimised(given, options);
  ASSERT_TRUE(one && three);
  EXPECT_EQ(one->designs.front().design.metrics, three->designs.front().design.metrics);
  EXPECT_EQ(one->trials, three->trials);
  EXPECT_EQ(one->limits.front().without, three->limits.front().without);
}

TEST(Optimise, NamesTheConstraintThatNothingMeetsAndTheNearestDesign) {
  const Ready given = ready(kSmall);
  const auto found = optimised(
      given,
      {.objectives = {Metric::manufacturing_cost}, .constraints = {"time <= 1e-6", "area < 1e5"}, .trials = 2000});
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().text(), HasSubstr("none of"));
  EXPECT_THAT(found.error().text(), HasSubstr("dram_bandwidth 1.8 TB/s"));
  EXPECT_THAT(found.error().text(), HasSubstr("'time <= 1e-6' is missed by"));
  EXPECT_THAT(found.error().text(), HasSubstr("by every design"));
  EXPECT_THAT(found.error().text(), HasSubstr("'area < 1e5' is met"));
}

TEST(Optimise, RefusesAnObjectiveThatNothingChanges) {
  const Ready given = ready(kSmall);
  const auto found = optimised(given, {.objectives = {metric_of(Parameter::clock)}});
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().text(), HasSubstr("clock is"));
  EXPECT_THAT(found.error().text(), HasSubstr("no axis changes it"));
}

TEST(Optimise, CostsMustBeKnownWhereTheyCount) {
  const Ready given = ready(kSmall);
  EXPECT_FALSE(optimise(given.space, *given.evaluator, {.objectives = {Metric::manufacturing_cost}}));
  EXPECT_FALSE(optimise(given.space, *given.evaluator, {.constraints = {"manufacturing_cost < 300"}}));
  EXPECT_TRUE(optimise(given.space, *given.evaluator, {.trials = 100}));
}

// Three spaces of a million designs, each searched in a hundredth of them from 20 seeds: every answer within 1 % of the
// least there is.
struct LargeSpace {
  const char* text;
  std::vector<std::pair<Metric, std::vector<std::pair<Metric, double>>>> questions;  // bounds as multiples of the base
};

const std::vector<LargeSpace>& large_spaces() {
  static const std::vector<LargeSpace> spaces = {
      {kMillionSpaces[0],
       {{Metric::time, {{Metric::manufacturing_cost, 1.5}}},
        {Metric::manufacturing_cost, {{Metric::time, 0.7}}},
        {Metric::area, {{Metric::time, 0.6}}}}},
      {kMillionSpaces[1],
       {{Metric::manufacturing_cost, {{Metric::time, 0.7}}},
        {Metric::energy, {{Metric::time, 0.8}, {Metric::manufacturing_cost, 1.4}}}}},
      {kMillionSpaces[2],
       {{Metric::time, {{Metric::power, 1}}}, {Metric::power, {{Metric::time, 0.7}, {Metric::manufacturing_cost, 2}}}}},
  };
  return spaces;
}

class LargeSpaces : public testing::TestWithParam<std::size_t> {};

TEST_P(LargeSpaces, AreSearchedToAPerCentInAHundredthOfTheDesigns) {
  const LargeSpace& large = large_spaces()[GetParam()];
  const DesignSpace space = parse_space(large.text, "test").value();
  const auto evaluator = make_evaluator(space, workloads_of(space), {.method = Method::delta}).value();
  const CostTable costs = load_costs("").value();
  const DesignTable table = DesignTable::make(space, *evaluator, costs).value();
  ASSERT_GE(table.size(), 1000000U);
  for (const auto& [objective, relative] : large.questions) {
    std::vector<TableProblem::Bound> bounds;
    for (const auto& [metric, factor] : relative) bounds.push_back({metric, factor * table.base(metric)});
    TableProblem problem(table, {objective}, bounds);
    const auto least = problem.least();
    ASSERT_TRUE(least);
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      Trials trials(problem, table.size() / 100 - 1);
      const auto best =
          least_search(trials, [](const Trial& trial) { return trial.objectives.front(); }, {.seed = seed});
      EXPECT_TRUE(trials.trial(*best).feasible());
      EXPECT_LE(trials.trial(*best).objectives.front(), *least * 1.01)
          << name_of(objective) << ", " << name_of(relative.front().first) << ", seed " << seed;
    }
  }
  // The front of time and manufacturing cost: what it dominates is within 1 % of what the whole front does.
  TableProblem both(table, {Metric::time, Metric::manufacturing_cost}, {});
  const std::vector<Trial> whole = both.front();
  const std::array<double, 2> ideal = {whole.front().objectives[0], whole.back().objectives[1]};
  const std::array<double, 2> worst = {whole.back().objectives[0], whole.front().objectives[1]};
  const double all = hypervolume(whole, ideal, worst);
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    Trials trials(both, table.size() / 100 - 1);
    std::vector<Trial> found;
    for (const std::size_t entry : front_search(trials, {.seed = seed, .samples = kUsualTrials / 16})) {
      found.push_back(trials.trial(entry));
    }
    EXPECT_GE(hypervolume(found, ideal, worst), 0.99 * all) << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(All, LargeSpaces, testing::Values(0, 1, 2));

}  // namespace
}  // namespace rooftile
