#include "rooftile/predict/sample.hpp"

#include <gtest/gtest.h>

#include "rooftile/ingest/model.hpp"

namespace rooftile {
namespace {

TEST(Sample, OfAnImageIsItsShape) {
  const Sample sample = sample_of(load_model("resnet18", {.batch_size = 4}).value());
  EXPECT_EQ(sample.shape, (Shape{3, 224, 224}));
  EXPECT_EQ(sample.tokens, 0);
}

TEST(Sample, OfATextIsItsTokens) {
  const Sample sample = sample_of(load_model("bert_base", {.batch_size = 4, .seq_len = 128}).value());
  EXPECT_EQ(sample.tokens, 128);
  EXPECT_EQ(sample.cached, 0);
}

TEST(Sample, OfDecodingIsATokenAfterThoseInTheCache) {
  const Sample sample = sample_of(load_model("gpt2", {.batch_size = 1, .context = 300}).value());
  EXPECT_EQ(sample.tokens, 1);
  EXPECT_EQ(sample.cached, 300);
}

TEST(Sample, OfANetworkThatReadsNumbersIsTheirShape) {
  const Sample sample = sample_of(load_model("dlrm", {.batch_size = 4}).value());
  EXPECT_EQ(sample.tokens, 0);
  EXPECT_FALSE(sample.shape.empty());
}

TEST(Sample, OfANetworkWithoutInputsIsUnknown) { EXPECT_TRUE(sample_of(Workload{}).shape.empty()); }

}  // namespace
}  // namespace rooftile
