#include "rooftile/compare/compare.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/cost/cost_file.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/ingest/model.hpp"

namespace rooftile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

CompareTask::Model zoo_model(const std::string& name, Phase phase = Phase::fwd) {
  return {name, [name, phase](std::optional<std::int64_t> batch, std::optional<RunPrecision> precision) {
            return load_model(name, {.batch_size = batch}).map([&](Workload workload) {
              NetworkAt network{std::move(workload), {}, phase};
              if (precision) network.options.precision = precision->dtype;
              return network;
            });
          }};
}

CompareTask task_of(const std::vector<std::string>& gpus) {
  CompareTask task;
  task.models = {zoo_model("resnet18")};
  task.batches = {{.size = 8}};
  for (const std::string& gpu : gpus) task.gpus.push_back(find_gpu(gpu).value());
  return task;
}

// Its host issues kernels all along, however much of the time the GPU works.
TEST(Compare, TheHostIsTheLimitWhereItSetsTheTime) {
  CompareTask task = task_of({"gb300", "k80"});
  task.batches = {{.size = 1}};
  const Comparison comparison = compare(task).value();
  EXPECT_EQ(comparison.runs[0].limit, "host");
  EXPECT_NE(comparison.runs[1].limit, "host");
}

TEST(Compare, ARowIsThePrediction) {
  const CompareTask task = task_of({"t4", "l4"});
  const Comparison comparison = compare(task).value();
  ASSERT_EQ(comparison.runs.size(), 2U);
  const Prediction alone = predict(load_model("resnet18", {.batch_size = 8}).value(), task.gpus[1]).value();
  EXPECT_EQ(comparison.runs[1].time, alone.time);
  EXPECT_EQ(comparison.runs[1].memory, alone.memory.total());
  EXPECT_EQ(comparison.runs[1].interval->low, interval_of(alone)->low);
  EXPECT_EQ(comparison.pass, "inference");
  EXPECT_FALSE(comparison.runs[0].energy) << "no costs were given";
}

TEST(Compare, ThreadsChangeNothing) {
  CompareTask task = task_of({"t4", "l4", "titan-xp", "mi50", "h100-sxm5-80gb"});
  const Comparison one = compare(task).value();
  task.threads = 3;
  const Comparison three = compare(task).value();
  for (std::size_t i = 0; i < one.runs.size(); ++i) {
    EXPECT_EQ(one.runs[i].gpu, three.runs[i].gpu);
    EXPECT_EQ(one.runs[i].time, three.runs[i].time);
  }
}

TEST(Compare, OfSeveralPrecisionsTheFastestThatBothHave) {
  CompareTask task = task_of({"h100-sxm5-80gb", "t4", "titan-xp"});
  task.batches = {{.size = 64}};
  task.precisions = {{{DType::fp32}, {DType::tf32}, {DType::fp16}, {DType::fp8}}};
  task.baseline = 1;
  const Comparison comparison = compare(task).value();
  ASSERT_EQ(comparison.runs.size(), 3U);
  EXPECT_EQ(comparison.runs[0].precision, "fp16") << "a T4 has no FP8";
  EXPECT_EQ(comparison.runs[1].precision, "fp16");
  EXPECT_DOUBLE_EQ(*comparison.runs[1].ratio, 1);
  EXPECT_GT(*comparison.runs[0].ratio, 1);
  task.baseline.reset();
  EXPECT_FALSE(compare(task)->runs[0].ratio);
}

TEST(Compare, OfEachPrecisionARow) {
  CompareTask task = task_of({"t4", "l4"});
  task.precisions = {{{DType::fp32}}, {{DType::fp16}}};
  const Comparison both = compare(task).value();
  ASSERT_EQ(both.runs.size(), 4U);
  task.precisions = {{{DType::fp16}}};
  const Comparison half = compare(task).value();
  EXPECT_EQ(both.runs[0].precision, "fp32");
  EXPECT_EQ(both.runs[3].precision, "fp16");
  EXPECT_EQ(both.runs[3].gpu, "l4");
  EXPECT_EQ(both.runs[3].time, half.runs[1].time);
}

