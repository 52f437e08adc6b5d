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

}  // namespace rooftile
