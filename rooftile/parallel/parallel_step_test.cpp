#include "rooftile/parallel/parallel_step.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/ingest/transformer_model.hpp"
#include "rooftile/parallel/parallel_network.hpp"
#include "rooftile/parallel/search.hpp"
#include "rooftile/parallel/transformer_slice.hpp"

namespace rooftile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ParallelStepTest : public ::testing::Test {
 protected:
  ParallelStepTest() {
    options.predict.precision = DType::bf16;
    options.predict.training = true;
    options.predict.optimizer = Optimizer::adamw;
    options.style = style_of("");
  }

  NetworkBlocks blocks(const Parallelism& way, const std::string& model = "gpt2_xl") const {
    return blocks_of(parallel_network({.model = model, .batch = {}, .seq_len = {}}).value(), way, gpu, options.predict)
        .value();
  }

  ParallelStep step(const Parallelism& way, const std::string& model = "gpt2_xl") const {
    return parallel_step(blocks(way, model), way, cluster, gpu, options).value();
  }

  GpuCluster cluster = find_gpu_cluster("dgx-a100").value();
  Gpu gpu = find_gpu("a100-sxm4-80gb").value();
  ParallelOptions options;
};

// Their sequences are packed to one length; what routers pick is not even.
TEST_F(ParallelStepTest, OnlyReplicasOfDenseDecodersAreEven) {
  EXPECT_TRUE(blocks({}).even);
  EXPECT_FALSE(blocks({}, "bert_large").even);
  EXPECT_FALSE(blocks({}, "mixtral_8x7b").even);
}

TEST_F(ParallelStepTest, ASlowGpuHoldsUpAllThatWaitForIt) {
  options.predict.host = false;  // which would hide it
  Parallelism way;
  way.pp = 4, way.dp = 2, way.micro_batches = 16;
  const ParallelStep even = step(way);
  options.slow = {{.rank = 3, .speed = 0.5}};  // of the second stage's two GPUs the second replica's
  const ParallelStep slow = step(way);
  EXPECT_GT(slow.time / even.time, 1.3) << "the other stages wait for it";
  EXPECT_LT(slow.time / even.time, 1.9) << "the last one has the head and had most to do before";
  EXPECT_GT(slow.parts.computing, even.parts.computing) << "the slow stage is the one that computes the most";
  options.slow.push_back({.rank = 4, .speed = 0.9});
  EXPECT_EQ(step(way).time, slow.time) << "another replica, whose pipeline is faster";
  options.slow.back().rank = 5;
  EXPECT_GT(step(way).time, slow.time) << "the same replica's third stage";
  options.slow = {{.rank = 8, .speed = 0.5}};
  EXPECT_EQ(parallel_step(blocks(way), way, cluster, gpu, options).error().text(), "there is no GPU 8 of 8");
}

// Rank 0 is of the first stage's first replica, rank 5 of the second stage's second one.
TEST_F(ParallelStepTest, ReplicasThatShareExpertsWaitForEachOtherInEveryLayer) {
  options.predict.host = false;
  const auto slower_by = [&](int ep, std::vector<SlowGpu> slow) {
    Parallelism way;
    way.pp = 2, way.dp = 4, way.ep = ep, way.micro_batches = 4;
    options.slow = std::move(slow);
    const Seconds time = step(way, "mixtral_8x7b").time;
    options.slow = {};
    return time / step(way, "mixtral_8x7b").time;
  };
  const SlowGpu first{.rank = 0, .speed = 0.5}, second{.rank = 5, .speed = 0.5}, third{.rank = 6, .speed = 0.5};
  EXPECT_EQ(slower_by(1, {first, second}), std::max(slower_by(1, {first}), slower_by(1, {second})));
  EXPECT_GT(slower_by(2, {first, second}), 1.05 * std::max(slower_by(2, {first}), slower_by(2, {second})));
  EXPECT_EQ(slower_by(2, {first, third}), std::max(slower_by(2, {first}), slower_by(2, {third})))
      << "of replicas with experts of their own";
}

TEST_F(ParallelStepTest, MegatronLmMasksInItsSoftmax) {
  const Parallelism way;
  const auto computing = [&](const char* framework) {
    options.predict.framework = framework;
    options.style = style_of(framework);
    return step(way).parts.computing;
  };
  EXPECT_LT(computing("Megatron-LM 2.5"), computing("Megatron-DeepSpeed"));
}

