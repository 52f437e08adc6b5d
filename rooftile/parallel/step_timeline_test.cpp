#include "rooftile/parallel/step_timeline.hpp"

#include <map>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/parallel/parallel_network.hpp"
#include "rooftile/parallel/parallel_step.hpp"

namespace rooftile {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

class StepTimelineTest : public ::testing::Test {
 protected:
  StepTimelineTest() {
    options.predict.precision = DType::bf16;
    options.predict.training = true;
    options.style = style_of("");
  }

  NetworkBlocks blocks(BlockDetail detail) const {
    const ParallelNetwork network = parallel_network({.model = "gpt2", .batch = {}, .seq_len = {}}).value();
    return blocks_of(network, way, gpu, options.predict, detail).value();
  }

  StepTimeline timeline(BlockDetail detail = BlockDetail::kernels) const {
    StepTimeline made;
    const NetworkBlocks of = blocks(detail);
    EXPECT_TRUE(parallel_step(of, way, cluster, gpu, options, &made).has_value());
    return made;
  }

  Parallelism way;
  GpuCluster cluster = find_gpu_cluster("dgx-a100").value();
  Gpu gpu = find_gpu("a100-sxm4-80gb").value();
  ParallelOptions options;
};

TEST_F(StepTimelineTest, KernelsOfABlockAddUpToIt) {
  way.tp = 2, way.sequence_parallel = true, way.recompute = Recompute::full;
  const NetworkBlocks with = blocks(BlockDetail::kernels), without = blocks(BlockDetail::times);
  for (std::size_t i = 0; i < with.kinds.size(); ++i) {
    EXPECT_THAT(without.kinds[i].forward.kernels, SizeIs(0));
    for (const BlockPass* pass : {&with.kinds[i].forward, &with.kinds[i].backward}) {
      Seconds time;
      Flops flops;
      for (const PassKernel& kernel : pass->kernels) time += kernel.time, flops += kernel.flops;
      EXPECT_NEAR(time / pass->computing, 1, 1e-9) << with.kinds[i].name;
      EXPECT_LE(flops / pass->flops, 1 + 1e-9) << with.kinds[i].name;
      // The gradient of a sum counts, and no kernel runs.
      EXPECT_NEAR(flops / pass->flops, 1, i == 0 ? 0.5 : 1e-3) << with.kinds[i].name;
    }
    EXPECT_EQ(with.kinds[i].forward.computing, without.kinds[i].forward.computing);
  }
}

// Pieces fill a pass, unless the host holds them up; either way they follow one another inside it.
TEST_F(StepTimelineTest, PiecesLieInTheirPass) {
  way.tp = 2, way.pp = 2, way.dp = 2, way.micro_batches = 4, way.micro_batch = 4;
  for (const BlockDetail detail : {BlockDetail::kernels, BlockDetail::times}) {
    const StepTimeline made = timeline(detail);
    std::map<std::tuple<int, int, bool>, std::size_t>
        exchanges;  // of each pass, whose tasks the exchange of gradients cuts
    for (std::size_t i = 0; i < made.tasks.size(); ++i) {
      const auto pieces = pieces_of(made, i);
      const StepTask& what = made.what[i];
      const bool pass = what.kind == StepTask::Kind::forward || what.kind == StepTask::Kind::backward;
      if (!pass) {
        EXPECT_THAT(pieces, SizeIs(what.kind == StepTask::Kind::update ? 1 : 0));
        continue;
      }
      Seconds at = made.times.start[i];
      Flops flops;
      for (const PlacedPiece& piece : pieces) {
        EXPECT_GE(piece.start.value(), at.value() - 1e-12);
        at = piece.start + piece.time;
        exchanges[{what.chunk, what.micro_batch, what.backward}] += piece.piece.exchange.has_value();
        if (piece.piece.kernel.name != "gradients/add") flops += piece.piece.kernel.flops;
      }
      EXPECT_LE(at.value(), made.times.end[i].value() + 1e-12);
      EXPECT_NEAR(flops / what.flops, 1, 2e-3);
    }
    EXPECT_THAT(exchanges, SizeIs(16));
    for (const auto& [pass, count] : exchanges) EXPECT_GE(count, 2U * 6U);  // two a layer
  }
}

TEST_F(StepTimelineTest, ExpertsAreExchangedAmongThoseThatHaveThem) {
  way.dp = 8, way.ep = 4, way.micro_batch = 1;
  options.style.overlapped = false;
  const ParallelNetwork network = parallel_network({.model = "mixtral_8x7b", .batch = {}, .seq_len = {}}).value();
  const NetworkBlocks of = blocks_of(network, way, gpu, options.predict, BlockDetail::kernels).value();
  StepTimeline made;
  ASSERT_TRUE(parallel_step(of, way, cluster, gpu, options, &made).has_value());
  std::map<RankGroup, double> bytes;
  for (const StepTask& task : made.what) {
    if (task.kind == StepTask::Kind::reduce) bytes[task.exchange->among] += task.bytes.value();
  }
  EXPECT_NEAR(bytes[RankGroup::expert_replicas] / bytes[RankGroup::replicas], of.weights.experts / of.weights.shared,
              1e-9);
}

TEST_F(StepTimelineTest, RanksAreNumberedAsMegatronDoes) {
  way.tp = 2, way.cp = 2, way.dp = 4, way.pp = 3, way.ep = 2;
  EXPECT_THAT(ranks_of(way, RankGroup::tensor, 21), ElementsAre(20, 21));
  EXPECT_THAT(ranks_of(way, RankGroup::context, 21), ElementsAre(21, 23));
  EXPECT_THAT(ranks_of(way, RankGroup::expert, 27), ElementsAre(25, 27));
  EXPECT_THAT(ranks_of(way, RankGroup::replicas, 3), ElementsAre(1, 3, 5, 7, 9, 11, 13, 15));
  EXPECT_THAT(ranks_of(way, RankGroup::expert_replicas, 27), ElementsAre(19, 23, 27, 31));
  EXPECT_THAT(ranks_of(way, RankGroup::ends, 37), ElementsAre(5, 37));
  EXPECT_EQ(ranks_of_stage(way), 16);
  way.etp = 1, way.ep = 8;  // whole experts, on neighbours
  EXPECT_THAT(ranks_of(way, RankGroup::expert, 27), ElementsAre(24, 25, 26, 27, 28, 29, 30, 31));
  EXPECT_THAT(ranks_of(way, RankGroup::expert_replicas, 27), ElementsAre(19, 27));
}

}  // namespace
}  // namespace rooftile
