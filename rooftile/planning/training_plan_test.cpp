#include "rooftile/planning/training_plan.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/base/duration.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/learn/builtin_fitted.hpp"
#include "rooftile/learn/layers/layer_prediction.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/zoo/zoo.hpp"

namespace rooftile {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

TrainingTask alexnet() {
  TrainingTask task;
  task.model = "alexnet";
  task.samples = 100000;
  task.epochs = 3;
  task.workload_of = [](std::int64_t batch) -> Result<Workload> {
    return std::find_if(zoo().begin(), zoo().end(), [](const ZooEntry& e) { return e.name == "alexnet"; })
        ->build(batch);
  };
  return task;
}

TrainingChoices choices(const std::vector<std::string>& ids) {
  TrainingChoices result;
  for (const std::string& id : ids) result.gpus.push_back(find_gpu(id).value());
  result.most_gpus = 4;
  result.most_global_batch = 1024;
  return result;
}

// A plan has the memory and the update of the step that predict tells, by precision and optimiser.
TEST(TrainingPlan, HasTheMemoryThatPredictHas) {
  TrainingChoices own = choices({"v100-sxm2-16gb"});
  own.most_gpus = 1;
  own.batches = {64};
  Bytes before;
  for (const auto& [precision, autocast] : {std::pair{DType::fp32, false}, {DType::fp16, true}, {DType::fp16, false}}) {
    own.predict.precision = precision;
    own.predict.autocast = autocast;
    for (const Optimizer optimizer : {Optimizer::sgd, Optimizer::adam}) {
      own.predict.optimizer = optimizer;
      const TrainingOption option = plan_training(alexnet(), own).value().options.front();
      const Workload network = alexnet().workload_of(64).value();
      const Prediction step = predict(network, own.gpus.front(), own.predict, Phase::step).value();
      EXPECT_EQ(option.memory.total(), step.memory.total());
      EXPECT_EQ(option.step, step.time);
      const Bytes two_copies = gradient_bytes(stored_as(network, DType::fp32)) * 2;
      if (optimizer == Optimizer::adam) {
        EXPECT_NEAR((option.memory.total() - before) / two_copies, 1, 0.001);
      }
      before = option.memory.total();
    }
  }
}

TEST(TrainingPlan, GpusOfOneMachineShareWhatFeedsThem) {
  TrainingChoices fed = choices({"v100-sxm2-16gb"});
  fed.batches = {128};
  Feeding feeding;
  feeding.host.cores = 8;
  feeding.host.decode = feeding.host.augment = Seconds(5e-3);
  feeding.host.disk = BytesPerSecond(1e12);
  fed.predict.feeding = &feeding;
  const TrainingPlan plan = plan_training(alexnet(), fed).value();
  const auto step_of = [&](int gpus) {
    for (const TrainingOption& option : plan.options) {
      if (option.gpus == gpus) return option.step - option.added.value();
    }
    return Seconds(0);
  };
  const double cores = 128 * (500 * 375 + 224 * 224) / 1e6 * 5e-3 / 8;  // seconds that a batch takes all of them
  EXPECT_NEAR(step_of(4).value(), 4 * cores, 1e-9) << "the host is the slowest";
  EXPECT_LT(step_of(1), step_of(4));
}

TEST(TrainingPlan, AccumulatedGradientsMakeALargerBatchOfTheSameMemory) {
  TrainingChoices plain = choices({"t4"}), accumulating = plain;
  plain.batches = accumulating.batches = {64};
  accumulating.predict.micro_batches = 4;
  const TrainingPlan one = plan_training(alexnet(), plain).value(),
                     four = plan_training(alexnet(), accumulating).value();
  EXPECT_EQ(four.options[0].global_batch, 4 * one.options[0].global_batch);
  EXPECT_EQ(four.options[0].memory.total(), one.options[0].memory.total());
  EXPECT_NEAR(four.options[0].iterations, one.options[0].iterations / 4, 3) << "one for the end of each epoch";
  EXPECT_NEAR(four.options[0].time / one.options[0].time, 1, 0.3) << "sums of gradients in place of updates";
  accumulating.batches = {};
  accumulating.global_batch = 512;
  const TrainingPlan whole = plan_training(alexnet(), accumulating).value();
  for (const TrainingOption& option : whole.options) {
    EXPECT_EQ(option.global_batch, 512);
    EXPECT_EQ(option.batch, (512 + 4 * option.gpus - 1) / (4 * option.gpus));
  }
}

TEST(TrainingPlan, TimeIsIterationsTimesStepsAndCostIsThatTimesGpus) {
  TrainingChoices two = choices({"t4", "v100-sxm2-16gb"});
  two.batches = {128};
  ASSERT_TRUE(add_gpu_price(two.prices.own, "t4=0.53"));
  const auto plan = plan_training(alexnet(), two);
  ASSERT_TRUE(plan) << plan.error().text();
  ASSERT_EQ(plan->options.size(), 8U);
  const Prediction one = predict(alexnet().workload_of(128).value(), two.gpus[0], two.predict, Phase::step).value();
  const TrainingOption& option = plan->options[0];
  EXPECT_EQ(option.iterations, 782 * 3);  // 100,000 / 128, rounded up
  EXPECT_DOUBLE_EQ(option.time.value(), 782 * 3 * one.time.value());
  EXPECT_DOUBLE_EQ(option.cost.value(), option.time.value() * 0.53 / 3600);
  EXPECT_EQ(plan->options[3].gpus, 4);
  EXPECT_EQ(plan->options[3].global_batch, 512);
  EXPECT_GT(*plan->options[3].added, Seconds(0));
  EXPECT_LT(plan->options[3].time, option.time);
}

TEST(TrainingPlan, BestIsWhatLookingAtAllOptionsSays) {
  const TrainingChoices all = choices({"t4", "v100-sxm2-16gb", "a100-sxm4-80gb", "rtx-3090"});
  TrainingTask task = alexnet();
  const auto free = plan_training(task, all);
  ASSERT_TRUE(free);
  const auto by_cost = [](const TrainingOption& a, const TrainingOption& b) { return a.cost < b.cost; };
  const auto by_time = [](const TrainingOption& a, const TrainingOption& b) { return a.time < b.time; };
  const auto cheapest = std::min_element(free->options.begin(), free->options.end(), by_cost);
  const auto fastest = std::min_element(free->options.begin(), free->options.end(), by_time);
  EXPECT_EQ(free->options[*free->best].cost, cheapest->cost);
  EXPECT_EQ(free->options[free->front.front()].time, fastest->time);
  EXPECT_EQ(free->options[free->front.back()].cost, cheapest->cost);

  task.deadline = (cheapest->time + fastest->time) / 2;
  const auto bounded = plan_training(task, all);
  const TrainingOption& best = bounded->options[*bounded->best];
  EXPECT_LE(best.time, *task.deadline);
  for (const TrainingOption& option : bounded->options) {
    EXPECT_EQ(option.meets, option.time <= *task.deadline);
    if (option.meets) {
      EXPECT_GE(option.cost, best.cost);
    }
  }
  task.deadline.reset();
  task.budget = (cheapest->cost + fastest->cost) / 2;
  const auto afforded = plan_training(task, all);
  for (const TrainingOption& option : afforded->options) {
    if (option.meets) {
      EXPECT_GE(option.time, afforded->options[*afforded->best].time);
    }
  }
  // The front: strictly slower and cheaper along it, and nothing beats a point of it.
  for (const std::size_t i : free->front) {
    for (const TrainingOption& option : free->options) {
      EXPECT_FALSE(option.time < free->options[i].time && option.cost < free->options[i].cost);
    }
  }
}

TEST(TrainingPlan, AGlobalBatchIsSplit) {
  TrainingChoices split = choices({"v100-sxm2-16gb"});
  split.global_batch = 250;
  const auto plan = plan_training(alexnet(), split);
  ASSERT_TRUE(plan) << plan.error().text();
  ASSERT_EQ(plan->options.size(), 4U);
  for (const TrainingOption& option : plan->options) {
    EXPECT_EQ(option.global_batch, 250);
    EXPECT_EQ(option.batch, (250 + option.gpus - 1) / option.gpus);
    EXPECT_EQ(option.iterations, 400 * 3);
  }
}

TEST(TrainingPlan, SaysWhatIsRuledOutAndWhy) {
  TrainingChoices some = choices({"t4", "k40", "h100-sxm5-80gb"});
  some.predict.precision = DType::fp8;
  const auto plan = plan_training(alexnet(), some);
  ASSERT_TRUE(plan) << plan.error().text();
  ASSERT_EQ(plan->ruled_out.size(), 2U);
  EXPECT_EQ(plan->ruled_out[0].gpu, "k40");
  EXPECT_THAT(plan->ruled_out[0].why, HasSubstr("no on-demand price"));
  EXPECT_THAT(plan->ruled_out[1].why, HasSubstr("fp8"));
}

TEST(TrainingPlan, SaysWhatComesClosestToAnImpossibleBound) {
  const TrainingChoices all = choices({"t4", "a100-sxm4-80gb"});
  TrainingTask task = alexnet();
  task.deadline = Seconds(1e-3);
  const auto late = plan_training(task, all);
  ASSERT_TRUE(late);
  EXPECT_FALSE(late->best);
  EXPECT_THAT(why_none(task, all, *late), HasSubstr("the fastest, 4 x a100-sxm4-80gb"));
  task.deadline.reset();
  task.budget = Dollars(1e-9);
  const auto poor = plan_training(task, all);
  EXPECT_FALSE(poor->best);
  EXPECT_THAT(why_none(task, all, *poor), HasSubstr("the cheapest"));
}

TEST(TrainingPlan, NothingFitsAndNothingHasAPrice) {
  TrainingChoices large = choices({"t4"});
  large.batches = {100000};
  large.most_global_batch.reset();
  EXPECT_THAT(plan_training(alexnet(), large).error().text(), HasSubstr("more than any GPU has usable (12.8 GiB)"));
  EXPECT_THAT(plan_training(alexnet(), choices({"k40"})).error().text(), HasSubstr("no such price"));
}

TEST(TrainingPlan, ThreadsChangeNothingAndCautionAsksForMore) {
  TrainingChoices one = choices({"t4", "v100-sxm2-16gb", "a100-sxm4-80gb"}), many = one;
  many.threads = 3;
  const auto a = plan_training(alexnet(), one), b = plan_training(alexnet(), many);
  ASSERT_EQ(a->options.size(), b->options.size());
  for (std::size_t i = 0; i < a->options.size(); ++i) EXPECT_EQ(a->options[i].time, b->options[i].time);
  TrainingTask task = alexnet();
  task.deadline = a->options[*a->best].time;
  one.cautious = true;
  const auto careful = plan_training(task, one);
  for (const TrainingOption& option : careful->options) {
    EXPECT_EQ(option.meets, option.step_range && option.time_high() <= *task.deadline);
  }
}

TEST(TrainingPlan, CautionCountsTheUpperEndAndOnlyWhatHasOne) {
  TrainingChoices careful = choices({"t4"});
  careful.cautious = true;
  const auto free = plan_training(alexnet(), careful);
  Seconds soonest = free->options.front().time_high();
  for (const TrainingOption& option : free->options) soonest = std::min(soonest, option.time_high());
  TrainingTask task = alexnet();
  task.deadline = soonest * 0.999;  // later than the middle of the fastest
  const auto plan = plan_training(task, careful);
  ASSERT_FALSE(plan->best);
  EXPECT_THAT(why_none(task, careful, *plan), HasSubstr("deadline: the fastest"));
  EXPECT_THAT(why_none(task, careful, *plan), HasSubstr("takes up to " + print_duration(soonest)));
  // An option of unknown interval, though faster, is no answer.
  TrainingPlan odd = *plan;
  odd.options.push_back(odd.options.front());
  odd.options.back().time = Seconds(1e-6);
  odd.options.back().step_range.reset();
  EXPECT_THAT(why_none(task, careful, odd), HasSubstr("deadline: the fastest"));
}

TEST(TrainingPlan, BatchesBeyondTheLargestOfAllGpusAreNone) {
  TrainingChoices small = choices({"t4"});
  small.batches = {4, 8};
  small.most_global_batch = 2;
  EXPECT_THAT(plan_training(alexnet(), small).error().text(),
              HasSubstr("every batch exceeds 2, the most allowed over all GPUs"));
  small.most_global_batch = 4;
  EXPECT_EQ(plan_training(alexnet(), small)->options.size(), 1U);
}

TEST(TrainingPlan, OnlyGpusWithAPriceDecideWhatFits) {
  TrainingChoices two = choices({"t4", "mi210"});  // 64 GB, without a price
  two.batches = {10000};
  two.most_global_batch.reset();
  EXPECT_THAT(plan_training(alexnet(), two).error().text(), HasSubstr("more than any GPU has usable (12.8 GiB)"));
}

TEST(TrainingPlan, NotesSayWhatNumbersOfGpusAreGoodFor) {
  TrainingChoices many = choices({"gtx-titan-x", "t4"});
  many.prices.else_bought = true;
  many.batches = {8};
  EXPECT_THAT(plan_training(alexnet(), many)->notes, ElementsAre(HasSubstr("gtx-titan-x: one GPU only")));
  many.most_gpus = 16;
  EXPECT_THAT(plan_training(alexnet(), many)->notes, Contains(HasSubstr("more than 8 GPUs")));
}

// A step of 0.1 s and 0.01 s a GPU, whatever the batch and the GPU: runs on 1 to 4 T4 and V100.
regression::FittedModel of_several_gpus() {
  regression::FittedModel model;
  model.name = "several";
  model.kind = "network";
  model.fitted_on.gpus = {"t4", "v100-sxm2-16gb"};
  model.fitted_on.precisions = {"fp32"};
  model.fitted_on.passes = {"step"};
  regression::FittedEquation& equation = model.equations.emplace_back();
  equation.terms = {{.term = regression::Term{}, .coefficient = 0.1},
                    {.term = regression::Term{{.column = "gpus"}}, .coefficient = 0.01}};
  equation.ranges = {{"gpus", 1, 4}};
  equation.interval = regression::Interval{.level = 0.9, .factor = 1.2, .made_by = "split conformal", .rows = 20};
  return model;
}

TEST(TrainingPlan, AFittedModelOfSeveralGpusGivesTheirStep) {
  const regression::FittedModel model = of_several_gpus();
  TrainingChoices fitted = choices({"t4", "a100-sxm4-80gb"});
  fitted.fitted = &model;
  fitted.batches = {64};
  fitted.most_gpus = 8;
  const auto plan = plan_training(alexnet(), fitted);
  ASSERT_TRUE(plan) << plan.error().text();
  EXPECT_TRUE(plan->fitted_scaling);
  EXPECT_EQ(plan->method, "fitted: several");
  ASSERT_EQ(plan->ruled_out.size(), 1U);
  EXPECT_EQ(plan->ruled_out[0].gpu, "a100-sxm4-80gb");
  EXPECT_EQ(plan->ruled_out[0].why, "the fitted model is of t4, v100-sxm2-16gb");
  ASSERT_EQ(plan->options.size(), 8U);
  const TrainingOption& four = plan->options[3];
  EXPECT_DOUBLE_EQ(four.step.value(), 0.14);
  EXPECT_FALSE(four.added);
  EXPECT_NEAR(four.step_range->high.value(), 0.14 * 1.2, 1e-9);
  EXPECT_TRUE(four.warnings.empty());
  EXPECT_THAT(plan->options[7].warnings, ElementsAre(HasSubstr("gpus is 8")));
  TrainingChoices other = fitted;
  other.gpus = {find_gpu("a100-sxm4-80gb").value()};
  EXPECT_EQ(plan_training(alexnet(), other).error().message, "the fitted model is of t4, v100-sxm2-16gb");
  // Asked for by name, another GPU is predicted, with a warning.
  fitted.beyond_fit = true;
  const auto beyond = plan_training(alexnet(), fitted);
  EXPECT_TRUE(beyond->ruled_out.empty());
  EXPECT_THAT(beyond->options.back().warnings, Contains(HasSubstr("a100-sxm4-80gb is not one of those in the fit")));
}

TEST(TrainingPlan, AFittedModelOfOneGpuIsAddedTo) {
  const regression::FittedModel model = *find_fitted("gianniti-m6000");
  TrainingChoices fitted = choices({"t4", "m6000"});
  fitted.fitted = &model;
  fitted.batches = {64};
  EXPECT_THAT(plan_training(alexnet(), fitted).error().text(),
              HasSubstr("any of the GPUs that the fitted model is for"));
  fitted.prices.else_bought = true;
  const auto plan = plan_training(alexnet(), fitted);
  ASSERT_TRUE(plan) << plan.error().text();
  EXPECT_FALSE(plan->fitted_scaling);
  ASSERT_EQ(plan->options.size(), 4U);
  const Workload workload = alexnet().workload_of(64).value();
  EXPECT_EQ(plan->options[0].step, predict_by_layers(model, workload, Phase::step)->time);
  EXPECT_THAT(plan->options[0].warnings, Contains(HasSubstr("left out of the step")));
  EXPECT_EQ(plan->options[1].step, plan->options[0].step + *plan->options[1].added);
  fitted.predict.precision = DType::fp16;
  EXPECT_THAT(plan_training(alexnet(), fitted)->ruled_out.front().why, HasSubstr("fp32, not fp16"));
}

}  // namespace
}  // namespace rooftile