// Megatron Core fuses SwiGLU and GeGLU; of other activations and of other frameworks there is none.
TEST_F(ParallelStepTest, MegatronCoreComputesGatesInOneKernel) {
  const auto kernels = [&](const char* model, const char* activation, const char* framework, const char* name) {
    Transformer shape = find_transformer(model).value().value();
    shape.activation = activation, shape.layers = 2, shape.dense_layers = 0;
    PredictOptions predict = options.predict;
    predict.framework = framework;
    const NetworkBlocks made = transformer_blocks(shape, 128, {}, gpu, predict, BlockDetail::kernels).value();
    const auto& forward = made.kinds[1].forward.kernels;
    return std::count_if(forward.begin(), forward.end(),
                         [&](const PassKernel& kernel) { return kernel.name.find(name) != std::string::npos; });
  };
  for (const char* activation : {"silu", "gelu"}) {
    EXPECT_EQ(kernels("llama2_7b", activation, "Megatron Core", "gated"), 1) << activation;
    EXPECT_EQ(kernels("llama2_7b", activation, "Megatron Core", activation), 0) << activation;
    EXPECT_EQ(kernels("llama2_7b", activation, "NeMo Automodel", activation), 1) << activation;
  }
  EXPECT_EQ(kernels("llama2_7b", "relu", "Megatron Core", "mlp/relu"), 1);
  EXPECT_EQ(kernels("llama2_7b", "quick_gelu", "Megatron Core", "sigmoid"), 1);
  EXPECT_EQ(kernels("deepseek_v2_lite", "silu", "Megatron Core", "gated"), 2)
      << "of its experts, and of those it shares";
}

TEST_F(ParallelStepTest, ASliceHasItsShareOfTheWeights) {
  Parallelism way;
  const double whole = blocks(way).weights.all();
  way.tp = 5;
  const double part = blocks(way).weights.all();
  EXPECT_GT(part, whole / 5);  // norms and positions are whole
  EXPECT_LT(part, whole / 5 * 1.02);
}

TEST_F(ParallelStepTest, OneGpuTakesTheTimeOfItsPrediction) {
  Parallelism way;
  way.micro_batch = 4;
  const Workload workload = load_model("gpt2_xl", {.batch_size = 4}).value();
  PredictOptions one = options.predict;
  one.host = false;
  const Prediction prediction = predict(workload, gpu, one, Phase::step).value();
  const ParallelStep alone = step(way);
  EXPECT_NEAR((alone.parts.computing / (prediction.phases->forward + prediction.phases->backward)), 1, 0.01);
}

TEST_F(ParallelStepTest, PartsAddUpToTheStep) {
  for (const auto& [tp, pp, dp] : {std::tuple{1, 1, 8}, {5, 1, 1}, {1, 4, 2}, {5, 2, 4}}) {
    Parallelism way;
    way.tp = tp, way.pp = pp, way.dp = dp, way.micro_batches = 8;
    const ParallelStep one = step(way);
    const StepParts& parts = one.parts;
    const Seconds sum =
        parts.computing + parts.issuing + parts.exchanges + parts.pipeline + parts.gradients + parts.update;
    EXPECT_NEAR(sum / one.time, 1, 1e-9) << print(way);
    ASSERT_TRUE(one.range);
    EXPECT_LT(one.range->low, one.time);
    EXPECT_GT(one.range->high, one.time);
  }
}

// The bubble of p stages and m micro-batches is (p - 1) / m of what each stage computes (Narayanan et al., SC21,
// section 2.2.1), and 1 / v of that with v parts a stage. The head makes the last stage a little longer.
TEST_F(ParallelStepTest, ThePipelineHasItsBubble) {
  Parallelism way;
  way.pp = 4, way.micro_batches = 16;
  const ParallelStep plain = step(way, "llama_65b");
  const double bubble = plain.parts.pipeline / plain.parts.computing;
  EXPECT_NEAR(bubble, 3.0 / 16, 0.03);
  way.vp = 5;
  EXPECT_LT(step(way, "llama_65b").parts.pipeline, plain.parts.pipeline * 0.6);
}

// Stages of one GPU: eight to a node, so that one of 15 boundaries is on the network.
TEST_F(ParallelStepTest, StagesOfTwoNodesMeetOverTheNetwork) {
  Parallelism way;
  way.pp = 8, way.micro_batches = 16;
  const Seconds in_a_node = step(way).time;
  cluster.network = cluster.network / 1000.0;
  EXPECT_EQ(step(way).time, in_a_node);
  way.pp = 16;
  const Seconds slow = step(way).time;
  cluster.network = cluster.network * 1000.0;
  EXPECT_GT(slow, step(way).time * 2);
}

