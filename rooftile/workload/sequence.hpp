// The geometry of the ops over sequences: attention and recurrent layers.
#pragma once

#include "rooftile/base/error.hpp"
#include "rooftile/workload/op.hpp"

namespace rooftile {

struct AttentionElements {
  double q, kv;        // of the queries; of the keys
  double values, out;  // of the values; of the result
};
AttentionElements elements_of(const Attention& attention);

// Query and key pairs that a head of one sequence multiplies: what causality and the window leave.
double pairs_of(const Attention& attention);

// Products with a hidden state or an input that a cell adds up, each `hidden` wide: 4 of lstm, 3 of gru, 1 of vanilla.
std::int64_t gates_of(const Recurrent& recurrent);

// Of a head's values.
std::int64_t value_dim(const Attention& attention);

// Multiply-accumulates, padding and masked pairs not counted. The gradient computes the scores again, and has two
// products for those and their gradient and one for that of each operand.
double macs(const Attention& attention);
double gradient_macs(const Attention& attention);
double macs(const Recurrent& recurrent);

// Elements of all weights of a recurrent layer, without biases.
double weights_of(const Recurrent& recurrent);

// Dimensions from 1 to kMaxDimension, work up to kMaxMacs, heads a multiple of kv_heads, a cell that is known, one or
// two directions, no more queries than keys where causal.
Result<void> check(const Attention& attention);
Result<void> check(const Recurrent& recurrent);

}  // namespace rooftile
