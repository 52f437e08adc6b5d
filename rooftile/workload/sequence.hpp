// The geometry of the ops over sequences: attention and recurrent layers.
#pragma once

#include "rooftile/base/error.hpp"
#include "rooftile/workload/op.hpp"

namespace rooftile {

struct AttentionElements {
  double q, kv;  // of the queries (and the result); of the keys (and of the values)
};
AttentionElements elements_of(const Attention& attention);

// Query and key pairs that a head of one sequence multiplies: what causality and the window leave.
double pairs_of(const Attention& attention);

// Products with a hidden state or an input that a cell adds up, each `hidden` wide: 4 of lstm, 3 of gru, 1 of vanilla.
std::int64_t gates_of(const Recurrent& recurrent);

// Multiply-accumulates, padding and masked pairs not counted.
double macs(const Attention& attention);
double macs(const Recurrent& recurrent);

// Elements of all weights of a recurrent layer, without biases.
double weights_of(const Recurrent& recurrent);

// Dimensions from 1 to kMaxDimension, work up to kMaxMacs, heads a multiple of kv_heads, a cell that is known, one or
// two directions, no more queries than keys where causal.
Result<void> check(const Attention& attention);
Result<void> check(const Recurrent& recurrent);

}  // namespace rooftile