// Micro-batches beyond the first rounds are not simulated one by one.
TEST_F(ParallelStepTest, SteadyRoundsAreThoseOfTheWholeSimulation) {
  for (const int pp : {1, 2, 4}) {
    Parallelism way;
    way.pp = pp, way.dp = 2, way.micro_batches = 41;
    const NetworkBlocks known = blocks(way);
    StepTimeline timeline;
    const ParallelStep whole = parallel_step(known, way, cluster, gpu, options, &timeline).value();
    const ParallelStep quick = parallel_step(known, way, cluster, gpu, options).value();
    EXPECT_NEAR(quick.time / whole.time, 1, 1e-6) << pp;
    EXPECT_EQ(timeline.times.last, whole.time);
    EXPECT_EQ(timeline.what.size(), timeline.tasks.size());
  }
}

TEST_F(ParallelStepTest, GradientsAreHiddenWhereTheyCanBe) {
  Parallelism way;
  way.dp = 8;
  const ParallelStep overlapped = step(way);
  options.style.overlapped = false;
  const ParallelStep apart = step(way);
  EXPECT_LT(overlapped.parts.gradients, apart.parts.gradients * 0.5);
}

TEST_F(ParallelStepTest, ShardsNeedLessMemory) {
  Parallelism way;
  way.dp = 8;
  Bytes before(1e18);
  for (const std::string& name : sharding_names()) {
    way.sharding = *parse_sharding(name);
    const Bytes memory = step(way).memory.total();
    EXPECT_LT(memory, before) << name;
    before = memory;
  }
}

// 16 bytes of a weight: BF16 weight and gradient, FP32 copy and Adam's two moments (Rajbhandari et al., section 3.1).
TEST_F(ParallelStepTest, MemoryIsSixteenBytesAWeightAndActivations) {
  Parallelism way;
  const NetworkBlocks known = blocks(way);
  const RankMemory memory = rank_memory(known, way, options.predict);
  EXPECT_NEAR((memory.weights + memory.gradients + memory.optimizer).value() / known.weights.all(), 16, 1e-6);
}

// FSDP holds whole what it works on: three blocks' weights, and the gradients of one.
TEST_F(ParallelStepTest, ShardedWeightsAreGathered) {
  Parallelism way;
  way.dp = 4096;
  way.sharding = Sharding::all;
  const NetworkBlocks known = blocks(way, "llama2_70b");
  const RankMemory memory = rank_memory(known, way, options.predict);
  const double layer = known.kinds[1].weights.all();
  EXPECT_GT(memory.weights, known.weight * (3 * layer));
  EXPECT_LT(memory.weights, known.weight * (3.1 * layer));
  EXPECT_GT(memory.gradients, known.gradient * layer);
}

// Wherever the experts are, the positions that they compute are as many, and each weight is on some GPU.
TEST_F(ParallelStepTest, ExpertsMayBeAnywhere) {
  constexpr double kBytesOfAWeight = 16;
  Parallelism way;
  way.dp = 8, way.micro_batch = 1, way.sharding = Sharding::optimizer;
  const NetworkBlocks together = blocks(way, "mixtral_8x7b");
  const ParallelStep alone = parallel_step(together, way, cluster, gpu, options).value();
  for (const int ep : {2, 4, 8}) {
    way.ep = ep;
    const NetworkBlocks spread = blocks(way, "mixtral_8x7b");
    const ParallelStep one = parallel_step(spread, way, cluster, gpu, options).value();
    EXPECT_NEAR(one.flops / alone.flops, 1, 1e-3) << ep;
    EXPECT_NEAR(spread.weights.experts * ep / together.weights.experts, 1, 1e-9) << ep;
    const Bytes states = one.memory.weights + one.memory.gradients + one.memory.optimizer;
    EXPECT_GT((states * way.dp).value(), kBytesOfAWeight * together.weights.all() * 0.99) << ep;
    EXPECT_LT(one.memory.weights, alone.memory.weights) << ep;
  }
}

