#include "rooftile/workload/sequence.hpp"

#include <gtest/gtest.h>

namespace rooftile {
namespace {

TEST(Sequence, CausalQueriesSeeTheKeysUpToTheirOwn) {
  Attention attention{.q_len = 4, .kv_len = 4};
  EXPECT_EQ(pairs_of(attention), 16);
  attention.causal = true;
  EXPECT_EQ(pairs_of(attention), 1 + 2 + 3 + 4);
  attention.kv_len = 6;  // two keys are older than the first query
  EXPECT_EQ(pairs_of(attention), 3 + 4 + 5 + 6);
}

TEST(Sequence, AWindowLimitsTheKeysOfEachQuery) {
  Attention attention{.q_len = 4, .kv_len = 6, .window = 4, .causal = true};
  EXPECT_EQ(pairs_of(attention), 3 + 4 + 4 + 4);
  attention.window = 2;
  EXPECT_EQ(pairs_of(attention), 2 * 4);
  attention.window = 100;
  EXPECT_EQ(pairs_of(attention), 3 + 4 + 5 + 6);
}

TEST(Sequence, AWindowLimitsNoLaterKeys) {
  Attention attention{.q_len = 4, .kv_len = 6, .window = 2};
  EXPECT_EQ(pairs_of(attention), 5 + 4 + 3 + 2);
  attention.window = 6;
  EXPECT_EQ(pairs_of(attention), 4 * 6);
  attention = {.q_len = 1, .kv_len = 6, .window = 2};
  EXPECT_EQ(pairs_of(attention), 2) << "the last position";
  attention = {.q_len = 5, .kv_len = 3, .window = 1};  // two queries are before the first key
  EXPECT_EQ(pairs_of(attention), 3 + 3 + 3 + 2 + 1);
}

TEST(Sequence, AttentionMultipliesTwice) {
  const Attention attention{.batch = 2, .q_len = 3, .kv_len = 5, .heads = 4, .kv_heads = 2, .head_dim = 8};
  EXPECT_EQ(macs(attention), 2.0 * 2 * 4 * 3 * 5 * 8);
  EXPECT_EQ(elements_of(attention).q, 2 * 3 * 4 * 8);
  EXPECT_EQ(elements_of(attention).kv, 2 * 5 * 2 * 8);
}

TEST(Sequence, ValuesMayHaveOtherDimensions) {
  const Attention attention{
      .batch = 2, .q_len = 3, .kv_len = 5, .heads = 4, .kv_heads = 2, .head_dim = 8, .head_dim_v = 6};
  EXPECT_EQ(macs(attention), 2.0 * 4 * 3 * 5 * (8 + 6));
  EXPECT_EQ(gradient_macs(attention), 2.0 * 4 * 3 * 5 * (3 * 8 + 2 * 6));
  EXPECT_EQ(elements_of(attention).values, 2 * 5 * 2 * 6);
  EXPECT_EQ(elements_of(attention).out, 2 * 3 * 4 * 6);
  EXPECT_EQ(check(Attention{.head_dim_v = -1}).error().text(), "head_dim_v -1 is not between 0 and 2147483648");
}

TEST(Sequence, RecurrentWeightsOfEachLayerAndDirection) {
  Recurrent lstm{.batch = 2, .steps = 3, .input = 5, .hidden = 7};
  EXPECT_EQ(weights_of(lstm), 4 * 7 * (5 + 7));
  EXPECT_EQ(macs(lstm), 2 * 3 * weights_of(lstm));
  lstm.layers = 2;
  lstm.directions = 2;
  EXPECT_EQ(weights_of(lstm), 2 * 4 * 7 * (5 + 7) + 2 * 4 * 7 * (14 + 7));
  lstm.input_projection = false;
  EXPECT_EQ(weights_of(lstm), 2 * 4 * 7 * 7 * 2);
}

TEST(Sequence, WhatDoesNotFitIsSaid) {
  EXPECT_EQ(check(Attention{.heads = 6, .kv_heads = 4}).error().text(), "6 heads cannot share 4 kv_heads alike");
  EXPECT_EQ(check(Attention{.q_len = 2, .causal = true}).error().text(), "2 causal queries over 1 keys");
  EXPECT_EQ(check(Attention{.q_len = 0}).error().text(), "q_len 0 is not between 1 and 2147483648");
  EXPECT_FALSE(check(Attention{.batch = 1 << 30, .q_len = 1 << 30}).has_value());
  EXPECT_EQ(check(Recurrent{.cell = "rnn"}).error().text(), "unknown cell 'rnn'; one of lstm, gru, vanilla");
  EXPECT_EQ(check(Recurrent{.layers = 1'000'000'000}).error().text(), "layers 1000000000 is not between 1 and 4096");
  EXPECT_EQ(check(Recurrent{.directions = 3}).error().text(), "a recurrent layer runs in 1 or 2 directions");
  EXPECT_TRUE(check(Attention{}).has_value());
  EXPECT_TRUE(check(Recurrent{}).has_value());
}

}  // namespace
}  // namespace rooftile
