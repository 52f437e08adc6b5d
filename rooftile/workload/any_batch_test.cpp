#include "rooftile/workload/any_batch.hpp"

#include <gtest/gtest.h>

namespace rooftile {
namespace {

// A product of so many rows, with a result whose first dimension is `rows`.
Workload product(std::int64_t batch, std::int64_t rows) {
  Workload workload;
  workload.name = "product";
  workload.batch_size = batch;
  workload.tensors = {{"x", {batch, 8}}, {"w", {8, 4}, DType::fp32, true}, {"y", {rows, 4}}};
  workload.ops = {{"gemm", Gemm{.m = rows, .n = 4, .k = 8}, {0, 1}, {2}}};
  workload.inputs = {0};
  workload.outputs = {2};
  return workload;
}

TEST(AnyBatch, SizesFollowInProportion) {
  auto any = AnyBatch::from(product(1, 3), product(32, 96));
  ASSERT_TRUE(any);
  AnyBatch moved = std::move(*any);
  EXPECT_EQ(moved.at(7), product(7, 21));
  EXPECT_EQ(moved.at(1), product(1, 3));
}

TEST(AnyBatch, IsNotKnownWhereSizesAreRounded) {
  EXPECT_FALSE(AnyBatch::from(product(1, 8), product(32, 32)));
  EXPECT_FALSE(AnyBatch::from(product(2, 5), product(4, 10)));
  EXPECT_FALSE(AnyBatch::from(product(4, 4), product(4, 4))) << "the same batch tells nothing";
}

TEST(AnyBatch, IsOfOneNetwork) {
  Workload other = product(32, 32);
  other.ops[0].name = "another";
  EXPECT_FALSE(AnyBatch::from(product(1, 1), other));
  other = product(32, 32);
  other.tensors.push_back({"z", {1}});
  EXPECT_FALSE(AnyBatch::from(product(1, 1), other));
}

}  // namespace
}  // namespace rooftile
