#include "rooftile/evaluation/evaluation.hpp"

#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"

namespace rooftile {
namespace {

TEST(Layers, TheFourNetworksHave83UniqueConvolutions) { EXPECT_EQ(unique_convolutions(256).size(), 83U); }

}  // namespace
}  // namespace rooftile
