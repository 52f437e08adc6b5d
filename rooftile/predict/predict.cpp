#include "rooftile/predict/predict.hpp"

#include <utility>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/base/units_text.hpp"
#include "rooftile/predict/call.hpp"
#include "rooftile/predict/phase_calls.hpp"
#include "rooftile/timing/roofline.hpp"

namespace rooftile {
namespace {

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

LayerEstimate estimate_alone(const LayerCall& call, const Gpu& gpu) {
  RefinedModels models;
  return estimate(call, gpu, models);
}

}  // namespace

Workload stored_as(Workload workload, DType precision) {
  for (Tensor& tensor : workload.tensors) {
    if (is_floating(tensor.dtype)) tensor.dtype = precision;
  }
  return workload;
}

LayerEstimate estimate(const Workload& workload, const Op& op, const Gpu& gpu, const PredictOptions& options) {
  return estimate_alone(call_of(workload, op, options), gpu);
}
LayerEstimate estimate(const Conv& conv, const Gpu& gpu, const PredictOptions& options) {
  return estimate_alone(call_of(conv, options), gpu);
}
LayerEstimate estimate(const Gemm& gemm, const Gpu& gpu, const PredictOptions& options) {
  return estimate_alone(call_of(gemm, options), gpu);
}
LayerEstimate estimate(const Attention& attention, const Gpu& gpu, const PredictOptions& options) {
  return estimate_alone(call_of(attention, options), gpu);
}
LayerEstimate estimate(const Recurrent& recurrent, const Gpu& gpu, const PredictOptions& options) {
  return estimate_alone(call_of(recurrent, options), gpu);
}
LayerEstimate estimate(const StreamLayer& stream, const Gpu& gpu, const PredictOptions& options) {
  return estimate_alone(call_of(stream, options), gpu);
}
LayerEstimate estimate_update(double weights, const Gpu& gpu, const PredictOptions& options) {
  return estimate_alone(update_call(weights, options), gpu);
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
  prediction.pass = name_of_pass(phase);
  prediction.layers = estimate_phase(stored, gpu, options, phase);
  for (const LayerEstimate& layer : prediction.layers) {
    prediction.time += layer.time;
    prediction.flops += layer.flops;
  }
  return prediction;
}

}  // namespace rooftile
