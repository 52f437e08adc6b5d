#include "rooftile/ops/optimizer.hpp"

#include <gtest/gtest.h>

namespace rooftile {
namespace {

TEST(Optimizer, IsFoundByItsOwnName) {
  for (const std::string& name : optimizer_names()) {
    const auto optimizer = parse_optimizer(name);
    ASSERT_TRUE(optimizer) << name;
    EXPECT_EQ(name_of(*optimizer), name);
  }
}

TEST(Optimizer, IsFoundByTheNamesOfTablesAndFrameworks) {
  EXPECT_EQ(parse_optimizer("sgd, momentum"), Optimizer::momentum);
  EXPECT_EQ(parse_optimizer("AdamW"), Optimizer::adamw);
  EXPECT_EQ(parse_optimizer("FusedAdam"), Optimizer::fused_adam);
  EXPECT_EQ(parse_optimizer("adamw_torch_fused"), Optimizer::fused_adam);
  EXPECT_EQ(parse_optimizer("adagrad"), std::nullopt);
  EXPECT_EQ(parse_optimizer(""), std::nullopt);
}

}  // namespace
}  // namespace rooftile
