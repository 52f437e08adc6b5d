// What eager PyTorch computes operator by operator, because it has no kernel for the whole: RMS norms (transformers,
// LlamaRMSNorm in models/llama/modeling_llama.py; F.rms_norm itself is such a composite until release 2.8) and rotary
// positions (apply_rotary_pos_emb() in the same file). Compilers fuse them again.
#pragma once

#include "rooftile/workload/workload.hpp"

namespace rooftile {

// Of a workload whose tensors have the types they are stored in.
//
//     RMS norm           the input in FP32, its squares, their mean, an epsilon added, the reciprocal root,
//                        the product; back to the type it came in, times the weights
//     rotary positions   minus the second half of each head, its halves the other way round, times sine,
//                        times cosine, the sum
//
// Sines, cosines and epsilon are small and not counted.
Workload take_composites_apart(Workload workload);

//     SiLU               a sigmoid, times the input
Workload take_silu_apart(Workload workload);

}  // namespace rooftile
