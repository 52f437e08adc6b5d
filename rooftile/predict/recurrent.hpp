// Recurrent layers: steps that wait for one another, and the products over all steps beside them (docs/theory.md,
// "Recurrent layers").
#pragma once

#include "rooftile/gpu/gpu.hpp"
#include "rooftile/predict/refined.hpp"
#include "rooftile/workload/op.hpp"

namespace rooftile {

// What recurrent kernels need to know of a GPU beside its Machine.
struct RecurrentGpu {
  Seconds dram_latency, l2_latency;
  Seconds launch;            // of one kernel
  bool old_kernels = false;  // the libraries' kernels for Pascal and before
};
RecurrentGpu recurrent_gpu(const Gpu& gpu);

// The time if only one thing limited a pass, and the time they give together.
struct RecurrentTime {
  Seconds compute;  // multiply-accumulates of a step on all SMs
  Seconds latency;  // of the chain of loads along k that a step cannot hide
  Seconds l2, dram;
  Seconds launch;  // kernels that wait for one another
  Seconds time;
};

// The steps of the forward pass or of the data gradient, or what accumulating the gradients of the weights adds to
// their products. `machine` holds the constants of KernelFamily::recurrent; its `copies` are the launches of a step.
// sequence_products() come on top.
RecurrentTime recurrent_time(const Recurrent& recurrent, Pass pass, Bytes element, const RecurrentGpu& gpu,
                             const Machine& machine);

// Adds the products over all steps to a layer, as GEMMs are predicted.
void add_sequence_products(LayerEstimate& layer, const Recurrent& recurrent, const Gpu& gpu,
                           const PredictOptions& options);

// All of a pass without the overhead of its call; `model` is that of RefinedOp::recurrent.
void add_recurrent(LayerEstimate& layer, const Recurrent& recurrent, const Gpu& gpu, const RefinedModel& model,
                   const PredictOptions& options);

}  // namespace rooftile
