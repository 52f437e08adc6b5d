#include "rooftile/measure/counters.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rooftile::measure {
namespace {

using profile::KernelProfile;
using profile::MetricSet;
using testing::HasSubstr;

KernelProfile marker(std::int64_t x) {
  KernelProfile kernel;
  kernel.name = "rooftile_case()";
  kernel.grid = {x, 1, 1};
  return kernel;
}

// A kernel of a GPU of compute capability 7.0 that loads and stores so many bytes at each level.
KernelProfile kernel(const std::string& name, double dram, double sectors) {
  KernelProfile made;
  made.name = name;
  made.compute_capability = "7.0";
  made.grid = {4, 1, 1};
  made.time = Seconds(1e-6);
  made.metrics = MetricSet({{"dram__bytes.sum", dram},
                            {"lts__t_sectors_srcunit_tex_op_read.sum", sectors},
                            {"lts__t_sectors_srcunit_tex_op_write.sum", 1},
                            {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 2 * sectors},
                            {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 1},
                            {"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", 0},
                            {"l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", 0}});
  return made;
}

TEST(JoinCounters, SumsTheKernelsOfARunAndTakesTheMedianRun) {
  const auto joined = join({kernel("warm-up", 1e9, 1e9), marker(2), kernel("a", 100, 10), kernel("b", 10, 1),
                            kernel("a", 300, 10), kernel("b", 10, 1), kernel("a", 104, 10), kernel("b", 10, 1),
                            marker(1), kernel("c", 7, 2), kernel("c", 7, 2), kernel("c", 7, 2)},
                           3, 3);
  ASSERT_TRUE(joined.has_value()) << joined.error().text();
  EXPECT_TRUE(joined->notes.empty());
  ASSERT_TRUE(joined->cases[1].has_value());
  EXPECT_EQ(joined->cases[1]->kernel_launches, 2);
  EXPECT_EQ(joined->cases[1]->dram_bytes, 114);
  EXPECT_EQ(joined->cases[1]->l2_bytes, 32 * (10 + 1 + 1 + 1));
  EXPECT_EQ(joined->cases[1]->l1_bytes, 32 * (20 + 1 + 2 + 1));
  EXPECT_DOUBLE_EQ(*joined->cases[1]->time_s, 2e-6);
  ASSERT_TRUE(joined->cases[0].has_value());
  EXPECT_EQ(joined->cases[0]->kernel_launches, 1);
  EXPECT_EQ(joined->cases[0]->dram_bytes, 7);
  EXPECT_FALSE(joined->cases[2].has_value());
}

TEST(JoinCounters, LeavesOutWhatRunsOnceBeforeTheRuns) {
  const auto joined = join({marker(1), kernel("transform", 1000, 1), kernel("a", 1, 1), kernel("b", 2, 1),
                            kernel("a", 1, 1), kernel("b", 2, 1)},
                           1, 2);
  ASSERT_TRUE(joined && joined->cases[0]);
  EXPECT_EQ(joined->cases[0]->kernel_launches, 2);
  EXPECT_EQ(joined->cases[0]->dram_bytes, 3);
}

TEST(JoinCounters, LeavesOutWhatSetsTheRunsUp) {
  // The gradient's runs look like what prepared them, two equal fills like two runs.
  const auto joined =
      join({marker(1), kernel("rooftile::measure::rooftile_setup_fill(void*)", 50, 1), kernel("a", 100, 1),
            kernel("rooftile_setup_done()", 0, 0), kernel("a", 1, 1), kernel("a", 1, 1), marker(2),
            kernel("rooftile_setup_fill", 50, 1), kernel("rooftile_setup_fill", 50, 1)},
           2, 2);
  ASSERT_TRUE(joined && joined->cases[0]);
  EXPECT_EQ(joined->cases[0]->kernel_launches, 1);
  EXPECT_EQ(joined->cases[0]->dram_bytes, 1);
  EXPECT_FALSE(joined->cases[1]);
  ASSERT_EQ(joined->notes.size(), 1);
  EXPECT_THAT(joined->notes[0], HasSubstr("layer 1: no kernel"));
}

TEST(JoinCounters, AMetricMissingOnOneKernelMakesTheSumUnknown) {
  KernelProfile bare = kernel("b", 1, 1);
  bare.metrics = MetricSet({{"dram__bytes.sum", 5}});
  const auto joined = join({marker(1), kernel("a", 1, 1), bare}, 1, 1);
  ASSERT_TRUE(joined && joined->cases[0]);
  EXPECT_EQ(joined->cases[0]->dram_bytes, 6);
  EXPECT_EQ(joined->cases[0]->l2_bytes, std::nullopt);
  EXPECT_EQ(joined->cases[0]->l1_bytes, std::nullopt);
  EXPECT_TRUE(joined->cases[0]->stalls.empty());
}

TEST(JoinCounters, SaysWhatItLeftOut) {
  const auto joined =
      join({marker(9), kernel("a", 1, 1), marker(1), marker(2), kernel("a", 1, 1), kernel("b", 1, 1)}, 2, 2);
  ASSERT_TRUE(joined.has_value());
  EXPECT_FALSE(joined->cases[0] || joined->cases[1]);
  ASSERT_EQ(joined->notes.size(), 3);
  EXPECT_THAT(joined->notes[0], HasSubstr("none of the 2 layers"));
  EXPECT_THAT(joined->notes[1], HasSubstr("layer 0: no kernel"));
  EXPECT_THAT(joined->notes[2], HasSubstr("layer 1: its 2 kernels from 'a' on are not 2 equal runs"));
  const auto none = join({kernel("a", 1, 1)}, 1, 1);
  ASSERT_FALSE(none.has_value());
  EXPECT_THAT(none.error().message, HasSubstr("no marker kernel 'rooftile_case'"));
}

TEST(JoinCounters, WeighsStallsByTime) {
  const auto stalled = [](double time, double memory, double wait) {
    KernelProfile made = kernel("a", 1, 1);
    made.time = Seconds(time);
    for (const char* state :
         {"barrier", "lg_throttle", "math_pipe_throttle", "mio_throttle", "no_instruction", "short_scoreboard"}) {
      made.metrics.set(std::string("smsp__warp_issue_stalled_") + state + "_per_warp_active.pct", 0);
    }
    made.metrics.set("smsp__warp_issue_stalled_long_scoreboard_per_warp_active.pct", memory);
    made.metrics.set("smsp__warp_issue_stalled_wait_per_warp_active.pct", wait);
    return made;
  };
  const auto joined = join({marker(1), stalled(3, 40, 40), stalled(1, 0, 20)}, 1, 1);
  ASSERT_TRUE(joined && joined->cases[0]);
  double memory = -1;
  double exec = -1;
  double sum = 0;
  for (const auto& stall : joined->cases[0]->stalls) {
    if (stall.reason == "memory_dependency") memory = stall.share;
    if (stall.reason == "exec_dependency") exec = stall.share;
    sum += stall.share;
  }
  EXPECT_DOUBLE_EQ(memory, 0.375);
  EXPECT_DOUBLE_EQ(exec, 0.625);
  EXPECT_DOUBLE_EQ(sum, 1);

  const auto timeless = join({marker(1), stalled(0, 40, 40)}, 1, 1);
  ASSERT_TRUE(timeless && timeless->cases[0]);
  EXPECT_TRUE(timeless->cases[0]->stalls.empty());  // not shares of nothing
}

}  // namespace
}  // namespace rooftile::measure
