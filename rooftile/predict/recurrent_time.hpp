// The closed form of recurrent layers: steps that wait for one another (docs/theory/recurrent.md).
#pragma once

#include "rooftile/base/units.hpp"
#include "rooftile/gpu/gpu.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/timing/gpu_rates.hpp"
#include "rooftile/traffic/recurrent_traffic.hpp"
#include "rooftile/workload/op.hpp"
#include "rooftile/workload/pass.hpp"

namespace rooftile {

// What recurrent kernels need to know of a GPU beside its GpuRates.
struct RecurrentGpu {
  Seconds dram_latency = {}, l2_latency = {};
  Seconds launch = {};       // of one kernel
  Bytes shared = {};         // that an SM reads from shared memory in a clock
  bool old_kernels = false;  // the libraries' kernels for Pascal and before
  bool lone_ctas = false;    // the product of a step does not split k: cuDNN's in FP32 from Hopper on
  bool on_chip = false;      // there is a kernel that keeps the weights on the chip from step to step
};
RecurrentGpu recurrent_gpu(const Recurrent& recurrent, const Gpu& gpu, const PredictOptions& options);

// The time if only one thing limited a pass, and the time they give together.
struct RecurrentTime {
  Seconds compute;  // multiply-accumulates of the steps on all SMs
  Seconds latency;  // of the chains of loads along k that steps cannot hide
  Seconds l2, dram;
  Seconds launch;  // kernels that wait for one another
  Seconds time;
  bool on_chip = false;  // a kernel that keeps the weights on the chip takes least
};

// The steps of the forward pass or of the data gradient, or what adding up the gradients of the weights takes beside
// their products. `rates` holds the constants of KernelFamily::recurrent; its `step_launches` are those of the
// framework. The products over all steps (ops/recurrent.hpp) come on top.
RecurrentTime recurrent_time(const Recurrent& recurrent, Pass pass, Bytes element, const RecurrentGpu& gpu,
                             const GpuRates& rates);

// Launches of one step of one cell.
double launches_of_step(Pass pass, const GpuRates& rates);

}  // namespace rooftile
