// The pipeline: Workload x Gpu -> Prediction.
//
//     #include "rooftile/gpu/catalogue.hpp"
//     #include "rooftile/ingest/model.hpp"
//
//     const Workload workload = load_model("resnet50", {.batch_size = 8}).value();
//     const Gpu gpu = find_gpu("t4").value();
//     const Prediction inference = predict(workload, gpu).value();
//     const Prediction training = predict(workload, gpu, {.training = true}, Phase::step).value();
//     assert(training.time > 2 * inference.time);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/calibration/calibration.hpp"
#include "rooftile/execution/launched.hpp"
#include "rooftile/execution/recompute.hpp"
#include "rooftile/gpu/gpu.hpp"
#include "rooftile/ops/optimizer.hpp"
#include "rooftile/ops/stream_layer.hpp"
#include "rooftile/plan/plan.hpp"
#include "rooftile/predict/prediction.hpp"
#include "rooftile/workload/execution.hpp"
#include "rooftile/workload/phase.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {

struct PredictOptions {
  Method method = Method::rooftile;  // of convolutions and GEMMs: delta, rooftile, roofline or prior
  double prior_miss_rate = 1;        // of the L1 and of the L2, for method prior; 0 to 1
  Pass pass = Pass::fwd;
  bool training = false;  // gradients follow: streaming operators keep what these need
  DType precision = DType::fp32;
  std::optional<DType> weights = {};         // of products, narrower than they compute in: unpacked in the kernel
  std::optional<DType> expert_weights = {};  // of experts, where they are stored otherwise than `weights`
  std::optional<DType> cache = {};           // of earlier keys and values (LaunchOptions)
  std::optional<DType> accumulate = {};      // of sums on tensor cores; none: fp32
  std::optional<DType> result = {};          // that a convolution on tensor cores writes; none: as it reads
  bool rectified = false;                    // of an INT8 product: about half of its activations are zero
  bool nhwc = false;                         // maps of convolutions have their channels contiguous
  const Calibration* calibration = nullptr;  // of the refined method; null: what ships with the program
  std::string framework = {};                // that runs the op ("PyTorch 2.1 cuDNN 8.9"); empty: unknown
  PlanOptions plan = {};
  // Of a network: how it is run, and whether operators on a list keep FP32 (RunPrecision).
  Execution execution = Execution::eager;
  bool autocast = false;
  bool narrow_norms = false;  // LaunchOptions
  Optimizer optimizer = Optimizer::sgd;
  bool fused_update = false;       // in one kernel even where the execution fuses nothing
  bool loss = true;                // of a training step, where has_cross_entropy() knows one
  bool clip_gradients = false;     // by their norm
  std::int64_t micro_batches = 1;  // whose gradients add up before the update
  Recompute recompute = Recompute::none;
  bool unrolled_cells = false;  // LaunchOptions
  bool cuda_graphs = false;     // launches are recorded once and replayed
  bool host = true;             // false: the time of the GPU alone, as if launches cost the host nothing
  bool in_network = false;      // calls queue up: what the framework adds to one that is timed alone does not count
  Bytes pass_bytes{};           // that a network's pass uses before the next one starts; 0: unknown
  std::optional<double> host_single_thread = {};  // PassMark's rating of the host's processor, where that is all known
  // The machine that prepares the input of a network; null: what it is fed with lies on the GPU already.
  const Feeding* feeding = nullptr;
  bool breakdown = true;  // false: estimates without LayerEstimate::breakdown, for whoever makes millions
};

// The method as reports name it: "delta", "prior=0.5".
std::string label_of(const PredictOptions& options);

// A method, or a precision or pass of it, that is not built, a miss rate that is none, a tile that no kernel has, no
// active CTA: an error that says so. The functions below rely on options that pass.
Result<void> check(const PredictOptions& options);

// The same, that the tile's shared memory fits the GPU, and that the GPU has the precision where the method needs it.
Result<void> check(const PredictOptions& options, const Gpu& gpu);

// The same of a network's own integers: that the GPU multiplies them where an op does, forward alone.
Result<void> check(const Workload& workload, const PredictOptions& options, const Gpu& gpu, Phase phase);

// One of the ops of a workload that passed validate().
LayerEstimate estimate(const Workload& workload, const Op& op, const Gpu& gpu, const PredictOptions& options = {});

// One convolution or GEMM alone.
LayerEstimate estimate(const Conv& conv, const Gpu& gpu, const PredictOptions& options = {});
LayerEstimate estimate(const Gemm& gemm, const Gpu& gpu, const PredictOptions& options = {});

// One operator over sequences or a streaming one, alone, whose numbers passed check(). Under a method that is not for
// it the time is that of the roofline. A gradient of attention has both operands' in bwd_data and nothing in
// bwd_weight, and so has a streaming operator.
LayerEstimate estimate(const Attention& attention, const Gpu& gpu, const PredictOptions& options = {});
LayerEstimate estimate(const Recurrent& recurrent, const Gpu& gpu, const PredictOptions& options = {});
LayerEstimate estimate(const StreamLayer& stream, const Gpu& gpu, const PredictOptions& options = {});

// Several estimates, one after another, as one; with the name, kind and pass of the first.
LayerEstimate sum_of(const InOrder<LayerEstimate>& estimates);

// The network as it is run with these options: with the loss of a training step, as it is launched.
Workload run_as(const Workload& workload, const PredictOptions& options, Phase phase);

// A captured step with its launches of a pass as ops, under their names; for looking at one.
Workload launches_as_ops(const Workload& workload, Pass pass);

// Options as a captured step was run: its framework, layout and precision, unless one was asked for.
void run_as_captured(const CapturedStep& step, bool precision_asked, PredictOptions& options);

// Whether that adds the loss.
bool computes_loss(const Workload& workload, const PredictOptions& options, Phase phase);

// The rules of that, and the options of one of its ops.
LaunchOptions launch_options(const PredictOptions& options, Phase phase);

// Whose kernels run: those of the execution, but for a compiler that calls the framework's own (TorchScript).
Execution kernels_of(const PredictOptions& options);
PredictOptions network_options(PredictOptions options);

// Whether convolutions and pools are an engine's own kernels; FasterTransformer calls cuDNN.
bool runs_engine_kernels(const PredictOptions& options);

// The update of that many weights by an optimiser: reads weights and gradients, writes weights.
LayerEstimate estimate_update(double weights, const Gpu& gpu, const PredictOptions& options = {});

// A workload that passed validate(), through all passes of a phase: the layers forward, then the gradients from the
// last to the first, then the updates. The data gradient of layers that read nothing but inputs of the network is left
// out. Errors: those of check().
Result<Prediction> predict(const Workload& workload, const Gpu& gpu, const PredictOptions& options = {},
                           Phase phase = Phase::fwd);

// The largest weights-and-activations footprint of running the ops in order, freeing each tensor after its last use.
// With gradients what they read is kept: inputs of products, normalisations and other functions, results of softmax and
// of functions whose derivative follows from them; the gradients of activations come and go. In blocks of 512 bytes, as
// PyTorch's allocator rounds; what it caches and what the CUDA context takes (some hundred MB) is not counted.
MemoryUse memory_use(const Workload& workload, Phase phase = Phase::fwd, Recompute recompute = Recompute::none);

// Of a network as it is launched, with what the optimiser keeps, and the copies of maps that convolutions convert
// (PredictOptions::nhwc).
MemoryUse memory_of(const Workload& launched, const PredictOptions& options, Phase phase);

// What an optimiser keeps of each weight, in FP32.
Bytes optimizer_state(const Workload& workload, Optimizer optimizer);

}  // namespace rooftile
