#include "rooftile/measure/layer_algorithm.hpp"

#include <gtest/gtest.h>

namespace rooftile::measure {
namespace {

TEST(LayerAlgorithm, NumbersHaveTheNamesOfLayerTables) {
  EXPECT_EQ(algorithm_name(Pass::fwd, 1), "implicit_gemm");
  EXPECT_EQ(algorithm_name(Pass::fwd, 6), "winograd");
  EXPECT_EQ(algorithm_name(Pass::bwd_data, 3), "fft");
  EXPECT_EQ(algorithm_name(Pass::bwd_weight, 3), "implicit_gemm");
  EXPECT_EQ(algorithm_name(Pass::bwd_weight, 6), "fft");
}

TEST(LayerAlgorithm, UnknownNumbersHaveNone) {
  EXPECT_EQ(algorithm_name(Pass::fwd, 8), "");
  EXPECT_EQ(algorithm_name(Pass::bwd_data, 6), "");
  EXPECT_EQ(algorithm_name(Pass::fwd, -1), "");
}

TEST(LayerAlgorithm, NamesArePerPass) {
  EXPECT_TRUE(has_algorithm(Pass::fwd, "direct"));
  EXPECT_FALSE(has_algorithm(Pass::bwd_data, "direct"));
  EXPECT_EQ(algorithm_names(Pass::bwd_weight), "implicit_gemm, fft, winograd, winograd_nonfused");
}

}  // namespace
}  // namespace rooftile::measure
