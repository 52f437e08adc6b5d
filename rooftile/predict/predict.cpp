#include "rooftile/predict/predict.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/try.hpp"
#include "rooftile/base/units_text.hpp"
#include "rooftile/execution/framework.hpp"
#include "rooftile/execution/launched.hpp"
#include "rooftile/execution/loss.hpp"
#include "rooftile/predict/call.hpp"
#include "rooftile/predict/captured.hpp"
#include "rooftile/predict/phase_calls.hpp"
#include "rooftile/predict/reuse.hpp"
#include "rooftile/timing/roofline.hpp"
#include "rooftile/workload/conv_geometry.hpp"

namespace rooftile {
namespace {

// "known: fp32, fp16", of precisions whose peak rates are.
std::string known_precisions(const Gpu& gpu) {
  std::vector<std::string_view> known;
  for (const DType precision : {DType::fp32, DType::tf32, DType::fp16, DType::bf16, DType::fp8, DType::int8,
                                DType::int4, DType::nvfp4, DType::mxfp4}) {
    if (peak_of(precision, gpu)) known.push_back(name_of(precision));
  }
  return fmt::format("known: {}", fmt::join(known, ", "));
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

LayerEstimate estimate_alone(const LayerCall& call, const Gpu& gpu) {
  RefinedModels models;
  return estimate(call, gpu, models);
}

}  // namespace

bool computes_loss(const Workload& workload, const PredictOptions& options, Phase phase) {
  return options.loss && !workload.captured && phase == Phase::step && options.method == Method::rooftile &&
         has_cross_entropy(workload);
}

Workload run_as(const Workload& workload, const PredictOptions& options, Phase phase) {
  const LaunchOptions rules = launch_options(options, phase);
  return computes_loss(workload, options, phase) ? launched(with_loss(workload), rules) : launched(workload, rules);
}

Execution kernels_of(const PredictOptions& options) {
  const bool interpreted = options.execution == Execution::compiled && interprets_its_graph(options.framework);
  return interpreted ? Execution::eager : options.execution;
}

namespace {

// Engines choose the layout that kernels for tensor cores read (TensorRT's formats), and so does Inductor
// (torch/_inductor/graph.py, decide_layout_opt).
bool channels_last(const PredictOptions& options) {
  if (options.nhwc) return true;
  const bool planes = size_of(options.precision) >= Bytes(4) && keeps_wide_planes(options.framework);
  return kernels_of(options) != Execution::eager && !planes;
}

// Files of these are llama.cpp's, whoever runs them.
bool is_llama_cpp_block(std::optional<DType> weights) {
  return weights == DType::q8_0 || weights == DType::q4_0 || weights == DType::q4_k_m;
}

}  // namespace

LaunchOptions launch_options(const PredictOptions& options, Phase phase) {
  return {.execution = kernels_of(options),
          .precision = options.precision,
          .autocast = options.autocast,
          .narrow_norms = options.narrow_norms,
          .widening_loads = options.framework.empty() || runs_pytorch(options.framework),
          .training = in_training_mode(options, phase),
          .tf32_products = multiplies_in_tf32(options.framework),
          .tf32_for_convolutions = convolves_in_tf32(options.framework),
          .nhwc = channels_last(options),
          .linear_bias = dimensions_with_fused_bias(options.framework),
          .composites_apart = lacks_composites(options.framework),
          .silu_apart = lacks_silu(options.framework),
          .scattered_targets = scatters_targets(options.framework),
          .epilogues = !leaves_products_bare(options.framework),
          .narrow_experts = multiplies_experts_in_fp8(options.framework),
          .narrow_prompts = attends_in_fp8(options.framework),
          .narrow_scaled_now = scales_fp8_at_once(options.framework),
          .wide_sums = writes_wide_sums(options.framework),
          .weights = options.weights,
          .expert_weights = options.expert_weights,
          .cache = options.cache,
          .narrow_heads = quantises_heads(options.framework) || is_llama_cpp_block(options.weights),
          .fused_attention = calls_fused_attention(options.framework),
          .networks_fuse = networks_call_fused_attention(options.framework),
          .short_fused_attention = fuses_short_attention(options.framework),
          .separate_attention = multiplies_scores(options.framework),
          .conv_epilogues = fuses_into_convolutions(options.framework),
          .copied_caches = concatenates_caches(options.framework),
          .unrolled_cells = options.unrolled_cells,
          .gates_apart = size_of(options.precision) == size_of(DType::fp32) && keeps_gates_apart(options.framework),
          .llama_cpp = is_llama_cpp(options.framework) && options.precision == DType::fp16 && phase == Phase::fwd,
          .int8_products = options.method == Method::rooftile || options.method == Method::roofline};
}

bool runs_engine_kernels(const PredictOptions& options) {
  return options.execution == Execution::engine && !leaves_products_bare(options.framework);
}

PredictOptions network_options(PredictOptions options) {
  options.in_network = true;
  options.nhwc = channels_last(options);
  const bool narrow = options.precision == DType::fp16 && sums_in_fp16(options.framework);
  if (narrow && !options.accumulate) options.accumulate = DType::fp16;
  options.plan.padded_rows = kernels_of(options) == Execution::compiled && pads_products(options.framework);
  return options;
}

LayerEstimate estimate(const Workload& workload, const Op& op, const Gpu& gpu, const PredictOptions& options) {
  LayerCall call = call_of(workload, op, options);
  const bool residual = options.in_network && call.epilogue > Bytes(0);
  if (residual) call.epilogue_age = epilogue_ages(workload)[static_cast<std::size_t>(&op - workload.ops.data())];
  return estimate_alone(call, gpu);
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
    return fail(ErrorCode::unsupported, fmt::format("no peak rate of {} for {} is known; {}", gpu.id,
                                                    name_of(options.precision), known_precisions(gpu)));
  }
  if (!options.plan.tile) return {};
  const Tile& tile = *options.plan.tile;
  const Bytes smem = smem_of(*kernel_for(tile));
  if (smem <= gpu.sm.smem_per_cta) return {};
  return fail(ErrorCode::bad_input,
              fmt::format("a tile of {}x{}x{} needs {} of shared memory, a CTA of {} has {}", tile.m, tile.n, tile.k,
                          print(smem), gpu.id, print(gpu.sm.smem_per_cta)));
}

Result<void> check(const Workload& workload, const PredictOptions& options, const Gpu& gpu, Phase phase) {
  const bool computes = launch_options(options, phase).int8_products;
  for (const Op& op : workload.ops) {
    if (!computes || !multiplies_int8(workload, op)) continue;
    if (phase != Phase::fwd) {
      return fail(ErrorCode::unsupported, "multiplies integers, which has no gradients; pass inference takes it",
                  fmt::format("layer '{}'", op.name));
    }
    if (peak_of(DType::int8, gpu)) return {};
    return fail(ErrorCode::unsupported,
                fmt::format("multiplies integers of 8 bits, and no peak rate of {} for int8 is known", gpu.id),
                fmt::format("layer '{}'", op.name));
  }
  return {};
}

// The maps that the largest convolution converts before and after its kernel: tensor cores read NHWC.
Bytes converted_maps(const Workload& launched, const PredictOptions& options) {
  Bytes most;
  if (channels_last(options) || size_of(options.precision) >= Bytes(4)) return most;
  for (const Op& op : launched.ops) {
    const auto* conv = std::get_if<Conv>(&op.kind);
    if (conv == nullptr || is_depthwise(*conv)) continue;
    most = std::max(most, size_of(launched.tensors[op.inputs.front()]) + size_of(launched.tensors[op.outputs.front()]));
  }
  return most;
}

MemoryUse memory_of(const Workload& launched, const PredictOptions& options, Phase phase) {
  MemoryUse use = memory_use(launched, phase, options.recompute);
  if (phase == Phase::step && !launched.captured) use.optimizer = optimizer_state(launched, options.optimizer);
  use.workspace = converted_maps(launched, options);
  return use;
}

}  // namespace rooftile