// Tensor parallel GPUs share each expert's matrices, or each has whole experts and takes its own positions to them.
TEST_F(ParallelStepTest, TensorParallelGpusMayHaveWholeExperts) {
  Parallelism way;
  way.tp = 2, way.dp = 4, way.ep = 4, way.sequence_parallel = true, way.sharding = Sharding::optimizer;
  const NetworkBlocks divided = blocks(way, "mixtral_8x7b");
  const ParallelStep first = parallel_step(divided, way, cluster, gpu, options).value();
  way.etp = 1, way.ep = 8;  // more than dp
  const NetworkBlocks whole = blocks(way, "mixtral_8x7b");
  const ParallelStep second = parallel_step(whole, way, cluster, gpu, options).value();
  EXPECT_NEAR(whole.weights.experts / divided.weights.experts, 1, 1e-9) << "an eighth of them";
  EXPECT_NEAR(second.flops / first.flops, 1, 1e-3);
  EXPECT_NEAR(second.memory.total() / first.memory.total(), 1, 0.05);
  const auto count = [](const NetworkBlocks& made, ParallelAxis axis) {
    const auto& all = made.kinds[1].forward.exchanges;
    return std::count_if(all.begin(), all.end(), [&](const BlockExchange& one) { return one.axis == axis; });
  };
  EXPECT_EQ(count(divided, ParallelAxis::tensor), 4) << "after attention and after the MLP";
  EXPECT_EQ(count(whole, ParallelAxis::tensor), 2);
  EXPECT_EQ(count(whole, ParallelAxis::expert), 2);
}

// As MoEAllGatherTokenDispatcher does, whose permutation by expert is that of a single GPU.
TEST_F(ParallelStepTest, PositionsThatAreGatheredComeSortedByExpert) {
  options.predict.framework = "Megatron Core";
  Parallelism way;
  way.dp = 4, way.ep = 4, way.sharding = Sharding::optimizer;
  const auto experts = [&](Dispatcher dispatcher) {
    way.dispatcher = dispatcher;
    return blocks(way, "mixtral_8x7b").kinds[1];
  };
  const auto kinds = [](const BlockPass& pass) {
    std::vector<CollectiveKind> found;
    for (const BlockExchange& one : pass.exchanges) {
      if (one.axis == ParallelAxis::expert) found.push_back(one.kind);
    }
    return found;
  };
  const Block sent = experts(Dispatcher::nccl), gathered = experts(Dispatcher::gather);
  EXPECT_THAT(kinds(sent.forward), ElementsAre(CollectiveKind::all_to_all, CollectiveKind::all_to_all));
  for (const BlockPass* pass : {&gathered.forward, &gathered.backward}) {
    EXPECT_THAT(kinds(*pass), ElementsAre(CollectiveKind::all_gather, CollectiveKind::reduce_scatter));
  }
  EXPECT_LT(gathered.forward.computing, sent.forward.computing);
  EXPECT_LT(gathered.backward.computing, sent.backward.computing);
}

// Eight experts on two GPUs each of four nodes: DeepEP sends a position to a node once.
TEST_F(ParallelStepTest, DeepEpSendsAPositionToANodeOnce) {
  Parallelism way;
  way.dp = 64, way.ep = 64, way.sharding = Sharding::optimizer;
  const auto exchanges = [&](Dispatcher dispatcher) {
    way.dispatcher = dispatcher;
    return step(way, "deepseek_v3").parts.exchanges;
  };
  const double nodes = 8, picked = 8;
  const double once = (nodes - 1) * (1 - std::pow(1 - 1 / nodes, picked)), always = (nodes - 1) / nodes * picked;
  EXPECT_NEAR(exchanges(Dispatcher::deepep) / exchanges(Dispatcher::nccl), once / always, 0.05);
}

// A batch of a billion has 100 divisors, which are not looked for one by one.
TEST_F(ParallelStepTest, HugeBatchesTakeNoTime) {
  constexpr std::int64_t kHuge = 1'000'000'000;
  const auto network = parallel_network({.model = "llama2_7b", .batch = {}, .seq_len = {}}).value();
  WaysAsked asked;
  asked.tp = {1}, asked.cp = {1}, asked.pp = {1}, asked.sharding = {Sharding::none};
  std::set<std::int64_t> micro_batches;
  for (const Parallelism& way : ways_of(network, cluster, 8, kHuge, asked)) {
    EXPECT_EQ(way.dp * way.micro_batch * way.micro_batches, kHuge);
    micro_batches.insert(way.micro_batch);
  }
  // 2^6 5^9 a GPU; not those that would leave more than 2^20 micro-batches.
  EXPECT_EQ(*micro_batches.rbegin(), kHuge / 8);
  EXPECT_EQ(micro_batches.count(kHuge / 8 / 1'000'000), 1U);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(ways_of(network, cluster, 1024, kHuge, {}).empty());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));  // it was over a minute
}

