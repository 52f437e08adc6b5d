// The loss of a training step: cross entropy over the last dimension of what the network returns, as PyTorch computes
// it (torch.nn.functional.cross_entropy: log_softmax, then nll_loss).
#pragma once

#include "rooftile/workload/workload.hpp"

namespace rooftile {

// Whether cross entropy is what trains it: one output, of classes for each sample or position.
bool has_cross_entropy(const Workload& workload);

// With the loss at its end; as it is if has_cross_entropy() says no.
Workload with_loss(Workload workload);

// That loss in FP32, whatever the network computes in, as training scripts have it: Megatron-LM's cross_entropy of
// output.float(), logits.float() of Hugging Face's language models, and autocast by itself.
Workload with_wide_loss(Workload workload);

// That loss of a compiled step, after fuse(): one kernel goes through a row for its loss, and one for its gradient,
// which computes the softmax again from the scores instead of keeping it (log_softmax and nll_loss_backward in
// torch/_decomp/decompositions.py; XLA does the same). `scattered`: the gradient of nll_loss is a tensor as large as
// the scores, zeros but for one in a row, that is written and read (PyTorch up to 2.4; pull request 129043).
Workload with_fused_loss(Workload workload, bool scattered);

}  // namespace rooftile
