#include "rooftile/profile/counters.hpp"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "rooftile/profile/fixture_test.hpp"
#include "rooftile/profile/stall_reasons.hpp"

namespace rooftile::profile {
namespace {

KernelProfile kernel_of(const std::string& capability, MetricSet metrics) {
  KernelProfile kernel;
  kernel.compute_capability = capability;
  kernel.metrics = std::move(metrics);
  return kernel;
}

MetricSet l1_metrics() {
  return {{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 10},
          {"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", 1},
          {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 5},
          {"l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", 0}};
}

TEST(Counters, L1AsksForTheCopiesThatTheGpuHas) {
  EXPECT_EQ(counters(kernel_of("7.5", l1_metrics())).l1_load, Bytes(352));
  EXPECT_EQ(counters(kernel_of("7.5", l1_metrics())).l1, Bytes(512));
  EXPECT_EQ(counters(kernel_of("8.0", l1_metrics())).l1_load, std::nullopt);
  EXPECT_EQ(counters(kernel_of("", l1_metrics())).l1_load, std::nullopt);
  MetricSet copies = l1_metrics();
  copies.set("sm__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_access.sum", 2);
  copies.set("sm__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_bypass.sum", 3);
  EXPECT_EQ(counters(kernel_of("8.0", copies)).l1_load, Bytes(32 * 16));
  EXPECT_EQ(counters(kernel_of("9.0", copies)).l1_load, std::nullopt);
  copies.set("l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld.sum", 1000);
  EXPECT_EQ(counters(kernel_of("9.0", copies)).l1_load, Bytes(32 * 16 + 1000));
  EXPECT_EQ(counters(kernel_of("9.0", copies)).l1, std::nullopt);  // stores by the TMA are not told
}

TEST(Counters, L2PrefersWhatTheSmsAskFor) {
  MetricSet metrics = {
      {"lts__t_sectors_op_read.sum", 100}, {"lts__t_sectors_op_write.sum", 50}, {"lts__t_sectors_op_red.sum", 1}};
  EXPECT_EQ(counters(kernel_of("7.0", metrics)).l2_load, Bytes(32 * 101));
  EXPECT_EQ(counters(kernel_of("7.0", metrics)).l2, Bytes(32 * 152));
  metrics.set("lts__t_sectors_srcunit_tex_op_read.sum", 80);
  metrics.set("lts__t_sectors_srcunit_tex_op_write.sum", 40);
  EXPECT_EQ(counters(kernel_of("7.0", metrics)).l2, Bytes(32 * 120));
}

TEST(Counters, TotalsWhereLoadsAndStoresAreNotApart) {
  const auto counted =
      counters(kernel_of("7.0", {{"dram__bytes.sum", 7}, {"lts__t_bytes.sum", 8}, {"l1tex__t_bytes.sum", 9}}));
  EXPECT_EQ(counted.dram, Bytes(7));
  EXPECT_EQ(counted.dram_load, std::nullopt);
  EXPECT_EQ(counted.l2, Bytes(8));
  EXPECT_EQ(counted.l1, Bytes(9));
  EXPECT_EQ(counters(kernel_of("9.0", {{"l1tex__t_bytes.sum", 9}})).l1, std::nullopt);  // leaves the TMA out
}

TEST(Counters, FlopsByUnit) {
  const std::string start = "sm__sass_thread_inst_executed_op_";
  const auto counted = counters(kernel_of("7.0", {{start + "fadd_pred_on.sum", 1},
                                                  {start + "fmul_pred_on.sum", 2},
                                                  {start + "ffma_pred_on.sum", 10},
                                                  {"sm__inst_executed_pipe_tensor.sum", 3}}));
  EXPECT_EQ(counted.fp32, Flops(23));
  EXPECT_EQ(counted.fp64, std::nullopt);
  EXPECT_EQ(counted.tensor, Flops(3 * 512));
  const KernelProfile ampere = kernel_of("8.0", {{"sm__inst_executed_pipe_tensor.sum", 3}});
  EXPECT_EQ(counters(ampere).tensor, std::nullopt);
  EXPECT_EQ(counters(ampere, rules_with_tensor_flops(4096)).tensor, Flops(3 * 4096));
  EXPECT_EQ(counters(kernel_of("9.0", {{"sm__ops_path_tensor_src_bf16_dst_fp32.sum", 8},
                                       {"sm__ops_path_tensor_src_fp8.sum", 2}}))
                .tensor,
            Flops(10));
}

TEST(Counters, TensorOperationsCountOnce) {
  const MetricSet metrics = {{"sm__ops_path_tensor_src_fp8.sum", 12},
                             {"sm__ops_path_tensor_src_fp8_dst_fp32.sum", 8},
                             {"sm__ops_path_tensor_src_fp8_dst_fp16.sum", 4}};
  EXPECT_EQ(counters(kernel_of("8.9", metrics)).tensor, Flops(12));
}

TEST(Counters, OfNvprofAndRocprof) {
  const Profile nvprof = read_fixture("nvprof_metrics.csv", {.compute_capability = "7.0"});
  const auto counted = counters(nvprof.kernels.at(0));
  EXPECT_EQ(counted.launches, 3);
  EXPECT_EQ(counted.dram_load, Bytes(6400));
  EXPECT_EQ(counted.dram, Bytes(6720));
  EXPECT_EQ(counted.fp32, Flops(3611549214));
  EXPECT_EQ(counted.l2, std::nullopt);
  const Profile rocprof = read_fixture("rocprof_results.csv");
  EXPECT_EQ(counters(rocprof.kernels.at(0)).dram, Bytes(1536.5 * 1024));
}

TEST(Counters, ATableOfOnesOwn) {
  const std::vector<CounterRule> rules = {{Quantity::tensor, 8.0, 8.0, {{"sm__inst_executed_pipe_tensor.sum", 4096}}}};
  EXPECT_EQ(counters(kernel_of("8.0", {{"sm__inst_executed_pipe_tensor.sum", 2}}), rules).tensor, Flops(8192));
}

TEST(Counters, WhatIsAskedForIsEnough) {
  for (const std::string capability : {"7.0", "7.5", "8.0", "8.6", "8.9", "9.0", "10.0", "12.0"}) {
    KernelProfile kernel = kernel_of(capability, {});
    for (const std::string& metric : ncu_metrics(capability)) kernel.metrics.set(metric, 1);
    const auto counted = counters(kernel);
    EXPECT_TRUE(counted.l1 && counted.l2 && counted.dram) << capability;
    EXPECT_FALSE(stall_shares(kernel).empty()) << capability;
  }
}

TEST(StallShares, MapBothToolsToOneVocabulary) {
  KernelProfile nvprof = kernel_of(
      "7.0",
      {{"stall_exec_dependency", 10}, {"stall_memory_dependency", 60}, {"stall_sync", 10}, {"stall_inst_fetch", 0}});
  const auto old_shares = stall_shares(nvprof);
  ASSERT_EQ(old_shares.size(), stall_reasons().size());
  EXPECT_EQ(old_shares[1], (StallShare{"memory_dependency", 0.75}));
  KernelProfile ncu = kernel_of("8.0", {});
  for (const std::string& metric : ncu_stall_metrics())
    ncu.metrics.set(metric, metric.find("_scoreboard") != std::string::npos ? 5 : 0);
  const auto shares = stall_shares(ncu);
  ASSERT_EQ(shares.size(), old_shares.size());
  EXPECT_EQ(shares[0], (StallShare{"exec_dependency", 0.5}));
  EXPECT_EQ(shares[1], (StallShare{"memory_dependency", 0.5}));
  EXPECT_TRUE(stall_shares(kernel_of("8.0", {{"smsp__warp_issue_stalled_wait_per_warp_active.pct", 5}})).empty());
}

}  // namespace
}  // namespace rooftile::profile
