#include "rooftile/plan/kernel_name.hpp"

#include <gtest/gtest.h>

namespace rooftile {
namespace {

TEST(KernelName, TellsTheTile) {
  EXPECT_EQ(tile_of_kernel("maxwell_s128x64_relu_small_nn_v1"), (Tile{128, 64, 8}));
  EXPECT_EQ(tile_of_kernel("volta_sgemm_32x128_tn"), (Tile{32, 128, 8}));
  EXPECT_EQ(tile_of_kernel("ampere_fp16_s16816gemm_fp16_256x128_ldg8_f2f_stages_64x3_tn"), (Tile{256, 128, 8}));
}

TEST(KernelName, WithoutATileSaysNothing) {
  for (const char* name : {"", "implicit_convolve_sgemm", "x", "12x", "1x0", "s16816gemm", "99999999999x1",
                           "sm90_xmma_fprop_image_first_layer_f16f16_f32_f16_nhwckrsc_nhwc_tile16x64x64"}) {
    EXPECT_FALSE(tile_of_kernel(name)) << name;
  }
}

}  // namespace
}  // namespace rooftile
