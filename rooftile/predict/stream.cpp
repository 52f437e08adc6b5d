#include "rooftile/predict/stream.hpp"

#include <algorithm>
#include <string>
#include <variant>

#include "rooftile/ops/stream_gradient.hpp"
#include "rooftile/ops/stream_kernels.hpp"
#include "rooftile/predict/layer.hpp"
#include "rooftile/predict/refined.hpp"
#include "rooftile/timing/stream.hpp"
#include "rooftile/timing/stream_kernel_time.hpp"

namespace rooftile {
namespace {

void add_plain(LayerEstimate& layer, const OperandBytes& bytes, const Gpu& gpu) {
  const StreamTiming timing = stream_time(bytes, layer.flops, gpu);
  add_kernel(layer, {.traffic = compulsory_traffic(bytes), .cases = timing.cases, .time = timing.time});
  layer.bottleneck = timing.bottleneck;
}

}  // namespace

void add_stream(LayerEstimate& layer, const OperandBytes& bytes, const std::vector<StreamKernel>& kernels,
                const Gpu& gpu, const PredictOptions& options, RefinedModels& models) {
  if (kernels.empty()) return;
  const RefinedModel* found =
      options.method == Method::rooftile ? models.find(RefinedOp::stream, gpu, options) : nullptr;
  if (found == nullptr) return add_plain(layer, bytes, gpu);
  for (const StreamKernel& kernel : kernels) {
    const StreamKernelTime time = stream_kernel_time(kernel, found->rates);
    add_kernel(layer, {.traffic = time.traffic, .cases = time.cases, .time = time.time, .plan = kernel});
  }
  // What a framework adds is that of a call; where none is named, each kernel is a launch.
  RefinedModel model = *found;
  if (options.framework.empty()) model.floor *= layer.kernels;
  layer.cases[Bottleneck::launch] = std::max(layer.cases[Bottleneck::launch], model.floor);
  finish_refined(layer, model);
}

LayerEstimate stream_estimate(const Workload& workload, const Op& op, const Gpu& gpu, PredictOptions options,
                              RefinedModels& models) {
  options.framework.clear();  // harnesses of streams are of calls that were timed one by one
  LayerEstimate layer = empty_layer(name_of(op.kind), Method::stream);
  layer.function = function_of(op.kind);
  layer.pass = options.pass;
  if (options.pass == Pass::bwd_weight) return layer;  // with bwd_data
  layer.flops = flops(workload, op);
  if (options.pass == Pass::fwd) {
    add_stream(layer, operand_bytes(workload, op),
               stream_kernels(workload, op, options.training ? StreamUse::training : StreamUse::inference), gpu,
               options, models);
  } else {
    const std::vector<StreamKernel> kernels = gradient_kernels(workload, op);
    add_stream(layer, total_bytes(kernels), kernels, gpu, options, models);
  }
  return layer;
}

LayerEstimate estimate(const StreamLayer& stream, const Gpu& gpu, const PredictOptions& options,
                       RefinedModels& models) {
  LayerEstimate layer = empty_layer("stream", Method::stream);
  layer.function = name_of(stream.kind);
  layer.pass = options.pass;
  if (options.pass == Pass::bwd_weight) return layer;  // with bwd_data
  layer.flops = flops(stream);
  const Bytes element = size_of(options.precision);
  const NormKernels norms = norm_kernels(options.plan.kernel);
  const auto kernels = options.pass == Pass::fwd ? std::vector{stream_kernel(stream, element, norms)}
                                                 : gradient_kernels(stream, element, norms);
  add_stream(layer, total_bytes(kernels), kernels, gpu, options, models);
  return layer;
}

}  // namespace rooftile
