// What frameworks do while gradients are exchanged.
#pragma once

#include <string_view>

#include "rooftile/base/units.hpp"
#include "rooftile/execution/parallelism.hpp"

namespace rooftile {

struct ParallelStyle {
  bool overlapped = true;        // gradients are exchanged while others are computed
  bool fused_update = true;      // the optimiser is one kernel over all weights
  bool tensor_hidden = false;    // half of what tensor parallel GPUs exchange is behind products
  bool wide_gradients = false;   // kept and exchanged in FP32
  bool adding_products = false;  // those that compute gradients add them up
  bool through_host = false;     // GPUs may not reach one another's memory (host_memory_link())
  Seconds hand_over;             // of the host, to send or receive what a pipeline stage hands on
  Bytes bucket;                  // of gradients that are exchanged together
};

// What a framework does where a row does not say: NeMo and Megatron Core share the sequence among tensor parallel GPUs
// and what the optimiser keeps among data parallel ones (their configurations' sequence_parallel and
// use_distributed_optimizer).
Parallelism usual_way(Parallelism way, std::string_view framework);

// Of a framework as tables name it; an unknown one is taken for PyTorch's DistributedDataParallel.
ParallelStyle style_of(std::string_view framework);

}  // namespace rooftile
