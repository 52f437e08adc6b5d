#include "rooftile/parallel/served_layers.hpp"

#include <gtest/gtest.h>

#include "rooftile/collectives/collective_time.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/ingest/transformer_model.hpp"

namespace rooftile {
namespace {

// 94 layers of 128 experts 1,536 wide, of which a position picks 8; 64 heads, 4 of keys and values; 4,096 features.
Transformer qwen() { return find_transformer("qwen3_235b_a22b").value().value(); }

Parallelism way_of(int tp, int dp, int ep, Dispatcher dispatcher = Dispatcher::gather) {
  Parallelism way;
  way.tp = tp, way.dp = dp, way.ep = ep, way.dispatcher = dispatcher;
  return way;
}

TEST(ServedLayers, ReplicasHaveAllHeadsAndShareTheExperts) {
  const Transformer part = served_slice(qwen(), way_of(1, 8, 8)).value();
  EXPECT_EQ(part.heads, 64);
  EXPECT_EQ(part.experts, 16);
  EXPECT_EQ(part.expert_ffn, 1536);
}

// Eight GPUs multiply as many features as eight positions pick, however they share them.
TEST(ServedLayers, AllPicksAreComputedOnce) {
  for (const Parallelism& way : {way_of(8, 1, 1), way_of(8, 1, 8), way_of(8, 1, 2), way_of(1, 8, 8), way_of(1, 8, 1),
                                 way_of(2, 4, 8), way_of(2, 4, 1), way_of(4, 2, 4)}) {
    const Transformer part = served_slice(qwen(), way).value();
    const double positions = 8.0 / way.dp;  // of a replica
    const double picks =
        positions * 8 * static_cast<double>(part.routed_together) / static_cast<double>(part.routed_apart);
    EXPECT_EQ(picks * static_cast<double>(part.expert_ffn) * 8, 8.0 * 8 * 1536) << print(way);
    EXPECT_EQ(part.experts * part.expert_ffn * 8, 128 * 1536) << print(way);
  }
}

TEST(ServedLayers, DegreesThatDoNotDivideAreOneLine) {
  EXPECT_EQ(served_slice(qwen(), way_of(1, 8, 3)).error().text(),
            "qwen3_235b_a22b: ep 3 does not divide the 8 GPUs of a stage");
  EXPECT_EQ(served_slice(qwen(), way_of(1, 1, 8)).error().text(),
            "qwen3_235b_a22b: ep 8 does not divide the one GPU of a stage");
  EXPECT_EQ(served_slice(qwen(), way_of(1, 5, 1)).error().text(),
            "qwen3_235b_a22b: 5 GPUs that share each expert (tp x dp / ep) do not divide its 1536 features");
  EXPECT_EQ(served_slice(find_transformer("llama2_7b").value().value(), way_of(2, 1, 2)).error().text(),
            "llama2_7b: has no experts for ep");
}

Seconds exchanged(const Parallelism& way, const char* framework, DType precision, double positions = 256) {
  PredictOptions options;
  options.framework = framework, options.precision = precision;
  return exchange_time(qwen(), positions, way, find_gpu_cluster("hgx-h200").value(), find_gpu("h200-sxm-141gb").value(),
                       options);
}

TEST(ServedLayers, PositionsOfAllReplicasAreGatheredAndTheirSumsScattered) {
  const Gpu gpu = find_gpu("h200-sxm-141gb").value();
  const Group all = group_of(find_gpu_cluster("hgx-h200").value(), 8, 1);
  const Bytes states(8.0 * 256 * 4096 * 2);
  const auto time = [&](CollectiveKind kind, Bytes bytes) {
    return collective_time({kind, 8, bytes, DType::fp16}, gpu, all).time;
  };
  const Seconds back = time(CollectiveKind::reduce_scatter, states);
  EXPECT_NEAR(exchanged(way_of(1, 8, 8), "vLLM", DType::fp8).value(),
              94 * (time(CollectiveKind::all_gather, states) + back).value(), 1e-9);
  EXPECT_NEAR(exchanged(way_of(1, 8, 8), "TensorRT-LLM", DType::fp8).value(),
              94 * (time(CollectiveKind::all_gather, states / 2) + back).value(), 1e-9)
      << "which sends FP8";
}

// A position goes to five or six of eight GPUs, not to all; with 8 copies through NCCL it goes out 8 times.
TEST(ServedLayers, DeepEpSendsAPositionOnceToEachGpu) {
  const auto of = [](Dispatcher dispatcher) {
    return exchanged(way_of(1, 8, 8, dispatcher), "vLLM", DType::bf16, 8192).value();
  };
  EXPECT_LT(of(Dispatcher::deepep), of(Dispatcher::nccl));
  EXPECT_LT(of(Dispatcher::deepep), of(Dispatcher::gather));
}

}  // namespace
}  // namespace rooftile
