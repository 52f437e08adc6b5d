#include "rooftile/server/server.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/ingest/transformer_model.hpp"
#include "rooftile/predict/host.hpp"
#include "rooftile/server/engine.hpp"
#include "rooftile/server/serving_figures.hpp"

namespace rooftile {
namespace {

using ::testing::HasSubstr;

// 10 ms a prompt and 1 ms a token, whatever the batch.
EngineTimes simple_engine() {
  EngineTimes times;
  times.prompt = [](std::int64_t, std::int64_t) -> Result<Seconds> { return Seconds(10e-3); };
  times.step = [](std::int64_t, double) -> Result<Seconds> { return Seconds(1e-3); };
  times.mixed = [](const EngineTimes::Mixed&) -> Result<Seconds> { return Seconds(2e-3); };
  return times;
}

// The same, whose mixed steps take a millisecond each and are kept in `steps`.
EngineTimes recording_engine(std::vector<EngineTimes::Mixed>& steps) {
  EngineTimes engine = simple_engine();
  engine.mixed = [&steps](const EngineTimes::Mixed& step) -> Result<Seconds> {
    steps.push_back(step);
    return Seconds(1e-3);
  };
  return engine;
}

std::string error_of(const std::string& csv) {
  const auto requests = read_arrivals(csv, "a.csv");
  return requests ? "" : requests.error().text();
}

TEST(Arrivals, AreEqualForASeedAndHaveTheirRate) {
  const auto once = poisson_arrivals(5, 20000, 10, 3), again = poisson_arrivals(5, 20000, 10, 3);
  EXPECT_EQ(once.back().arrival, again.back().arrival);
  EXPECT_NEAR(20000 / once.back().arrival.value(), 5, 0.1);
  EXPECT_NE(poisson_arrivals(5, 10, 10, 3, 2).front().arrival, poisson_arrivals(5, 10, 10, 3, 3).front().arrival);
}

TEST(Arrivals, ABadTableIsOneLineThatSaysWhere) {
  EXPECT_EQ(error_of("arrival_s,input_tokens,output_tokens\n0,10,5\n1.5,20,1\n"), "");
  EXPECT_EQ(error_of(""), "a.csv: the file is empty");
  EXPECT_EQ(error_of("arrival_s,input_tokens\n0,10\n"), "a.csv:1: column output_tokens is missing");
  EXPECT_EQ(error_of("arrival_s,input_tokens,output_tokens\n"), "a.csv: the table has no requests");
  EXPECT_EQ(error_of("arrival_s,input_tokens,output_tokens\n2,1,1\n1,1,1\n"),
            "a.csv:3: arrival_s 1 is before that of the row above, 2");
  EXPECT_THAT(error_of("arrival_s,input_tokens,output_tokens\n-1,1,1\n"), HasSubstr("a.csv:2: arrival_s '-1' is no"));
  EXPECT_THAT(error_of("arrival_s,input_tokens,output_tokens\n0,0,1\n"), HasSubstr("input_tokens '0' is no number"));
  EXPECT_THAT(error_of("arrival_s,input_tokens,output_tokens\n0,1\n"), HasSubstr("output_tokens '' is no number"));
}

// The second comes while the first writes: its prompt holds the first up.
TEST(Server, ContinuousBatchingTakesWhoeverComes) {
  const std::vector<Request> requests = {{Seconds(0), 8, 11}, {Seconds(12.5e-3), 8, 3}};
  const ServingRun run = serve(requests, simple_engine(), {}).value();
  EXPECT_NEAR(run.requests[0].first_token.value(), 10e-3, 1e-12);
  EXPECT_NEAR(run.requests[1].first_token.value(), 23e-3, 1e-12) << "after the step that was running, its prompt";
  EXPECT_NEAR(run.requests[1].end.value(), 25e-3, 1e-12);
  EXPECT_NEAR(run.requests[0].end.value(), 30e-3, 1e-12);
  EXPECT_EQ(run.most_cache, 19 + 11);
}

// Two replicas have three requests: one of them has two.
TEST(Server, TheReplicaWithTheMostDecides) {
  std::vector<std::int64_t> prompts, steps;
  EngineTimes engine = simple_engine();
  engine.prompt = [&](std::int64_t sequences, std::int64_t tokens) -> Result<Seconds> {
    prompts = {sequences, tokens};
    return Seconds(10e-3);
  };
  engine.step = [&](std::int64_t sequences, double) -> Result<Seconds> {
    steps.push_back(sequences);
    return Seconds(1e-3);
  };
  ServerOptions options;
  options.replicas = 2, options.most_sequences = 2, options.cache_tokens = 20;
  const ServingRun run = serve(std::vector<Request>(3, {Seconds(0), 8, 3}), engine, options).value();
  EXPECT_EQ(prompts, (std::vector<std::int64_t>{2, 16}));
  EXPECT_EQ(steps.front(), 2);
  EXPECT_NEAR(run.end.value(), 12e-3, 1e-12) << "all at once, though a replica has room for 20 tokens";
}

// A step of each of two replicas reads 30 tokens: a prompt of 100 is one replica's, two are a replica's each.
TEST(Server, AReplicaReadsNoMoreThanItsBudget) {
  std::vector<EngineTimes::Mixed> steps;
  const EngineTimes engine = recording_engine(steps);
  ServerOptions options;
  options.replicas = 2, options.most_sequences = 2, options.step_tokens = 30;
  ASSERT_TRUE(serve(std::vector<Request>{{Seconds(0), 100, 1}}, engine, options));
  EXPECT_EQ(steps.front().tokens, 30);
  steps.clear();
  ASSERT_TRUE(serve(std::vector<Request>(2, {Seconds(0), 30, 1}), engine, options));
  EXPECT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps.front().tokens, 30);
  EXPECT_EQ(steps.front().sequences, 1);
}

TEST(Server, WhatIsCachedOfAPromptIsNotRead) {
  std::vector<EngineTimes::Mixed> steps;
  const EngineTimes engine = recording_engine(steps);
  ServerOptions options;
  options.cached = 0.75;
  const ServingRun run = serve(std::vector<Request>{{Seconds(0), 100, 1}}, engine, options).value();
  EXPECT_EQ(steps.front().tokens, 25);
  EXPECT_EQ(steps.front().before, 75);
  EXPECT_EQ(run.most_cache, 101);
  options.cached = 1;
  ASSERT_TRUE(serve(std::vector<Request>{{Seconds(0), 100, 1}}, engine, options));
  EXPECT_EQ(steps.back().tokens, 1) << "its last token is read again";
}

// The second comes after 12.5 ms with 100 tokens; one of the 33 of each step is the first one's.
TEST(Server, PromptsInPartsRunBesideTheAnswersOfOthers) {
  const std::vector<Request> requests = {{Seconds(0), 8, 21}, {Seconds(12.5e-3), 100, 2}};
  ServerOptions options;
  options.step_tokens = 33, options.most_sequences = 2;
  const ServingRun run = serve(requests, simple_engine(), options).value();
  EXPECT_NEAR(run.requests[0].first_token.value(), 2e-3, 1e-12);
  EXPECT_NEAR(run.requests[1].first_token.value(), 13e-3 + 4 * 2e-3, 1e-12) << "32, 32, 32 and 4 tokens";
  EXPECT_NEAR(run.requests[1].end.value(), 22e-3, 1e-12);
  EXPECT_NEAR(run.requests[0].end.value(), 26e-3, 1e-12) << "got a token in each of the four";
}

TEST(Server, PartsOfPromptsFillTheBudgetInTheOrderOfArrival) {
  std::vector<EngineTimes::Mixed> steps;
  const EngineTimes engine = recording_engine(steps);
  const std::vector<Request> requests(3, {Seconds(0), 60, 2});
  ServerOptions options;
  options.step_tokens = 100, options.most_sequences = 3;
  ASSERT_TRUE(serve(requests, engine, options));
  ASSERT_EQ(steps.size(), 2);
  EXPECT_EQ(steps[0].tokens, 100);
  EXPECT_EQ(steps[0].sequences, 2);
  EXPECT_EQ(steps[0].before, 0);
  EXPECT_EQ(steps[1].tokens, 80) << "the rest of the second and the third";
  EXPECT_EQ(steps[1].before, 20) << "40 and none";
  EXPECT_EQ(steps[1].writing, 1);
  EXPECT_EQ(steps[1].context, 61);
}

// A step at a time, the second's prompt would take 100,000 calls of the engine.
TEST(Server, StepsThatReadTheSamePromptAreJumpedOver) {
  std::size_t calls = 0;
  EngineTimes engine = simple_engine();
  engine.mixed = [&](const EngineTimes::Mixed& step) -> Result<Seconds> {
    ++calls;
    return Seconds(1e-3 * step.before);
  };
  const std::vector<Request> requests = {{Seconds(0), 1, 1'000'000}, {Seconds(0.5), 100'000, 2}};
  ServerOptions options;
  options.step_tokens = 2, options.most_sequences = 2;
  const ServingRun run = serve(requests, engine, options).value();
  EXPECT_LT(calls, 10);
  const double sum = 1e-3 * 100'000 * 99'999 / 2;
  EXPECT_NEAR(run.requests[1].first_token.value() / (0.5 + sum), 1, 1e-9) << "as a sum over all steps";
  EXPECT_NEAR(run.requests[0].end.value() - run.requests[1].first_token.value(), 1e-3 * (1'000'000 - 100'501), 0.01);
}

TEST(Server, AStepHasRoomForATokenOfEverySequence) {
  ServerOptions options;
  options.step_tokens = 255;
  EXPECT_THAT(check(options).error().text(), HasSubstr("chunk 255 is too small: 256 sequences write up to 256 tokens"));
  options.step_tokens = 256;
  EXPECT_TRUE(check(options));
  options.speculation = Speculation{.drafted = 4};
  EXPECT_THAT(serve({}, simple_engine(), options).error().text(),
              HasSubstr("write up to 1280 tokens in a step, those drafted included"));
}

// Of 20 tokens a step the first sequence takes five, which leaves 15 for the prompt of 30.
TEST(Server, DraftedTokensTakePartOfTheBudget) {
  std::vector<std::int64_t> read;
  EngineTimes engine = simple_engine();
  engine.mixed = [&](const EngineTimes::Mixed& step) -> Result<Seconds> {
    read.push_back(step.tokens);
    return Seconds(1e-3);
  };
  const std::vector<Request> requests = {{Seconds(0), 20, 100}, {Seconds(0), 30, 2}};
  ServerOptions options;
  options.step_tokens = 20, options.most_sequences = 2;
  options.speculation = Speculation{.drafted = 4, .accepted = 0};
  ASSERT_TRUE(serve(requests, engine, options));
  EXPECT_THAT(read, testing::ElementsAre(20, 15, 15)) << "the second and third are alike, and looked at once more";
}

TEST(Server, UsersSendTheNextRequestWhenTheLastIsAnswered) {
  const std::vector<Request> requests(4, {Seconds(0), 8, 3});
  ServerOptions options;
  options.users = 2;
  const ServingRun run = serve(requests, simple_engine(), options).value();
  EXPECT_NEAR(run.requests[1].end.value(), 12e-3, 1e-12);
  EXPECT_NEAR(run.requests[3].arrival.value(), 12e-3, 1e-12);
  EXPECT_NEAR(run.requests[3].end.value(), 24e-3, 1e-12);
  const ServingFigures figures = figures_of(requests, run);
  EXPECT_NEAR(figures.first_token.p90.value(), 10e-3, 1e-12);
  EXPECT_NEAR(figures.requests_per_second, 4 / 24e-3, 1e-6);
  options.users = 100;
  EXPECT_NEAR(serve(requests, simple_engine(), options).value().end.value(), 12e-3, 1e-12)
      << "fewer requests than users";
}

TEST(Server, AStaticBatchWaitsUntilItIsFull) {
  const std::vector<Request> requests = {{Seconds(0), 8, 3}, {Seconds(1), 8, 5}, {Seconds(1.5), 8, 2}};
  ServerOptions options;
  options.batching = Batching::fixed;
  options.most_sequences = 2;
  const ServingRun run = serve(requests, simple_engine(), options).value();
  EXPECT_NEAR(run.requests[0].first_token.value(), 1.010, 1e-12);
  EXPECT_NEAR(run.requests[0].end.value(), 1.012, 1e-12);
  EXPECT_NEAR(run.requests[1].end.value(), 1.014, 1e-12);
  EXPECT_NEAR(run.requests[2].first_token.value(), 1.510, 1e-12) << "nobody is left to wait for";
}

TEST(Server, TheCacheLimitsTheBatch) {
  const std::vector<Request> requests(4, {Seconds(0), 50, 50});
  ServerOptions options;
  options.cache_tokens = 250;
  const ServingRun run = serve(requests, simple_engine(), options).value();
  EXPECT_EQ(run.most_cache, 200);
  options.cache_tokens = 99;
  EXPECT_THAT(serve(requests, simple_engine(), options).error().text(),
              HasSubstr("request 1 needs 100 tokens of cache; there is room for 99"));
}

// A queue with one server, requests of a fixed time s and load r: the mean wait is r s / (2 (1 - r)) (Pollaczek and
// Khinchine).
TEST(Server, OneAtATimeIsTheQueueOfTheory) {
  constexpr double kLoad = 0.6, kTime = 10e-3;
  const auto requests = poisson_arrivals(kLoad / kTime, 200000, 1, 1);
  ServerOptions options;
  options.most_sequences = 1;
  const ServingRun run = serve(requests, simple_engine(), options).value();
  const ServingFigures figures = figures_of(requests, run);
  EXPECT_NEAR((figures.first_token.mean.value() - kTime) / (kLoad * kTime / 2 / (1 - kLoad)), 1, 0.03);
  EXPECT_NEAR(figures.busy, kLoad, 0.01);
}

TEST(Server, StepsThatAreJumpedOverAreCounted) {
  const std::vector<Request> requests = {{Seconds(0), 1, 1000001}};
  EXPECT_NEAR(serve(requests, simple_engine(), {}).value().end.value(), 10e-3 + 1000, 1e-6);
}

TEST(Server, SpeculationWritesSeveralTokensAStep) {
  EXPECT_DOUBLE_EQ(tokens_of_step({.drafted = 4, .accepted = 0}), 1);
  EXPECT_DOUBLE_EQ(tokens_of_step({.drafted = 4, .accepted = 1}), 5);
  EXPECT_DOUBLE_EQ(tokens_of_step({.drafted = 1, .accepted = 0.5}), 1.5);
  const std::vector<Request> requests = {{Seconds(0), 1, 101}};
  ServerOptions options;
  options.speculation = Speculation{.drafted = 4, .accepted = 1, .share = 0.25};
  EXPECT_NEAR(serve(requests, simple_engine(), options).value().end.value(), 10e-3 + 20 * 2e-3, 1e-9);
}

TEST(Server, TheKneeIsWhereTheBoundIsMet) {
  const LatencyBound bound = {.first_token = Seconds(50e-3), .each_token = {}};
  ServerOptions options;
  options.most_sequences = 4;
  const Knee knee = knee_of(10, 50, bound, simple_engine(), options, 2000, 1).value();
  EXPECT_GT(knee.rate, 1);
  EXPECT_LE(knee.figures.first_token.p90, *bound.first_token);
  const auto more = poisson_arrivals(knee.rate * 1.1, 2000, 10, 50);
  EXPECT_GT(figures_of(more, serve(more, simple_engine(), options).value()).first_token.p90, *bound.first_token);
  EXPECT_EQ(knee_of(10, 50, {.first_token = Seconds(1e-3), .each_token = {}}, simple_engine(), options, 50, 1)->rate,
            0);
}

TEST(Server, ABatchThatWaitsUntilItIsFullNeedsRequestsEnough) {
  const LatencyBound bound = {.first_token = Seconds(1), .each_token = {}};
  ServerOptions options;
  options.batching = Batching::fixed;
  options.most_sequences = 4;
  const auto first_at = [&](double rate) {
    const auto arrivals = poisson_arrivals(rate, 2000, 10, 50);
    return figures_of(arrivals, serve(arrivals, simple_engine(), options).value()).first_token.p90;
  };
  ASSERT_GT(first_at(1e-3), *bound.first_token);
  const Knee knee = knee_of(10, 50, bound, simple_engine(), options, 2000, 1).value();
  EXPECT_GT(knee.rate, 1);
  EXPECT_LE(first_at(knee.rate), *bound.first_token);
}

TEST(Server, NoKneeIsAboveWhatTheServerKeepsUpWith) {
  const LatencyBound bound = {.first_token = Seconds(1000), .each_token = {}};
  ServerOptions options;
  options.most_sequences = 4;
  const Knee knee = knee_of(10, 50, bound, simple_engine(), options, 2000, 1).value();
  const auto flood = poisson_arrivals(1e6, 2000, 10, 50);
  EXPECT_NEAR(knee.rate / figures_of(flood, serve(flood, simple_engine(), options).value()).requests_per_second, 1,
              1e-3);
}

TEST(Server, PoissonArrivalsHaveTheRate) {
  for (const double rate : {0.5, 3.0, 1e4}) {
    EXPECT_NEAR(2000 / poisson_arrivals(rate, 2000, 10, 50).back().arrival.value() / rate, 1, 1e-9);
  }
}

EngineSetup llama_on_an_a100() {
  return {.shape = find_transformer("llama2_7b").value().value(),
          .way = {},
          .cluster = find_gpu_cluster("dgx-a100").value(),
          .gpu = find_gpu("a100-sxm4-80gb").value(),
          .options = {.precision = DType::fp16, .execution = Execution::engine}};
}

TEST(Engine, APromptCostsWhatTheFrameworkTakesForARequest) {
  EngineSetup setup = llama_on_an_a100();
  setup.options.framework = "TensorRT-LLM 0.9";
  const Seconds request = host_costs(setup.options, setup.gpu)->request;
  EXPECT_GT(request, Seconds(1e-3));
  const ForwardRun prompt = {.batch = 1, .seq_len = 128};
  const Seconds pass = parallel_forward(setup.shape, prompt, {}, setup.cluster, setup.gpu, setup.options)->time;
  EXPECT_EQ(engine_times(setup).prompt(1, 128).value(), pass + request);
  setup.options.host = false;
  EXPECT_LT(engine_times(setup).prompt(1, 128).value(), pass + request);
}

TEST(Engine, IsThePredictionOfItsPasses) {
  EngineSetup setup = llama_on_an_a100();
  const EngineTimes times = engine_times(setup);
  const ForwardRun run = {.batch = 8, .seq_len = 1, .context = 1024};
  const Seconds exact = parallel_forward(setup.shape, run, {}, setup.cluster, setup.gpu, setup.options)->time;
  EXPECT_EQ(times.step(8, 1024).value(), exact);
  EXPECT_GT(times.step(9, 1100).value(), exact);
  // 13.5 GB of weights, half a MiB of keys and values a token.
  EXPECT_NEAR(cache_room(setup, 1).value() / ((80.0 * (1 << 30) - 13.48e9) / (2 * 32 * 4096 * 2)), 1, 0.02);
}

// The weights are read once, and 32 rows more cost the products of 512 little.
TEST(Engine, AStepThatReadsAndWritesTakesLessThanBothApart) {
  EngineSetup setup = llama_on_an_a100();
  const EngineTimes times = engine_times(setup);
  const Seconds prompt = times.prompt(1, 512).value(), step = times.step(32, 1024).value();
  const Seconds both = times.mixed({.sequences = 1, .tokens = 512, .writing = 32, .context = 1024}).value();
  EXPECT_GT(both, prompt);
  EXPECT_LT(both, prompt + step * 0.75);
  EXPECT_EQ(times.mixed({.sequences = 1, .tokens = 512}).value(), prompt);
  EXPECT_GT(times.mixed({.sequences = 1, .tokens = 512, .before = 2048}).value(), prompt) << "attends to what was read";
}

// Two stages work on prompts of different requests at once, as they do on tokens.
TEST(Engine, PromptsKeepThePipelineFull) {
  EngineSetup setup = llama_on_an_a100();
  setup.way.pp = 2;
  const Seconds full = engine_times(setup).prompt(8, 8 * 512).value();
  setup.continuous = false;
  EXPECT_NEAR(full / engine_times(setup).prompt(8, 8 * 512).value(), 2.0 / 3, 0.02);
}

// TensorRT-LLM takes a share of what the weights leave, vLLM leaves the weights their part of a share.
TEST(Engine, CachesGetTheirShareAfterTheWeightsOrWithThem) {
  EngineSetup setup = llama_on_an_a100();
  const double all = cache_room(setup, 1).value();
  EXPECT_LT(cache_room(setup, 0.9).value(), 0.89 * all);
  setup.options.framework = "TensorRT-LLM 1.0";
  EXPECT_NEAR(cache_room(setup, 0.9).value(), 0.9 * all, 1e-6 * all);
}

}  // namespace
}  // namespace rooftile
