// Layers of a network that is served by several GPUs: what each of them computes, and what they exchange.
//
// Of a stage's tp x dp GPUs, tp share attention and dense layers, and dp such replicas have requests of their own. All
// of them share the experts: ep have different ones, tp dp / ep parts of the same (vLLM's --data-parallel-size and
// --enable-expert-parallel, SGLang's --enable-dp-attention and --ep, TensorRT-LLM's enable_attention_dp and
// moe_expert_parallel_size). Replicas have as many positions each, and experts are picked alike.
#pragma once

#include "rooftile/base/error.hpp"
#include "rooftile/execution/parallelism.hpp"
#include "rooftile/fabric/gpu_cluster.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/zoo/transformer.hpp"

namespace rooftile {

// Of a GPU. Of the way tp, pp, dp and ep count; replicas of a network without experts have nothing in common. Errors:
// those of slice(); an ep that does not divide the GPUs of a stage.
Result<Transformer> served_slice(const Transformer& shape, const Parallelism& way);

// Of so many positions of a replica, between two layers.
Bytes hidden_state(const Transformer& shape, double positions, const PredictOptions& options);

// What the layers of a pass exchange, one after another: sums over tp after attention and after the MLP, and once after
// the embedding. Where there are replicas, positions go to the experts and back as the dispatcher has it.
Seconds exchange_time(const Transformer& shape, double positions, const Parallelism& way, const GpuCluster& cluster,
                      const Gpu& gpu, const PredictOptions& options);

}  // namespace rooftile
