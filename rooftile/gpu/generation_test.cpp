#include "rooftile/gpu/generation.hpp"

#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"

namespace rooftile {
namespace {

double generation_of(const char* id) { return find_gpu(id).value().generation; }

TEST(Generation, SaysWhatTheHardwareHas) {
  EXPECT_FALSE(generation::has_tensor_cores(generation_of("p100-sxm2-16gb")));
  EXPECT_TRUE(generation::has_tensor_cores(generation_of("v100-sxm2-16gb")));
  EXPECT_FALSE(generation::has_async_products(generation_of("a100-sxm4-80gb")));
  EXPECT_TRUE(generation::has_async_products(generation_of("h100-sxm5-80gb")));
  EXPECT_TRUE(generation::is_hopper(generation_of("h100-sxm5-80gb")));
  EXPECT_FALSE(generation::is_hopper(generation_of("b200-sxm-180gb")));
  EXPECT_FALSE(generation::has_tensor_memory(generation_of("h100-sxm5-80gb")));
  EXPECT_TRUE(generation::has_tensor_memory(generation_of("b200-sxm-180gb")));
}

TEST(Generation, LaterNumbersOfWorkstationsHaveLess) {
  for (const char* const id : {"a100-sxm4-80gb", "h100-sxm5-80gb", "b200-sxm-180gb"}) {
    EXPECT_TRUE(generation::is_for_data_centers(generation_of(id))) << id;
  }
  for (const char* const id : {"rtx-3090", "rtx-4090", "rtx-5090"}) {
    EXPECT_FALSE(generation::is_for_data_centers(generation_of(id))) << id;
    EXPECT_FALSE(generation::has_async_products(generation_of(id))) << id;
    EXPECT_FALSE(generation::has_tensor_memory(generation_of(id))) << id;
  }
}

TEST(Generation, AmdLanesAddUpTwoProductsFromVega20On) {
  for (const char* id : {"mi50", "mi100", "mi300x", "mi355x", "rx-6900-xt", "rx-7900-xtx"}) {
    EXPECT_TRUE(generation::has_dot_products(find_gpu(id).value().compute_capability)) << id;
  }
  for (const char* id : {"mi25", "h100-sxm5-80gb"}) {
    EXPECT_FALSE(generation::has_dot_products(find_gpu(id).value().compute_capability)) << id;
  }
}

}  // namespace
}  // namespace rooftile
