// The part of a transformer that one of several tensor, expert or context parallel GPUs computes (Shoeybi et al.,
// Megatron-LM, arXiv:1909.08053, section 3).
#pragma once

#include "rooftile/base/error.hpp"
#include "rooftile/execution/parallelism.hpp"
#include "rooftile/zoo/transformer.hpp"

namespace rooftile {

// Heads, MLP and vocabulary over tp, experts over ep; the vocabulary is padded until it divides. The hidden state stays
// whole. The shape passed check(). Errors: a degree that does not divide heads, MLP, experts or layers, or a network
// that is no stack of alike layers.
Result<Transformer> slice(const Transformer& shape, const Parallelism& way);

}  // namespace rooftile
