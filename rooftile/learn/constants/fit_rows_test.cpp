#include "rooftile/learn/constants/fit_rows.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "rooftile/learn/constants/fit.hpp"

namespace rooftile {
namespace {

TEST(FitRows, WhatWasAskedForIsNotWhatALibraryWouldChoose) {
  const std::string csv =
      "N,C,H,W,K,R,S,pad_h,pad_w,stride_h,stride_w,gpu,algorithm,algorithm_asked,time_us\n"
      "16,64,56,56,64,3,3,1,1,1,1,v100-sxm2-16gb,implicit_gemm,,500\n"
      "16,64,56,56,128,3,3,1,1,1,1,v100-sxm2-16gb,implicit_gemm,implicit_gemm,900\n";
  const auto rows = parse_layer_table(csv, "conv.csv", {.measurements = true});
  ASSERT_TRUE(rows) << rows.error().text();
  const MeasuredTable table("conv.csv", *rows);
  const auto groups = fit_rows({table}, {});
  ASSERT_TRUE(groups);
  ASSERT_EQ(groups->size(), 1U);
  EXPECT_EQ(groups->front().rows.size(), 3U) << "the first with its algorithm and without, the second with it alone";
}

TEST(FitRows, CallsThatFindTheL2FlushedStaySo) {
  const std::string csv =
      "op,kind,gpu,framework,precision,rows,columns,time_us\n"
      "stream,add,a100-sxm4-80gb,Triton do_bench,fp32,1,1048576,12\n"
      "stream,add,a100-sxm4-80gb,PyTorch,fp32,1,1048576,12\n";
  const auto rows = parse_layer_table(csv, "stream.csv", {.measurements = true});
  ASSERT_TRUE(rows) << rows.error().text();
  const auto groups = fit_rows({MeasuredTable("stream.csv", *rows)}, {});
  ASSERT_TRUE(groups);
  ASSERT_EQ(groups->size(), 1U);
  const FitRows& all = groups->front();
  ASSERT_EQ(all.rows.size(), 2U);
  std::vector<Seconds> times;
  for (const FitRow& row : all.rows) {
    Harness harness = all.harnesses[row.harness];
    EXPECT_EQ(harness.flushes, harness.framework.starts_with("Triton do_bench"));
    harness.overhead = harness.floor = Seconds(0);
    times.push_back(fitted_time(row, all.rates, unfitted_constants(KernelFamily::stream), harness));
  }
  EXPECT_GT(times[0], 1.2 * times[1]) << "from DRAM, and not from the L2";
}

}  // namespace
}  // namespace rooftile