// 126 layers over 16 stages: fourteen have eight, and two have seven.
TEST_F(ParallelStepTest, StagesNeedNotDivideTheLayers) {
  WaysAsked asked;
  asked.pp = {16}, asked.tp = {8}, asked.recompute = {Recompute::full};
  const auto network = parallel_network({.model = "llama3.1_405b", .batch = {}, .seq_len = {}}).value();
  const std::vector<Parallelism> ways = ways_of(network, cluster, 128, 64, asked);
  ASSERT_FALSE(ways.empty());
  const ParallelStep uneven = step(ways.front(), "llama3.1_405b");
  EXPECT_GT(uneven.parts.pipeline, Seconds(0));
  Parallelism whole = ways.front();
  whole.pp = 14, whole.vp = 1;
  const ParallelStep even = step(whole, "llama3.1_405b");
  // Of the fullest stage; the last has the head, too, and one layer fewer here.
  const double ratio = uneven.parts.computing / even.parts.computing;
  EXPECT_LT(ratio, 8.0 / 9 + 0.01);
  EXPECT_GT(ratio, 7.0 / 9);
}

TEST_F(ParallelStepTest, LayersThatSeeAWindowAreOfAKindOfTheirOwn) {
  const auto network = parallel_network({.model = "gemma3_1b", .batch = {}, .seq_len = 8192}).value();
  const NetworkBlocks all = blocks_of(network, Parallelism{}, gpu, options.predict).value();
  ASSERT_EQ(all.kinds.size(), 4U);  // embedding, two kinds of layers, head
  EXPECT_EQ(std::count(all.order.begin(), all.order.end(), 2U), 4) << "every sixth of 26";
  EXPECT_GT(all.kinds[2].forward.computing, all.kinds[1].forward.computing);
}

// 126 layers, the embedding and the head are 128 parts (arXiv:2407.21783, section 3.3.2).
TEST_F(ParallelStepTest, TheEmbeddingAndTheHeadCountAsLayersWhereThatDividesThem) {
  Parallelism way;
  way.tp = 8, way.pp = 16, way.vp = 8, way.micro_batches = 16;
  const auto network = parallel_network({.model = "llama3.1_405b", .batch = {}, .seq_len = {}}).value();
  const auto made = blocks_of(network, way, gpu, options.predict);
  ASSERT_TRUE(made);
  const auto finest = parallel_step(*made, way, cluster, gpu, options);
  way.vp = 4;
  const auto coarser = parallel_step(*made, way, cluster, gpu, options);
  ASSERT_TRUE(finest && coarser);
  EXPECT_LT(finest->parts.pipeline, coarser->parts.pipeline);
  way.vp = 9;
  EXPECT_THAT(blocks_of(network, way, gpu, options.predict).error().text(),
              HasSubstr("144 pipeline stages for 126 layers"));
}

TEST_F(ParallelStepTest, OperatorsThatRunAgainTakeLongerThanNoneAndLessThanAll) {
  Parallelism way;
  way.micro_batch = 2;
  const ParallelStep none = step(way, "llama3_8b");
  way.recompute = Recompute::operators;
  const ParallelStep operators = step(way, "llama3_8b");
  way.recompute = Recompute::full;
  const ParallelStep full = step(way, "llama3_8b");
  EXPECT_GT(operators.parts.computing, none.parts.computing);
  EXPECT_LT(operators.parts.computing, full.parts.computing);
  EXPECT_LT(operators.memory.activations, none.memory.activations);
  EXPECT_NEAR(operators.flops / none.flops, 1, 1e-9) << "what runs again is no work of the model";
}

// Each tensor parallel GPU has its part of the sequence.
TEST_F(ParallelStepTest, PositionsGoToTheExpertsOnce) {
  const auto network = parallel_network({.model = "mixtral_8x7b", .batch = {}, .seq_len = {}}).value();
  Parallelism way;
  way.tp = 2, way.dp = 4, way.ep = 4;
  const auto sent = [&] {
    Bytes all;
    const auto made = blocks_of(network, way, gpu, options.predict);
    EXPECT_TRUE(made);
    for (const BlockExchange& one : made->kinds[1].forward.exchanges) {
      if (one.kind == CollectiveKind::all_to_all) all += one.bytes;
    }
    return all;
  };
  const Bytes whole = sent();
  way.sequence_parallel = true;
  EXPECT_GT(whole, Bytes(0));
  EXPECT_EQ(sent(), whole / 2);
}

