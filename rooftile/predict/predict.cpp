#include "rooftile/predict/predict.hpp"

#include <utility>
#include <variant>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/base/units_text.hpp"
#include "rooftile/ops/conv.hpp"
#include "rooftile/ops/pass_bytes.hpp"
#include "rooftile/ops/stream_kernels.hpp"
#include "rooftile/ops/work.hpp"
#include "rooftile/predict/layer.hpp"
#include "rooftile/predict/refined.hpp"
#include "rooftile/predict/stream.hpp"
#include "rooftile/predict/training.hpp"
#include "rooftile/timing/roofline.hpp"
#include "rooftile/traffic/prior.hpp"

namespace rooftile {
namespace {

// Adds `count` equal kernels of an implicit GEMM to a layer, by DeLTA or with fixed miss rates.
void add_delta_kernel(LayerEstimate& layer, const Im2col& gemm, double count, const Gpu& gpu,
                      const PredictOptions& options) {
  DeltaKernel kernel;
  kernel.gemm = gemm;
  kernel.plan = delta_plan(gemm, gpu, options.plan);
  kernel.traffic = options.method == Method::prior ? prior_traffic(gemm, kernel.plan, gpu.l1_request,
                                                                   options.prior_miss_rate, options.prior_miss_rate)
                                                   : delta_traffic(gemm, kernel.plan, gpu.l1_request);
  kernel.timing = delta_time(kernel.plan, kernel.traffic, delta_rates(gpu));
  add_kernel(layer, {.count = count,
                     .traffic = kernel.traffic.total,
                     .cases = kernel.timing.cases,
                     .time = kernel.timing.time,
                     .plan = kernel});
}

Result<void> check_method(const PredictOptions& options) {
  const std::string_view method = name_of(options.method);
  switch (options.method) {
    case Method::delta:
    case Method::prior:
      if (options.precision != DType::fp32) {
        return fail(ErrorCode::unsupported,
                    fmt::format("method {} takes fp32 only, not {}; rooftile and roofline take every precision", method,
                                name_of(options.precision)));
      }
      if (options.pass != Pass::fwd) {
        return fail(ErrorCode::unsupported,
                    fmt::format("method {} takes pass fwd only, not {}; rooftile and roofline take every pass", method,
                                name_of(options.pass)));
      }
      if (!(options.prior_miss_rate >= 0 && options.prior_miss_rate <= 1)) {
        return fail(ErrorCode::bad_input,
                    fmt::format("a miss rate is between 0 and 1, not {}", options.prior_miss_rate));
      }
      return {};
    case Method::roofline:
    case Method::rooftile:
      return {};
    case Method::stream:
    case Method::none:
      break;
  }
  return fail(ErrorCode::bad_input, fmt::format("method {} is not for convolutions and GEMMs", method));
}

}  // namespace

Workload stored_as(Workload workload, DType precision) {
  for (Tensor& tensor : workload.tensors) {
    if (is_floating(tensor.dtype)) tensor.dtype = precision;
  }
  return workload;
}

LayerEstimate estimate(const Conv& conv, const Gpu& gpu, const PredictOptions& options, RefinedModels& models) {
  LayerEstimate layer = empty_layer("conv", options.method);
  layer.pass = options.pass;
  layer.flops = Flops(2 * macs(conv));
  if (options.method == Method::roofline) {
    if (is_depthwise(conv)) layer.function = "depthwise";
    add_roofline(layer, pass_bytes(conv, size_of(options.precision), options.pass), gpu, options.precision);
    return layer;
  }
  const RefinedModel* refined =
      options.method == Method::rooftile ? models.find(RefinedOp::conv, gpu, options) : nullptr;
  const bool by_kernels = refined != nullptr && refined->family == KernelFamily::conv_miopen;  // also for one channel
  if (!is_depthwise(conv) || by_kernels) {
    for (const ConvPart& part : direct_parts(conv)) {
      if (refined != nullptr) {
        add_refined(layer, im2col(part.conv), part.count, gpu, *refined, options);
      } else {
        add_delta_kernel(layer, im2col(part.conv), part.count, gpu, options);
      }
    }
  }
  if (refined != nullptr && !layer.breakdown.empty()) {
    finish_refined(layer, *refined);
    return layer;
  }
  if (layer.breakdown.empty()) {  // nothing that a GEMM would reduce: depthwise, or outputs that no tap reaches
    if (is_depthwise(conv)) layer.function = "depthwise";
    layer.method = Method::stream;
    const Bytes element = size_of(options.precision);
    const bool forward = options.pass == Pass::fwd;
    const OperandBytes bytes = forward ? conv_operand_bytes(conv, element) : pass_bytes(conv, element, options.pass);
    add_stream(layer, bytes, {depthwise_kernel(conv, bytes.read, bytes.write)}, gpu, options, models);
    return layer;
  }
  layer.bottleneck = largest(layer.cases);
  return layer;
}

LayerEstimate estimate(const Gemm& gemm, const Gpu& gpu, const PredictOptions& options, RefinedModels& models) {
  LayerEstimate layer = empty_layer("gemm", options.method);
  layer.pass = options.pass;
  const Im2col as_conv = im2col(gemm);
  layer.flops = Flops(2 * as_conv.m * as_conv.n * as_conv.k * as_conv.groups);
  if (options.method == Method::roofline) {
    add_roofline(layer, pass_bytes(gemm, size_of(options.precision), options.pass), gpu, options.precision);
    return layer;
  }
  if (options.method == Method::rooftile) {
    if (const RefinedModel* model = models.find(RefinedOp::gemm, gpu, options)) {
      add_refined(layer, as_conv, 1, gpu, *model, options);
      finish_refined(layer, *model);
      return layer;
    }
  }
  add_delta_kernel(layer, as_conv, 1, gpu, options);
  layer.bottleneck = largest(layer.cases);
  return layer;
}

LayerEstimate estimate(const Workload& workload, const Op& op, const Gpu& gpu, const PredictOptions& options,
                       RefinedModels& models) {
  LayerEstimate layer;
  if (const auto* conv = std::get_if<Conv>(&op.kind)) {
    layer = estimate(*conv, gpu, options, models);
  } else if (const auto* gemm = std::get_if<Gemm>(&op.kind)) {
    layer = estimate(*gemm, gpu, options, models);
  } else if (const auto* attention = std::get_if<Attention>(&op.kind)) {
    layer = estimate(*attention, gpu, options, models);
  } else if (const auto* recurrent = std::get_if<Recurrent>(&op.kind)) {
    layer = estimate(*recurrent, gpu, options, models);
  } else if (const auto* view = std::get_if<View>(&op.kind);
             view != nullptr && !(is_dropout(*view) && options.training)) {
    layer = empty_layer(name_of(op.kind), Method::none);
    layer.function = function_of(op.kind);
  } else {
    layer = stream_estimate(workload, op, gpu, options, models);
  }
  layer.name = op.name;
  layer.output = workload.tensors[op.outputs.front()].shape;
  return layer;
}

LayerEstimate estimate(const Workload& workload, const Op& op, const Gpu& gpu, const PredictOptions& options) {
  RefinedModels models;
  return estimate(workload, op, gpu, options, models);
}
LayerEstimate estimate(const Conv& conv, const Gpu& gpu, const PredictOptions& options) {
  RefinedModels models;
  return estimate(conv, gpu, options, models);
}
LayerEstimate estimate(const Gemm& gemm, const Gpu& gpu, const PredictOptions& options) {
  RefinedModels models;
  return estimate(gemm, gpu, options, models);
}
LayerEstimate estimate(const Attention& attention, const Gpu& gpu, const PredictOptions& options) {
  RefinedModels models;
  return estimate(attention, gpu, options, models);
}
LayerEstimate estimate(const Recurrent& recurrent, const Gpu& gpu, const PredictOptions& options) {
  RefinedModels models;
  return estimate(recurrent, gpu, options, models);
}
LayerEstimate estimate(const StreamLayer& stream, const Gpu& gpu, const PredictOptions& options) {
  RefinedModels models;
  return estimate(stream, gpu, options, models);
}

std::string label_of(const PredictOptions& options) {
  if (options.method != Method::prior) return std::string(name_of(options.method));
  return fmt::format("{}={}", name_of(options.method), options.prior_miss_rate);
}

Result<void> check(const PredictOptions& options) {
  TRY(check_method(options));
  if (options.plan.tile) {
    const Tile& tile = *options.plan.tile;
    if (tile.k < 1 || tile.k > kMaxTileDepth || !kernel_for(tile)) {
      return fail(ErrorCode::bad_input,
                  fmt::format("no kernel has a tile of {}x{}x{}; 128x128, 128x64 and 128x32 with a depth of 1 to {} do",
                              tile.m, tile.n, tile.k, kMaxTileDepth));
    }
  }
  if (options.plan.active_ctas_per_sm && *options.plan.active_ctas_per_sm < 1) {
    return fail(ErrorCode::bad_input, "an SM holds at least 1 active CTA");
  }
  return {};
}

Result<void> check(const PredictOptions& options, const Gpu& gpu) {
  TRY(check(options));
  const bool any_precision = options.method == Method::roofline || options.method == Method::rooftile;
  if (any_precision && !peak_of(options.precision, gpu)) {
    return fail(ErrorCode::unsupported,
                fmt::format("no peak rate of {} for {} is known", gpu.id, name_of(options.precision)));
  }
  if (!options.plan.tile) return {};
  const Tile& tile = *options.plan.tile;
  const Bytes smem = smem_of(*kernel_for(tile));
  if (smem <= gpu.sm.smem_per_cta) return {};
  return fail(ErrorCode::bad_input,
              fmt::format("a tile of {}x{}x{} needs {} of shared memory, a CTA of {} has {}", tile.m, tile.n, tile.k,
                          print(smem), gpu.id, print(gpu.sm.smem_per_cta)));
}

Result<Prediction> predict(const Workload& workload, const Gpu& gpu, const PredictOptions& options, Phase phase) {
  if (phase != Phase::fwd && options.precision == DType::int8) {
    return fail(ErrorCode::unsupported, "int8 has no gradients; pass inference takes it");
  }
  for (const Pass pass : passes_of(phase)) {
    PredictOptions own = options;
    own.pass = pass;
    TRY(check(own, gpu));
  }
  const Workload stored = stored_as(workload, options.precision);
  Prediction prediction;
  prediction.model = stored.name;
  prediction.gpu = gpu.id;
  prediction.batch_size = stored.batch_size;
  prediction.precision = options.precision;
  prediction.computed = computed_in(options.precision, gpu);
  prediction.method = label_of(options);
  prediction.sm_count = gpu.sm_count;
  prediction.peak = peak_of(options.precision, gpu).value_or(FlopsPerSecond(0));
  prediction.memory = memory_use(stored, phase);
  prediction.unsupported = stored.skipped;
  prediction.pass = phase == Phase::fwd ? "inference" : (phase == Phase::step ? "training" : name_of(phase));
  prediction.layers = estimate_phase(stored, gpu, options, phase);
  for (const LayerEstimate& layer : prediction.layers) {
    prediction.time += layer.time;
    prediction.flops += layer.flops;
  }
  return prediction;
}

}  // namespace rooftile
