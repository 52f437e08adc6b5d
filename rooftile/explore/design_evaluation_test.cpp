#include "rooftile/explore/design_evaluation.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "rooftile/cost/cost_file.hpp"
#include "rooftile/explore/space.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/zoo/test_network.hpp"
#include "rooftile/zoo/zoo.hpp"

namespace rooftile {
namespace {

constexpr double kTolerance = 1e-12;  // relative: sums in another order

const CostTable& costs() {
  static const CostTable table = load_costs("").value();
  return table;
}

Gpu gpu_of(const std::string& id) { return find_gpu(id).value(); }

WeightedWorkload weighted_network(const std::string& name, std::int64_t batch, double weight = 1) {
  return {.workload = zoo_network(name, batch), .weight = weight};
}

std::unique_ptr<const Evaluator> evaluator_of(const Gpu& base, const std::vector<WeightedWorkload>& workloads,
                                              const PredictOptions& options = {.method = Method::delta}) {
  DesignSpace space;
  space.base = base;
  return std::move(make_evaluator(space, workloads, options).value());
}

DesignEvaluation evaluation_of(const Evaluator& evaluator, const Gpu& base,
                               const std::vector<std::string>& constraints = {}) {
  return std::move(DesignEvaluation::make(evaluator, base, constraints, &costs()).value());
}

double cost(const DesignOutcome& outcome, Cost which) { return outcome.costs[static_cast<std::size_t>(which)]; }

// Everything but the CTA tile, each by its own factor.
DesignPoint changed(const Gpu& base) {
  DesignPoint point = design_of(base);
  for (std::size_t p = 0; p < kParameters; ++p) {
    const auto parameter = static_cast<Parameter>(p);
    if (parameter == Parameter::cta_tile) continue;
    point[p] *= 1.1 + 0.07 * static_cast<double>(p);
    if (row_of(parameter).whole) point[p] = std::round(point[p]);
  }
  return point;
}

void expect_cost_of(const DesignOutcome& outcome, const HardwareCost& expected) {
  EXPECT_EQ(cost(outcome, Cost::area), expected.area.total());
  EXPECT_EQ(cost(outcome, Cost::power), expected.power().value());
  EXPECT_EQ(cost(outcome, Cost::manufacturing_cost), expected.price().value());
}

// Under delta the energy is computed from what the layers fix, elsewhere from the estimates: both are that of predict.
TEST(DesignEvaluation, CostsAreThoseOfTheGpuAndItsPrediction) {
  const Gpu base = gpu_of("v100-sxm2-16gb");
  const CostModel model = cost_model_of(costs(), base).value();
  const PredictOptions delta = {.method = Method::delta};
  const PredictOptions refined = {.method = Method::rooftile, .precision = DType::fp16, .host = false};
  for (const PredictOptions& options : {delta, refined}) {
    for (const char* name : {"alexnet", "googlenet", "gpt2"}) {
      const WeightedWorkload weighted = weighted_network(name, 4);
      const auto evaluator = evaluator_of(base, {weighted}, options);
      DesignEvaluation evaluation = evaluation_of(*evaluator, base);
      for (const DesignPoint& point : {design_of(base), changed(base)}) {
        const Gpu gpu = with_design(base, point);
        const HardwareCost hardware = cost_of(gpu, model);
        const DesignOutcome outcome = evaluate_one(evaluation, point);
        ASSERT_EQ(outcome.unfit, Unfit::none);
        expect_cost_of(outcome, hardware);
        const Prediction prediction = predict(weighted.workload, gpu, options).value();
        const double energy = energy_of(prediction, gpu, model, hardware).total().value();
        EXPECT_NEAR(cost(outcome, Cost::energy) / energy, 1, kTolerance) << name << name_of(options.method);
        EXPECT_NEAR(outcome.time / prediction.time.value(), 1, kTolerance) << name << name_of(options.method);
      }
    }
  }
}

// Wide tiles move fewer bytes, and have their own energy.
TEST(DesignEvaluation, EnergyFollowsTheTile) {
  const Gpu base = gpu_of("titan-xp");
  const auto evaluator = evaluator_of(base, {weighted_network("alexnet", 64)});
  DesignEvaluation evaluation = evaluation_of(*evaluator, base);
  DesignPoint point = design_of(base);
  at(point, Parameter::registers) *= 2;
  const DesignOutcome narrow = evaluate_one(evaluation, point);
  at(point, Parameter::cta_tile) = kWideTileRows;
  const DesignOutcome wide = evaluate_one(evaluation, point);
  const CostModel model = cost_model_of(costs(), base).value();
  const double idle = cost_of(with_design(base, point), model).idle.value();
  EXPECT_LT(cost(wide, Cost::energy) - idle * wide.time, cost(narrow, Cost::energy) - idle * narrow.time);
}

TEST(DesignEvaluation, EnergyAddsUpByWeights) {
  const Gpu base = gpu_of("titan-xp");
  const auto energy = [&](const std::vector<WeightedWorkload>& workloads) {
    const auto evaluator = evaluator_of(base, workloads);
    DesignEvaluation evaluation = evaluation_of(*evaluator, base);
    return cost(evaluate_one(evaluation, design_of(base)), Cost::energy);
  };
  const double alexnet = energy({weighted_network("alexnet", 8)}),
               googlenet = energy({weighted_network("googlenet", 8)});
  EXPECT_NEAR(energy({weighted_network("alexnet", 8, 3), weighted_network("googlenet", 8, 0.5)}) /
                  (3 * alexnet + 0.5 * googlenet),
              1, kTolerance);
}

// 600 random designs of any kind, and what comes of them.
struct Sample {
  Gpu base = gpu_of("titan-xp");
  std::unique_ptr<const Evaluator> evaluator = evaluator_of(base, {weighted_network("alexnet", 16)});
  DesignBlock block;

