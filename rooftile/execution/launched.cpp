#include "rooftile/execution/launched.hpp"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "rooftile/execution/attention_pattern.hpp"
#include "rooftile/execution/autocast.hpp"
#include "rooftile/execution/bias.hpp"
#include "rooftile/execution/cache_type.hpp"
#include "rooftile/execution/composites.hpp"
#include "rooftile/execution/fold_constants.hpp"
#include "rooftile/execution/fusion.hpp"
#include "rooftile/execution/int8_engine.hpp"
#include "rooftile/execution/llama_cpp.hpp"
#include "rooftile/execution/loss.hpp"
#include "rooftile/execution/merged_products.hpp"
#include "rooftile/execution/narrow_products.hpp"
#include "rooftile/execution/rectified.hpp"
#include "rooftile/execution/strides.hpp"
#include "rooftile/execution/unit_rows.hpp"
#include "rooftile/execution/unrolled_cells.hpp"

namespace rooftile {
namespace {

// Weights that nothing but products read, or nothing at all (experts that rest): tables of embeddings stay as they are,
// and the head unless it is narrow, too. So do routers of experts (vLLM gives them no quant_config).
Workload with_narrow_weights(Workload workload, const LaunchOptions& options) {
  if (!options.weights && !options.expert_weights) return workload;
  std::vector<bool> narrow(workload.tensors.size(), true);
  const std::vector<bool> last = last_products(workload);
  for (std::size_t k = 0; k < workload.ops.size(); ++k) {
    const Op& op = workload.ops[k];
    const bool product =
        std::holds_alternative<Gemm>(op.kind) && !op.name.ends_with("/router") && (options.narrow_heads || !last[k]);
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      if (!product || i != 1) narrow[op.inputs[i]] = false;
    }
  }
  for (TensorId id = 0; id < workload.tensors.size(); ++id) {
    Tensor& tensor = workload.tensors[id];
    if (!narrow[id] || !tensor.constant) continue;
    const std::optional<DType> stored =
        options.expert_weights && is_of_experts(tensor) ? options.expert_weights : options.weights;
    if (stored) tensor.dtype = *stored;
  }
  return workload;
}

}  // namespace

Workload stored_as(Workload workload, DType precision) {
  for (Tensor& tensor : workload.tensors) {
    if (is_floating(tensor.dtype)) tensor.dtype = precision;
  }
  return workload;
}

bool multiplies_int8(const Workload& workload, const Op& op) {
  if (!std::holds_alternative<Conv>(op.kind) && !std::holds_alternative<Gemm>(op.kind)) return false;
  return op.inputs.size() > 1 && workload.tensors[op.inputs[0]].dtype == DType::int8 &&
         workload.tensors[op.inputs[1]].dtype == DType::int8;
}

namespace {

bool is_product(const Op& op) {
  return std::holds_alternative<Gemm>(op.kind) || std::holds_alternative<Attention>(op.kind);
}

// The type that the operator was called with; TF32 is a way to compute, not a type, and asked for by whoever runs it.
DType captured_precision(const Workload& workload, const Op& op, const LaunchOptions& options) {
  const DType type = op.inputs.empty() ? DType::fp32 : workload.tensors[op.inputs.front()].dtype;
  if (!is_floating(type)) return DType::fp32;
  return type == DType::fp32 && options.precision == DType::tf32 ? DType::tf32 : type;
}

bool products_in_tf32(const Workload& workload, const LaunchOptions& options) {
  const auto is_convolution = [](const Op& op) { return std::holds_alternative<Conv>(op.kind); };
  return options.tf32_products ||
         (options.tf32_for_convolutions && std::none_of(workload.ops.begin(), workload.ops.end(), is_convolution));
}

}  // namespace

bool multiplies_by_weights(const Workload& workload, const Op& op) {
  return std::holds_alternative<Gemm>(op.kind) && op.inputs.size() > 1 && workload.tensors[op.inputs[1]].constant;
}

DType precision_of(const Workload& workload, const Op& op, const LaunchOptions& options) {
  if (options.int8_products && multiplies_int8(workload, op)) return DType::int8;
  if (workload.captured) return captured_precision(workload, op, options);
  if (options.precision == DType::tf32 && is_product(op) && !products_in_tf32(workload, options)) return DType::fp32;
  const bool mixed = options.autocast || is_narrow_float(options.precision) || options.llama_cpp;
  if (!mixed || op.inputs.empty()) return options.precision;
  const DType type = workload.tensors[op.inputs.front()].dtype;
  return is_floating(type) ? type : options.precision;
}