TEST_F(ParallelStepTest, WhatCannotBeIsOneLine) {
  Parallelism way;
  way.tp = 3;
  const auto network = parallel_network({.model = "gpt2_xl", .batch = {}, .seq_len = {}}).value();
  const auto indivisible = blocks_of(network, way, gpu, options.predict);
  EXPECT_EQ(indivisible.error().text(), "gpt2_xl: tp 3 does not divide 25 heads");
  const auto convolutions = parallel_network({.model = "resnet50", .batch = {}, .seq_len = {}}).value();
  way.tp = 2;
  EXPECT_THAT(blocks_of(convolutions, way, gpu, options.predict).error().text(), HasSubstr("only data parallel"));
  way = {}, way.dp = 100000;
  EXPECT_THAT(parallel_step(blocks(way), way, cluster, gpu, options).error().text(),
              HasSubstr("more than the 4480 of dgx-a100"));
}

TEST_F(ParallelStepTest, ASearchTriesAllAndSortsThem) {
  const auto network = parallel_network({.model = "gpt2_xl", .batch = {}, .seq_len = {}}).value();
  const std::vector<Parallelism> ways = ways_of(network, cluster, 16, 64, {});
  ASSERT_GT(ways.size(), 50U);
  for (const Parallelism& way : ways) {
    EXPECT_EQ(way.gpus(), 16);
    EXPECT_EQ(way.batch(), 64);
  }
  SearchOptions search;
  search.parallel = options;
  search.memory_share = 0.2;
  search.threads = 2;
  const std::vector<WayTried> tried = search_ways(network, ways, cluster, gpu, search);
  ASSERT_EQ(tried.size(), ways.size());
  EXPECT_EQ(tried.front().fate, WayFate::fits);
  EXPECT_EQ(tried.back().fate, WayFate::too_large);
  for (std::size_t i = 1; i < tried.size() && tried[i].fate == WayFate::fits; ++i) {
    EXPECT_LE(tried[i - 1].step.time, tried[i].step.time);
  }
  const std::vector<std::size_t> front = front_of(tried);
  for (std::size_t i = 1; i < front.size(); ++i) {
    EXPECT_LT(tried[front[i]].step.memory.total(), tried[front[i - 1]].step.memory.total());
  }
}

// Gradients leave the GPU with their optimizer's state; 16 bytes a weight become 2 and what is on its way.
TEST_F(ParallelStepTest, TheHostKeepsWhatIsOffloaded) {
  Parallelism way;
  way.micro_batch = 4;
  const ParallelStep all = step(way);
  way.offload = Offload::optimizer;
  const ParallelStep optimizer = step(way);
  EXPECT_EQ(optimizer.memory.optimizer, Bytes(0));
  EXPECT_LT(optimizer.memory.gradients, all.memory.gradients / 4);
  EXPECT_EQ(optimizer.memory.activations, all.memory.activations);
  EXPECT_GT(optimizer.time, all.time);
  way.offload = Offload::activations;
  const ParallelStep activations = step(way);
  EXPECT_EQ(activations.memory.optimizer, all.memory.optimizer);
  EXPECT_LT(activations.memory.activations, all.memory.activations / 4);
  way.offload = Offload::all;
  EXPECT_LT(step(way).memory.total(), activations.memory.total());
}

// 1,557,611,200 weights: the host reads and writes weight and two moments of 4 bytes, reads a gradient of 2 and writes
// a weight of 2: 28 bytes each, at 0.8 of 409.6 GB/s between eight GPUs.
TEST_F(ParallelStepTest, TheHostUpdatesAtTheBandwidthOfItsMemory) {
  Parallelism way;
  way.offload = Offload::optimizer;
  const ParallelStep one = step(way);
  EXPECT_NEAR(one.parts.update.value(), blocks(way).weights.all() * 28 / (0.8 * 409.6e9 / 8), 1e-3);
  cluster.host_memory = {};
  const auto refused = parallel_step(blocks(way), way, cluster, gpu, options);
  EXPECT_EQ(refused.error().message,
            "offload optimizer needs host_memory and host_link of dgx-a100, which its file does not give");
}

}  // namespace
}  // namespace rooftile
