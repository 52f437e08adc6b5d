// What a training step keeps in memory beyond weights, gradients and activations.
#pragma once

#include "rooftile/ops/optimizer.hpp"
#include "rooftile/predict/prediction.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {

// Of a workload stored in its precision: memory_use() of training; FP32 copies of the weights that the optimizer
// keeps (momentum one, Adam two: Kingma and Ba 2015); one more where weights are of fewer than 4 bytes (mixed
// precision: Micikevicius et al. 2018).
MemoryUse training_memory(const Workload& stored, Optimizer optimizer);

// Bytes of all gradients, each as its weight is stored.
Bytes gradient_bytes(const Workload& stored);

}  // namespace rooftile
