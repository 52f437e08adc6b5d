// How a library runs the gradient of fused attention (docs/theory/attention.md, "The gradient"): a kernel for the sums
// over dO times O, one whose CTAs own keys and go over the queries that see them, and one that rounds the queries'
// gradients.
#pragma once

#include "rooftile/plan/attention_plan.hpp"

namespace rooftile {

// As attention_plan(), of the gradients of queries, keys and values.
AttentionPlan attention_backward_plan(const Attention& attention, DType precision, const AttentionCall& call,
                                      const Gpu& gpu);

}  // namespace rooftile
