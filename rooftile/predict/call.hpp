// A pass of a layer with all that no GPU changes worked out: whoever predicts a workload on many GPUs makes its calls
// once.
//
//     const LayerCall call = call_of(conv, {.method = Method::rooftile});
//     LayerEstimate layer;
//     for (const Gpu& gpu : gpus) {
//       RefinedModels models;  // of one GPU
//       estimate(call, gpu, models, layer);
//     }
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "rooftile/ops/conv.hpp"
#include "rooftile/ops/stream_kernel.hpp"
#include "rooftile/ops/stream_layer.hpp"
#include "rooftile/ops/work.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/predict/refined.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {

// Kernels that stream their tensors, one after another.
struct Streams {
  OperandBytes bytes;
  std::vector<StreamKernel> kernels;
};

// Implicit GEMMs: a convolution, or a product of matrices.
struct Products {
  struct Part {
    Im2col gemm;
    double count = 1;  // alike
    PlansAhead ahead;  // empty: plans are made for each GPU anew
  };
  std::vector<Part> parts;  // none where no tap reaches an output
  bool convolution = false, depthwise = false;
  bool on_lanes = false;    // instead of tensor cores
  OperandBytes compulsory;  // of method roofline
  Streams streams;          // of a convolution that leaves a GEMM nothing to reduce, or that runs on lanes
};

struct LayerCall {
  std::string name, op, function;  // as LayerEstimate has them
  Shape output;
  Flops flops;
  Bytes epilogue;      // that a product reads beside its operands, for operators fused into it
  Bytes epilogue_age;  // what was used since these were, and they themselves (reuse.hpp)
  PredictOptions options;
  std::variant<std::monostate, Products, Streams, Attention, Recurrent> work;  // nothing: takes no time
};

// Of one op of a workload that passed validate(), or of an operator alone.
LayerCall call_of(const Workload& workload, const Op& op, const PredictOptions& options);
LayerCall call_of(const Conv& conv, const PredictOptions& options);
LayerCall call_of(const Gemm& gemm, const PredictOptions& options);
LayerCall call_of(const Attention& attention, const PredictOptions& options);
LayerCall call_of(const Recurrent& recurrent, const PredictOptions& options);
LayerCall call_of(const StreamLayer& stream, const PredictOptions& options);

// The update of that many weights; the clipping of their gradients by the norm of all
// (torch.nn.utils.clip_grad_norm_); the sum of two gradients of a tensor.
LayerCall update_call(double weights, const PredictOptions& options);
LayerCall clip_call(double weights, const PredictOptions& options);
LayerCall gradient_sum_call(const Tensor& tensor, const PredictOptions& options);

// A gradient of weights that keeps_gradients(): zeros first, to which it is added. The host's cost of the gradient,
// fitted to steps that did this, includes it.
inline constexpr std::string_view kKeptGradient = "add to zeros";
LayerCall kept_gradient_call(const Tensor& tensor, const PredictOptions& options);

// Of a gradient that FP8 products read: its largest element, and the conversion by it.
LayerCall converted_gradient_call(const Tensor& tensor, const PredictOptions& options);

// Plans beforehand for GPUs that have the L1 sectors and lines of this one, and most of them what its SMs hold.
void plan_ahead(LayerCall& call, const Gpu& gpu, RefinedModels& models);

// What stood in `layer` goes, its memory is used again. `models` are of `gpu` and of the calibration of the call.
// Without PredictOptions::breakdown the texts stay empty too.
void estimate(const LayerCall& call, const Gpu& gpu, RefinedModels& models, LayerEstimate& layer);
// Of a layer that nothing was in.
void estimate_new(const LayerCall& call, const Gpu& gpu, RefinedModels& models, LayerEstimate& layer);
LayerEstimate estimate(const LayerCall& call, const Gpu& gpu, RefinedModels& models);

}  // namespace rooftile
