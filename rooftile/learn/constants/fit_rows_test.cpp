#include "rooftile/learn/constants/fit_rows.hpp"

#include <string>

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace rooftile
