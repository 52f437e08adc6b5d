#include "rooftile/predict/sample.hpp"

#include <utility>

#include <gtest/gtest.h>

namespace rooftile {
namespace {

// A network of four that reads one tensor.
Workload reads(Shape shape, DType dtype) {
  Workload workload;
  workload.batch_size = 4;
  workload.tensors = {{"x", std::move(shape), dtype}};
  workload.inputs = {0};
  return workload;
}

TEST(Sample, OfAnImageIsItsShape) {
  const Sample sample = sample_of(reads({4, 3, 224, 224}, DType::fp32));
  EXPECT_EQ(sample.shape, (Shape{3, 224, 224}));
  EXPECT_EQ(sample.tokens, 0);
}

TEST(Sample, OfATextIsItsTokens) {
  Workload workload = reads({4, 128}, DType::int64);
  workload.ops = {{"attention", Attention{.batch = 4, .q_len = 128, .kv_len = 128}, {0}, {}}};
  const Sample sample = sample_of(workload);
  EXPECT_EQ(sample.tokens, 128);
  EXPECT_EQ(sample.cached, 0);
}

TEST(Sample, OfDecodingIsATokenAfterThoseInTheCache) {
  Workload workload = reads({4, 1}, DType::int64);
  workload.ops = {{"attention", Attention{.batch = 4, .q_len = 1, .kv_len = 301}, {0}, {}}};
  const Sample sample = sample_of(workload);
  EXPECT_EQ(sample.tokens, 1);
  EXPECT_EQ(sample.cached, 300);
}

TEST(Sample, OfDecodingCountsTheKeysOfAttentionThatIsWrittenOut) {
  Workload workload = reads({4, 1}, DType::int64);
  workload.tensors.push_back({"scores", {4, 12, 1, 301}, DType::fp32});
  workload.ops = {{"softmax", Softmax{}, {1}, {}}};
  EXPECT_EQ(sample_of(workload).cached, 300);
}

TEST(Sample, OfNumbersIsTheirShape) {
  const Sample sample = sample_of(reads({4, 13}, DType::fp32));
  EXPECT_EQ(sample.shape, Shape{13});
  EXPECT_EQ(sample.tokens, 0);
}

TEST(Sample, OfAnInputWithoutTheBatchIsUnknown) {
  EXPECT_TRUE(sample_of(reads({3, 224, 224}, DType::fp32)).shape.empty());
  EXPECT_TRUE(sample_of(Workload{}).shape.empty());
}

}  // namespace
}  // namespace rooftile
