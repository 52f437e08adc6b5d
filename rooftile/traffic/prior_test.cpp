#include "rooftile/traffic/prior.hpp"

#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"

namespace rooftile {
namespace {

TEST(Prior, FixesTheMissRates) {
  const Gpu gpu = find_gpu("titan-xp-delta").value();
  const Im2col gemm = im2col(Gemm{.m = 1000, .n = 300, .k = 77});
  const Plan plan = delta_plan(gemm, gpu);
  const DeltaTraffic delta = delta_traffic(gemm, plan, gpu.l1_request);

  const DeltaTraffic all = prior_traffic(gemm, plan, gpu.l1_request, 1, 1);
  EXPECT_EQ(all.total.l1, delta.total.l1);
  EXPECT_EQ(all.total.l2, delta.total.l1);
  EXPECT_EQ(all.total.dram, delta.total.l1);
  EXPECT_EQ(all.total.store_dram, delta.total.store_dram);

  const DeltaTraffic some = prior_traffic(gemm, plan, gpu.l1_request, 0.5, 0.25);
  EXPECT_EQ(some.total.l2, delta.total.l1 * 0.5);
  EXPECT_EQ(some.total.dram, delta.total.l1 * 0.125);
  EXPECT_EQ(some.l2_per_loop, delta.l1_per_loop * 0.5);
  EXPECT_EQ(some.dram_per_loop, delta.l1_per_loop * 0.125);
}

}  // namespace
}  // namespace rooftile