TEST(Compare, ModelsSideBySideKeepTheirOrder) {
  CompareTask task = task_of({"t4", "l4", "mi50"});
  task.models = {zoo_model("vgg16"), zoo_model("alexnet"), zoo_model("resnet18")};
  const Comparison one = compare(task).value();
  task.threads = 4;
  const Comparison four = compare(task).value();
  ASSERT_EQ(one.runs.size(), 9U);
  ASSERT_EQ(four.runs.size(), 9U);
  for (std::size_t i = 0; i < one.runs.size(); ++i) {
    EXPECT_EQ(one.runs[i].model, four.runs[i].model);
    EXPECT_EQ(one.runs[i].gpu, four.runs[i].gpu);
    EXPECT_EQ(one.runs[i].time, four.runs[i].time);
  }
  task.models.insert(task.models.begin() + 1, zoo_model("no-such"));
  EXPECT_THAT(compare(task).error().message, HasSubstr("no-such"));
}

TEST(Compare, WhatDoesNotFitSaysTheLargestBatchThatDoes) {
  CompareTask task = task_of({"p600", "h100-sxm5-80gb"});
  task.batches = {{.size = 4096}};
  const Comparison comparison = compare(task).value();
  ASSERT_EQ(comparison.runs.size(), 2U);
  const ComparedRun& small = comparison.runs[0];
  EXPECT_FALSE(small.fits());
  ASSERT_TRUE(small.largest_batch);
  task.batches = {{.largest = true}};
  EXPECT_EQ(compare(task)->runs[0].batch_size, *small.largest_batch);
  EXPECT_LE(compare(task)->runs[0].memory, small.capacity);
  task.memory_share = 0.5;
  EXPECT_LT(compare(task)->runs[0].batch_size, *small.largest_batch);
}

TEST(Compare, AGpuThatCannotRunItIsLeftOut) {
  CompareTask task = task_of({"k80", "h100-sxm5-80gb"});
  task.precisions = {{{DType::fp8}}};
  const Comparison comparison = compare(task).value();
  ASSERT_EQ(comparison.runs.size(), 1U);
  ASSERT_EQ(comparison.left_out.size(), 1U);
  EXPECT_THAT(comparison.left_out[0], HasSubstr("k80: no peak rate of k80 for fp8 is known"));
}

TEST(Compare, EnergyIsAtMostThatOfTheBoard) {
  CompareTask task = task_of({"t4"});
  const CostTable costs = load_costs({}).value();
  task.costs = &costs;
  task.grams_per_kwh = 400;
  const ComparedRun run = compare(task)->runs[0];
  ASSERT_TRUE(run.energy);
  EXPECT_LE(*run.watts(), task.gpus[0].tdp->value() * (1 + 1e-12));
  EXPECT_NEAR(*run.grams_per_million_samples(), run.energy->value() / 8 * 1e6 / 3.6e6 * 400, 1e-6);
}

TEST(Compare, AProcessWithoutCostsLeavesThePowerEmptyAndSaysSo) {
  CompareTask task = task_of({"t4", "l4"});
  task.gpus[0].process_nm = 1;
  const CostTable costs = load_costs({}).value();
  task.costs = &costs;
  const Comparison comparison = compare(task).value();
  ASSERT_EQ(comparison.runs.size(), 2U);
  EXPECT_FALSE(comparison.runs[0].energy);
  EXPECT_TRUE(comparison.runs[1].energy);
  EXPECT_THAT(comparison.notes, ElementsAre(HasSubstr("t4: no power is predicted: ")));
}

TEST(Compare, ABoardPaysOnceItsRentIsSaved) {
  ComparedRun run;
  run.time = Seconds(1);
  run.board = BoardPrice{Dollars(730.5), "resale", "", ""};
  EXPECT_FALSE(run.break_even_months()) << "no rent is known";
  run.price = GpuPrice{.rate = DollarsPerSecond(1.0 / 3600), .offers = 3};
  EXPECT_NEAR(*run.break_even_months(), 1, 1e-9);
  run.energy = Joules(360);
  run.usd_per_joule = 0.5 / (360 * 3600.0);
  EXPECT_NEAR(*run.break_even_months(), 2, 1e-9) << "electricity takes half of what is saved";
  run.usd_per_joule *= 3;
  EXPECT_FALSE(run.break_even_months()) << "it costs more than the rent";
}

TEST(Compare, StopsWhenAskedTo) {
  CompareTask task = task_of({"t4", "l4"});
  const std::atomic<bool> stop = true;
  task.stop = &stop;
  const Comparison comparison = compare(task).value();
  EXPECT_TRUE(comparison.stopped);
  EXPECT_TRUE(comparison.runs.empty());
  EXPECT_TRUE(comparison.left_out.empty());
}

}  // namespace
}  // namespace rooftile
