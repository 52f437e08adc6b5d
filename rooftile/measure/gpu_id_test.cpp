#include "rooftile/measure/gpu_id.hpp"

#include <gtest/gtest.h>

namespace rooftile::measure {
namespace {

TEST(GpuId, FollowsTheCatalogue) {
  EXPECT_EQ(gpu_id("Tesla V100-SXM2-16GB"), "v100-sxm2-16gb");
  EXPECT_EQ(gpu_id("NVIDIA A100-SXM4-80GB"), "a100-sxm4-80gb");
  EXPECT_EQ(gpu_id("NVIDIA GeForce RTX 4090"), "rtx-4090");
  EXPECT_EQ(gpu_id("Tesla T4"), "t4");
  EXPECT_EQ(gpu_id("NVIDIA H200"), "h200-sxm-141gb");  // the only one with that word
}

TEST(GpuId, WhatTheCatalogueDoesNotSettleKeepsItsName) {
  EXPECT_EQ(gpu_id("NVIDIA H900 80GB HBM9"), "h900-80gb-hbm9");
  EXPECT_EQ(gpu_id("NVIDIA A100"), "a100");  // which of four, the name does not say
  EXPECT_EQ(gpu_id("NVIDIA Graphics Device"), "unknown");
}

TEST(GpuId, ArchitecturesByComputeCapability) {
  EXPECT_EQ(architecture_of("NVIDIA H900", "9.0"), "hopper");
  EXPECT_EQ(architecture_of("NVIDIA Graphics Device", "7.5"), "turing");
  EXPECT_EQ(architecture_of("NVIDIA Graphics Device", "12.0"), "blackwell-rtx");
  EXPECT_EQ(architecture_of("NVIDIA Graphics Device", "99.0"), "");
}

TEST(GpuId, ArchitecturesAsTheCatalogueHasThem) {
  EXPECT_EQ(architecture_of("NVIDIA GeForce GTX 1650", "7.5"), "turing-tu11x");
  EXPECT_EQ(architecture_of("NVIDIA GeForce RTX 2080 Ti", "7.5"), "turing");
}

}  // namespace
}  // namespace rooftile::measure