namespace {

bool is_narrow(DType precision) { return size_of(precision) < size_of(DType::fp32); }

// Of fuses_short_attention().
FusedHeads short_heads(DType precision) {
  constexpr std::int64_t kPositions = 384;
  return {.dim = 64, .positions = is_narrow(precision) ? kPositions : 0};
}

// Of keys, where attention is two products (models/vit/ViT.cc, UnfusedAttentionLayerINT8.cc: seq_len_padded).
std::int64_t padding_of(DType precision) {
  constexpr std::int64_t kHalves = 8, kIntegers = 32;
  if (precision == DType::int8) return kIntegers;
  return is_narrow(precision) ? kHalves : 1;
}

// Of keys and values, where it is another type than theirs.
std::optional<DType> cache_of(const LaunchOptions& options) {
  if (options.training || options.autocast) return std::nullopt;
  if (!options.cache && !is_narrow_float(options.precision)) return std::nullopt;
  return cache_type(options.cache, options.precision);
}

Workload launched_by_llama_cpp(Workload workload, const LaunchOptions& options) {
  workload = fuse_attention(std::move(workload), AttentionCalls::all);  // which its launches then take apart
  if (is_llama_cpp_prompt(workload)) return as_llama_cpp(std::move(workload), options.weights);
  workload = stored_as(std::move(workload), options.precision);
  workload = with_narrow_weights(std::move(workload), options);
  return as_llama_cpp_step(std::move(workload));
}

// Of the network as it is written, or of all in an engine, in the layout that its kernels want.
Workload with_fused_attention(Workload workload, const LaunchOptions& options) {
  const bool engine = options.execution == Execution::engine;
  if (engine || options.fused_attention) {
    const AttentionCalls eager = options.networks_fuse ? AttentionCalls::networks : AttentionCalls::modules;
    FusedHeads heads = engine && options.short_fused_attention ? short_heads(options.precision) : FusedHeads();
    if (engine && options.separate_attention) heads.positions = 0;
    workload = fuse_attention(std::move(workload), engine ? AttentionCalls::all : eager, heads);
  }
  if (engine && (options.short_fused_attention || options.separate_attention))
    workload = lay_out_heads(std::move(workload), options.separate_attention ? 1 : padding_of(options.precision));
  return workload;
}

// Tensors in the types that the precision asks for.
Workload with_types(Workload workload, const LaunchOptions& options) {
  if (options.autocast) {
    return autocast(
        stored_as(std::move(workload), DType::fp32),
        {.narrow = options.precision, .narrow_norms = options.narrow_norms, .widening_loads = options.widening_loads});
  }
  if (!is_narrow_float(options.precision)) return stored_as(std::move(workload), options.precision);
  return multiply_narrow(stored_as(std::move(workload), kBesideNarrow),
                         {.type = options.precision,
                          .training = options.training,
                          .experts = options.narrow_experts,
                          .prompts = options.narrow_prompts,
                          .scaled_now = options.training && options.narrow_scaled_now});
}

}  // namespace

Workload launched(Workload workload, const LaunchOptions& options) {
  if (workload.captured) return workload;
  if (options.unrolled_cells) workload = unroll_cells(std::move(workload));
  if (options.llama_cpp) return launched_by_llama_cpp(std::move(workload), options);
  const bool engine = options.execution == Execution::engine;
  if (engine) workload = fold_constants(std::move(workload));
  if (options.execution != Execution::eager) workload = fuse_unit_rows(std::move(workload));
  workload = with_fused_attention(std::move(workload), options);
  workload = with_types(std::move(workload), options);
  if (const auto cache = cache_of(options)) workload = keep_cache_in(std::move(workload), *cache);
  if (options.copied_caches) workload = copy_caches(std::move(workload));
  if (!options.autocast && is_narrow(options.precision)) workload = with_wide_loss(std::move(workload));
  const bool epilogues = engine && options.epilogues;
  if (engine && !epilogues) workload = add_product_biases_apart(std::move(workload));
  const bool bare_int8 = engine && !epilogues && options.precision == DType::int8;
  if (bare_int8) workload = as_int8_engine(std::move(workload), options.wide_sums);
  workload = with_narrow_weights(std::move(workload), options);
  if (engine) workload = merge_products(std::move(workload));
  if (engine && !epilogues) workload = join_product_biases(std::move(workload));
  if (options.execution == Execution::eager && options.composites_apart) {
    workload = take_composites_apart(std::move(workload));
  }
  if (options.execution == Execution::eager && options.silu_apart) workload = take_silu_apart(std::move(workload));
  if (!engine) workload = add_biases_apart(std::move(workload), options.nhwc);
  if (!engine && options.linear_bias) {
    workload = add_linear_biases_apart(std::move(workload), *options.linear_bias);
  }
  if (!engine) workload = move_where_needed(std::move(workload), {.nhwc = options.nhwc, .training = options.training});
  workload = mark_rectified(std::move(workload));
  if (options.execution == Execution::eager) return workload;
  workload = fuse(workload, {.epilogues = epilogues,
                             .conv_epilogues = epilogues || (engine && options.conv_epilogues),
                             .training = options.training,
                             .gates_apart = options.gates_apart});
  return with_fused_loss(std::move(workload), options.scattered_targets);
}

}  // namespace rooftile