  Sample() {
    DesignSpace space;
    space.base = base;
    space.sampling = Sampling::random;
    space.samples = 600;
    for (const Parameter p : {Parameter::sm_count, Parameter::clock, Parameter::registers, Parameter::l2_bandwidth,
                              Parameter::dram_bandwidth}) {
      const double value = at(design_of(base), p);
      space.axes.push_back({.parameter = p, .values = {value / 4, 4 * value}, .range = true});
    }
    block = empty_block(space);
    block.count = 600;
    fill(space, 0, block);
  }
};

TEST(DesignEvaluation, ADesignDependsOnNoOther) {
  Sample sample;
  DesignEvaluation evaluation = evaluation_of(*sample.evaluator, sample.base);
  OutcomeBlock outcome = evaluation.outcome();
  evaluation.evaluate(sample.block, outcome);
  DesignBlock reversed = sample.block;
  for (std::vector<double>& values : reversed.values) std::reverse(values.begin(), values.begin() + 600);
  OutcomeBlock backwards = evaluation.outcome();
  evaluation.evaluate(reversed, backwards);
  for (std::size_t i = 0; i < 600; ++i) {
    ASSERT_EQ(outcome.unfit[i], backwards.unfit[599 - i]);
    ASSERT_EQ(outcome.time[i], backwards.time[599 - i]);
    for (std::size_t c = 0; c < kCosts; ++c) ASSERT_EQ(outcome.costs[c][i], backwards.costs[c][599 - i]) << c;
  }
}

TEST(DesignEvaluation, ConstraintsMayNameEveryMetric) {
  Sample sample;
  DesignEvaluation free = evaluation_of(*sample.evaluator, sample.base);
  OutcomeBlock all = free.outcome();
  free.evaluate(sample.block, all);
  for (const char* name : {"sm_count", "time", "area", "power", "manufacturing_cost", "energy"}) {
    const Metric metric = find_metric(name).value();
    const std::vector<double>& column = column_of(metric, sample.block, all);
    // One that about half of the designs keep.
    std::vector<double> fit;
    for (std::size_t i = 0; i < 600; ++i) {
      if (all.unfit[i] == Unfit::none) fit.push_back(column[i]);
    }
    ASSERT_GT(fit.size(), 100U);
    std::nth_element(fit.begin(), fit.begin() + static_cast<std::ptrdiff_t>(fit.size() / 2), fit.end());
    const double bound = fit[fit.size() / 2];
    const std::string text = fmt::format("{} <= {}", name, bound);
    DesignEvaluation bounded = evaluation_of(*sample.evaluator, sample.base, {text});
    OutcomeBlock outcome = bounded.outcome();
    bounded.evaluate(sample.block, outcome);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < 600; ++i) {
      if (all.unfit[i] == Unfit::none) {
        ASSERT_EQ(outcome.unfit[i], column[i] <= bound ? Unfit::none : Unfit::constraint) << text;
      }
      if (outcome.unfit[i] != Unfit::none) continue;
      ++kept;
      ASSERT_EQ(outcome.time[i], all.time[i]);
      for (std::size_t c = 0; c < kCosts; ++c) ASSERT_EQ(outcome.costs[c][i], all.costs[c][i]);
    }
    EXPECT_GT(kept, fit.size() / 3) << text;
  }
}

TEST(DesignEvaluation, WithoutCostsThereAreNone) {
  const Gpu base = gpu_of("titan-xp");
  const auto evaluator = evaluator_of(base, {weighted_network("alexnet", 16)});
  auto evaluation = DesignEvaluation::make(*evaluator, base, {"time < 1"}, nullptr);
  ASSERT_TRUE(evaluation);
  EXPECT_FALSE(evaluation->outcome().has_costs());
  EXPECT_EQ(evaluate_one(*evaluation, design_of(base)).costs, (std::array<double, kCosts>{}));
  const auto named = DesignEvaluation::make(*evaluator, base, {"manufacturing_cost < 400"}, nullptr);
  ASSERT_FALSE(named);
  EXPECT_EQ(named.error().text(), "a constraint names manufacturing_cost, but no costs are given");
}

TEST(DesignEvaluation, AGpuWithoutAProcessHasNoCosts) {
  Gpu base = gpu_of("titan-xp");
  const auto evaluator = evaluator_of(base, {weighted_network("alexnet", 16)});
  base.process_nm.reset();
  const auto evaluation = DesignEvaluation::make(*evaluator, base, {}, &costs());
  ASSERT_FALSE(evaluation);
  EXPECT_EQ(evaluation.error().text(), "titan-xp: its process is not known; give core.process_nm in its file");
}

TEST(Metric, IsAParameterOrWhatComesOfADesign) {
  EXPECT_EQ(metric_names().size(), kMetrics);
  for (const std::string& name : metric_names()) EXPECT_EQ(name_of(find_metric(name).value()), name);
  EXPECT_EQ(find_metric("sm_count"), metric_of(Parameter::sm_count));
  EXPECT_EQ(as_parameter(metric_of(Parameter::cta_tile)), Parameter::cta_tile);
  EXPECT_FALSE(as_parameter(Metric::time));
  EXPECT_EQ(as_cost(Metric::energy), Cost::energy);
  EXPECT_FALSE(as_cost(Metric::time));
  EXPECT_FALSE(find_metric("cost"));
  EXPECT_EQ(print(Metric::manufacturing_cost, 332.61), "332.6 USD");
  EXPECT_EQ(print(Metric::time, 0.0123), "12.3 ms");
  EXPECT_EQ(print(metric_of(Parameter::dram_bandwidth), 450e9), "450 GB/s");
}

}  // namespace
}  // namespace rooftile
