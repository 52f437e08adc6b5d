#include "rooftile/compare/compare.hpp"

#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/cost/cost_file.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/hosts/host_machine.hpp"
#include "rooftile/ingest/model.hpp"

namespace rooftile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

CompareTask::Model zoo_model(const std::string& name, Phase phase = Phase::fwd) {
  return {name, [name, phase](std::optional<std::int64_t> batch, std::optional<RunPrecision> precision) {
            return load_model(name, {.batch_size = batch}).map([&](Workload workload) {
              NetworkAt network{std::make_shared<const Workload>(std::move(workload)), {}, phase};
              if (precision)
                network.options.precision = precision->dtype, network.options.autocast = precision->autocast;
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

// Which is predicted once for both: what the second is given must be its own prediction.
TEST(Compare, Tf32IsFp32WhereTheGpuLacksIt) {
  CompareTask task = task_of({"titan-xp", "t4", "mi210", "mi100", "mi355x", "a100-sxm4-80gb"});
  task.models = {zoo_model("resnet18", Phase::step), zoo_model("gnmt", Phase::step)};
  task.precisions = {{{DType::fp32}}, {{DType::tf32}}};
  const std::size_t gpus = task.gpus.size();
  const Comparison both = compare(task).value();
  task.precisions = {{{DType::tf32}}};
  const Comparison alone = compare(task).value();
  ASSERT_EQ(both.runs.size(), 2 * alone.runs.size());
  const auto high = [](const ComparedRun& run) { return run.interval ? run.interval->high : Seconds(0); };
  for (std::size_t i = 0; i < alone.runs.size(); ++i) {
    const std::size_t model = i / gpus, gpu = i % gpus;
    const ComparedRun& wide = both.runs[2 * model * gpus + gpu];
    const ComparedRun& tf32 = both.runs[(2 * model + 1) * gpus + gpu];
    EXPECT_EQ(tf32.precision, "tf32");
    EXPECT_EQ(tf32.widened, tf32.gpu != "a100-sxm4-80gb") << tf32.gpu;
    EXPECT_FALSE(wide.widened);
    EXPECT_EQ(tf32.time, alone.runs[i].time) << tf32.gpu;
    EXPECT_EQ(high(tf32), high(alone.runs[i])) << tf32.gpu;
    EXPECT_EQ(tf32.peak_share, alone.runs[i].peak_share) << tf32.gpu;
    EXPECT_EQ(tf32.by.by == wide.by.by, tf32.widened) << tf32.gpu << ": the time may be the host's";
  }
}

// Products that precisions share are estimated once.
TEST(Compare, EachOfSeveralPrecisionsIsAsPredictedAlone) {
  CompareTask task =
      task_of({"titan-xp", "v100-pcie-16gb", "t4", "a100-sxm4-80gb", "h100-sxm5-80gb", "mi100", "mi355x"});
  task.models = {zoo_model("resnet18", Phase::step), zoo_model("gnmt", Phase::step), zoo_model("bert_base")};
  task.precisions = {{{DType::fp32}}, {{DType::tf32}}, {{DType::fp16}}, {{DType::bf16}}, {{DType::fp16, true}}};
  const Comparison comparison = compare(task).value();
  EXPECT_EQ(comparison.runs.size(), task.models.size() * task.precisions.size() * task.gpus.size());
  for (const ComparedRun& run : comparison.runs) {
    const bool trains = run.model != "bert_base";
    PredictOptions options;
    options.autocast = run.precision == "amp-fp16";
    options.precision = parse_dtype(options.autocast ? "fp16" : run.precision).value();
    const Workload workload = load_model(run.model, {.batch_size = 8}).value();
    const Prediction alone =
        predict(workload, find_gpu(run.gpu).value(), options, trains ? Phase::step : Phase::fwd).value();
    const auto interval = interval_of(alone);
    EXPECT_EQ(run.time, alone.time) << run.model << " " << run.gpu << " " << run.precision;
    EXPECT_EQ(run.interval.has_value(), interval.has_value());
    if (interval) {
      EXPECT_EQ(run.interval->high, interval->high);
    }
    EXPECT_EQ(run.by.by, time_by_bottleneck(alone).by);
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

// A T4 has no units for bf16: what it would take in it says nothing of the others.
TEST(Compare, ARatioIsOfAPrecisionThatBothComputeIn) {
  CompareTask task = task_of({"h100-sxm5-80gb", "l40s", "t4", "titan-xp"});
  task.models = {zoo_model("resnet50")};
  task.batches = {{.size = 64}};
  task.precisions = {{{DType::fp32}, {DType::tf32}, {DType::fp16}, {DType::bf16}}};
  task.baseline = 2;
  const Comparison best = compare(task).value();
  task.precisions = {{{DType::fp16}}};
  const Comparison half = compare(task).value();
  task.precisions = {{{DType::fp32}}};
  const Comparison single = compare(task).value();
  for (const std::size_t gpu : {0, 1, 2}) {
    EXPECT_EQ(best.runs[gpu].precision, "fp16") << best.runs[gpu].gpu;
    EXPECT_DOUBLE_EQ(*best.runs[gpu].ratio, *half.runs[gpu].ratio) << best.runs[gpu].gpu;
  }
  EXPECT_EQ(best.runs[3].precision, "fp32") << "its fp16 is only stored";
  EXPECT_DOUBLE_EQ(*best.runs[3].ratio, *single.runs[3].ratio);
  EXPECT_FALSE(best.runs[0].widened);
  task.precisions = {{{DType::bf16}}};
  EXPECT_TRUE(compare(task)->runs[2].widened);
}

TEST(Compare, APrecisionThatTheBaselineLacksHasNoRatio) {
  CompareTask task = task_of({"t4", "h100-sxm5-80gb"});
  task.precisions = {{{DType::fp8}}};
  task.baseline = 0;
  const Comparison comparison = compare(task).value();
  ASSERT_EQ(comparison.runs.size(), 1U);
  EXPECT_EQ(comparison.runs[0].gpu, "h100-sxm5-80gb");
  EXPECT_FALSE(comparison.runs[0].ratio);
  EXPECT_THAT(comparison.left_out, ElementsAre(HasSubstr("t4: no peak rate of t4 for fp8")));
}

TEST(Compare, OfPrecisionsAsFastTheFirst) {
  CompareTask task = task_of({"h100-sxm5-80gb"});
  task.batches = {{.size = 64}};
  task.precisions = {{{DType::fp16}, {DType::bf16}}};
  EXPECT_EQ(compare(task)->runs[0].precision, "fp16");
  task.precisions = {{{DType::bf16}, {DType::fp16}}};
  EXPECT_EQ(compare(task)->runs[0].precision, "bf16");
}

TEST(Compare, TheSameRunIsOneRow) {
  CompareTask task = task_of({"t4"});
  const std::int64_t most = [&] {
    task.batches = {{.largest = true}};
    return compare(task)->runs[0].batch_size;
  }();
  task.batches = {{.size = 8}, {.size = most}, {.largest = true}};
  EXPECT_EQ(compare(task)->runs.size(), 2U);
  task.batches = {{.size = 8}};
  task.precisions = {{{DType::fp16}}, {{DType::fp32}, {DType::fp16}}};
  EXPECT_EQ(compare(task)->runs.size(), 1U);
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

TEST(Compare, WhoHasNoRoomForASampleOfANetworkSaysWhich) {
  CompareTask task = task_of({"t4"});
  task.models = {zoo_model("llama2_70b"), zoo_model("llama2_13b")};
  task.batches = {{.largest = true}};
  EXPECT_THAT(compare(task)->left_out, ElementsAre(HasSubstr("t4: one sample of llama2_70b needs "),
                                                   HasSubstr("t4: one sample of llama2_13b needs ")));
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
  task.grid = Grid{.grams_per_kwh = 400};
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
  run.board = std::make_shared<const BoardPrice>(BoardPrice{Dollars(730.5), "resale", "", ""});
  EXPECT_FALSE(run.break_even_months()) << "no rent is known";
  GpuPrice price{.rate = DollarsPerSecond(1.0 / 3600)};  // of a user's own, without offers
  run.price = std::make_shared<const GpuPrice>(price);
  EXPECT_NEAR(*run.break_even_months(), 1, 1e-9);
  run.energy = Joules(360);
  run.usd_per_joule = 0.5 / (360 * 3600.0);
  EXPECT_NEAR(*run.break_even_months(), 2, 1e-9) << "electricity takes half of what is saved";
  run.usd_per_joule *= 3;
  EXPECT_FALSE(run.break_even_months()) << "it costs more than the rent";
  run.usd_per_joule = 0;
  price.of_board = true;
  run.price = std::make_shared<const GpuPrice>(price);
  EXPECT_FALSE(run.break_even_months()) << "the price is that of a board, not of renting it";
}

TEST(Compare, EachEpochEndsWithAWholeBatch) {
  ComparedRun run;
  run.batch_size = 8;
  run.time = Seconds(2);
  run.price = std::make_shared<const GpuPrice>(GpuPrice{.rate = DollarsPerSecond(0.5)});
  EXPECT_FALSE(run.epoch_time());
  run.samples = 17;
  run.epochs = 10;
  EXPECT_EQ(run.epoch_time(), Seconds(6));
  EXPECT_EQ(run.epoch_cost(), Dollars(3));
  EXPECT_EQ(run.total_time(), Seconds(60));
  EXPECT_EQ(run.total_cost(), Dollars(30));
}

TEST(Compare, WhoWaitsForItsInputSaysForWhat) {
  CompareTask task = task_of({"h100-sxm5-80gb"});
  const HostMachine host = find_host_machine("i7-8750h").value();
  const Feeding feeding{host, {}};
  task.batches = {{.size = 256}};
  task.models = {{"resnet50", [&](std::optional<std::int64_t> batch, std::optional<RunPrecision>) {
                    return load_model("resnet50", {.batch_size = batch}).map([&](Workload workload) {
                      NetworkAt network{std::make_shared<const Workload>(std::move(workload)), {}, Phase::fwd};
                      network.options.precision = DType::fp16;
                      network.options.feeding = &feeding;
                      return network;
                    });
                  }}};
  const ComparedRun run = compare(task)->runs[0];
  EXPECT_EQ(run.limit, "input");
  EXPECT_EQ(run.input_limit, "cores");
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
