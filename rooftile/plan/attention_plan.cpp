#include "rooftile/plan/attention_plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "rooftile/gpu/generation.hpp"
#include "rooftile/plan/attention_shape.hpp"
#include "rooftile/plan/matrix_peak.hpp"

namespace rooftile {
namespace {

constexpr double kInstructionRows = 16;

AttentionRate rate_of(const AttentionShape& shape, const AttentionCall& call) {
  if (spilled(shape)) return shape.dim <= 64 ? AttentionRate::narrow : AttentionRate::spilled;
  if (generation::has_tensor_memory(shape.generation)) {  // sums stay in tensor memory, whatever the operands
    return AttentionRate::full;
  }
  if (shape.fp8) {
    return call.vllm && call.library == AttentionLibrary::flash3 ? AttentionRate::promoted : AttentionRate::fp8;
  }
  switch (call.library) {
    case AttentionLibrary::flash1:
    case AttentionLibrary::flash2:
    case AttentionLibrary::flash3:
    case AttentionLibrary::flash4:
    case AttentionLibrary::cudnn:
    case AttentionLibrary::xformers:
    case AttentionLibrary::trtllm_gen:
      return AttentionRate::full;
    case AttentionLibrary::trtllm:
      return generation::has_async_products(shape.generation) ? AttentionRate::full : AttentionRate::older;
    case AttentionLibrary::unfused:
      return AttentionRate::full;
    case AttentionLibrary::flashinfer:
    case AttentionLibrary::triton:
      return generation::has_async_products(shape.generation) ? AttentionRate::full : AttentionRate::older;
  }
  return AttentionRate::full;
}

bool choose_other(AttentionPlan& plan, const AttentionShape& shape, const AttentionCall& call) {
  const bool triton = call.library == AttentionLibrary::triton;
  plan.kernel = triton && shape.decode ? AttentionKernel::small : AttentionKernel::group;
  plan.packed = shape.group;
  plan.waits = triton && shape.decode;
  if (triton) plan.padded_dim = std::exp2(std::ceil(std::log2(shape.dim)));
  TileSize tile = group_tile(shape.group * shape.q);
  if (!shape.decode) tile = {shape.dim <= 128 ? 128.0 : 64.0, 64};
  plan.tile_q = tile.q;
  plan.tile_kv = tile.kv;
  plan.kernels = shape.decode ? 4 : 3;
  return shape.decode;
}

// xFormers' kernels, which PyTorch has a copy of (mem_eff_attention/kernel_forward.h): four warps with 64 keys at a
// time, or 128 where heads have more than 64 dimensions. Sums of results are as wide as the keys of a step.
bool choose_xformers(AttentionPlan& plan, const AttentionShape& shape) {
  constexpr double kNarrow = 64, kWarps = 4, kDepth = 32;
  const bool narrow = shape.value_dim <= kNarrow;
  plan.tile_q = narrow ? 64 : 32;
  plan.tile_kv = narrow ? 64 : 128;
  plan.resident = (shape.generation < generation::kAmpere ? 12 : 16) / kWarps;  // getWarpsPerSm()
  plan.padded_dim = kDepth * std::ceil(shape.dim / kDepth);
  plan.padded_values = plan.tile_kv * std::ceil(shape.value_dim / plan.tile_kv);
  plan.decode = false;  // few queries are a tile like any other
  return false;
}

// Products with nothing left out, and kernels between them.
bool choose_unfused(AttentionPlan& plan, const AttentionShape& shape) {
  constexpr double kKernels = 3;  // scores, softmax, results
  plan.kernel = AttentionKernel::small;
  plan.tile_q = plan.tile_kv = 128;
  plan.kernels = shape.causal ? kKernels + 1 : kKernels;
  return false;
}

bool choose(AttentionPlan& plan, const AttentionShape& shape, const AttentionCall& call) {
  if (shape.decode && is_latent(shape) && call.library != AttentionLibrary::unfused) {
    choose_latent(plan, shape, call);
    return false;
  }
  switch (call.library) {
    case AttentionLibrary::flash1:
    case AttentionLibrary::flash2:
    case AttentionLibrary::flash3:
    case AttentionLibrary::flash4:
    case AttentionLibrary::cudnn:
      return choose_flash(plan, shape, call);
    case AttentionLibrary::trtllm:
      return choose_trtllm(plan, shape, call);
    case AttentionLibrary::trtllm_gen:
      return choose_trtllm_gen(plan, shape, call);
    case AttentionLibrary::xformers:
      return choose_xformers(plan, shape);
    case AttentionLibrary::unfused:
      return choose_unfused(plan, shape);
    case AttentionLibrary::flashinfer:
    case AttentionLibrary::triton:
      break;
  }
  return choose_other(plan, shape, call);
}

// Steps over the keys of the CTAs of one sequence and packed head.
struct Steps {
  double tiles = 1, mean = 1, most = 1;
};

// Steps of `keys` that the tile needs whose first row is `row`.
double steps_of_tile(const AttentionPlan& plan, const AttentionShape& shape, double row, double keys) {
  const double before = shape.kv - shape.q;  // keys before the first query
  const double first = std::floor(row / plan.packed);
  const double last = std::min(std::floor((row + plan.tile_q - 1) / plan.packed), shape.q - 1);
  const double end = shape.causal ? last + before + 1 : shape.kv;
  if (shape.window >= shape.kv) return std::ceil(end / keys);
  // A key more than the window, as measured kernels have it, but FlashAttention-2's not.
  const double beyond = plan.decode && !precedes_flash3(plan.library) ? 1 : 0;
  const double begin = std::max(0.0, std::min(first + before, end - 1) - shape.window + 1 - beyond);
  return std::ceil(end / keys) - std::floor(begin / keys);
}

// Masked keys are skipped by the step, at the diagonal by `kMaskKeys`. Of very many tiles, some stand for all.
Steps count_steps(const AttentionPlan& plan, const AttentionShape& shape) {
  constexpr double kMaskKeys = 32, kWindowKeys = 128, kMostTiles = 4096;
  double keys = kMaskKeys;
  if (shape.window < shape.kv) keys = shape.fp8 ? plan.tile_kv : std::min(plan.tile_kv, kWindowKeys);
  const bool whole = plan.split_tile || plan.library == AttentionLibrary::xformers;
  if (plan.decode || whole) keys = plan.tile_kv;
  const double tiles = std::ceil(shape.q * plan.packed / plan.tile_q);
  const double counted = std::min(tiles, kMostTiles);
  const double apart = counted > 1 ? (tiles - 1) / (counted - 1) : 1;
  double sum = 0, most = 0;
  for (double i = 0; i < counted; ++i) {
    const double steps = steps_of_tile(plan, shape, std::round(i * apart) * plan.tile_q, keys);
    sum += steps;
    most = std::max(most, steps);
  }
  const double step = keys / plan.tile_kv;  // in steps of the kernel
  return {tiles, sum / counted * step, most * step};
}

// Kernels without tiles of keys take as long as they have keys.
bool whole_steps(AttentionKernel kernel) {
  return kernel != AttentionKernel::stacked && kernel != AttentionKernel::vector &&
         kernel != AttentionKernel::converted;
}

// TensorRT's kernels for encoders of up to 384 positions keep all keys and values of a head in an SM: one CTA for each
// head of a text (plugin/bertQKVToContextPlugin/fused_multihead_attention/include/fused_multihead_attention.h: the grid
// is params.h x params.b). FasterTransformer's copy shares a head among CTAs where batches are small. AITemplate's copy
// of the first FlashAttention has the same grid
// (python/aitemplate/backend/cuda/attention/src/fmha_fprop_fp16_kernel.sm80.cu); it is for some head dimensions, and
// not for two long texts (frontend/nn/attention.py: use_flash).
bool takes_whole_heads(const AttentionShape& shape, const AttentionCall& call) {
  constexpr double kMostPositions = 384, kMostDim = 64, kLong = 512, kFewTexts = 2;
  const bool has_kernel = shape.generation > generation::kVolta && shape.generation < generation::kHopper;
  if (call.aitemplate && has_kernel && !shape.decode && shape.q == shape.kv) {
    constexpr std::array kDims = {8., 16., 32., 64., 128.};
    const bool has_dim = std::find(kDims.begin(), kDims.end(), shape.dim) != kDims.end();
    return has_dim && (shape.kv < kLong || shape.batch > kFewTexts);
  }
  return call.whole_heads && has_kernel && !shape.decode && !shape.causal && shape.kv <= kMostPositions &&
         shape.dim <= kMostDim && shape.q == shape.kv;
}

void count_bytes(AttentionPlan& plan, const AttentionShape& shape, const AttentionCall& call, double activation) {
  const double seen = std::min(shape.kv, shape.window + shape.q - 1);
  const double rows = shape.batch * shape.heads * shape.q, query = rows * shape.dim;
  const double features = is_latent(shape) ? shape.dim : shape.dim + shape.value_dim;
  const double head_keys = shape.batch * seen * features * shape.key_bytes;
  plan.queries = Bytes(query * activation);
  plan.results = Bytes(rows * shape.value_dim * activation);
  plan.keys = Bytes(head_keys * shape.kv_heads);
  const bool many = plan.decode && plan.packed < shape.group;
  plan.key_loads = many ? shape.group / plan.packed : 1;
  if (!plan.decode) {
    const double key = features * shape.key_bytes;
    plan.streamed = Bytes(plan.ctas * plan.steps * plan.tile_kv * key);
  }
  // FlashAttention walks all sequences of a head before the next head, and finds its keys in the L2 or not.
  if (many && plan.kernel == AttentionKernel::tile) plan.reuse = Bytes(head_keys);
  if (plan.split > 1) {
    constexpr double kPartial = 8;  // FP32, stored and loaded
    plan.partial = Bytes(kPartial * rows * shape.value_dim * plan.split);
  }
  if (plan.copied) plan.around += 2 * (plan.queries + plan.results);
  if (!call.writes_cache) return;
  constexpr double kFewest = 64, kMost = 512;  // threads that write a token (vLLM, csrc/cache_kernels.cu)
  const double fresh = shape.batch * std::min(shape.q, shape.kv) * shape.kv_heads * features;
  plan.around += Bytes(fresh * (activation + shape.key_bytes));
  plan.token_ctas = shape.batch * shape.q * std::clamp(shape.kv_heads * shape.dim, kFewest, kMost) / shape.sm_threads;
  plan.token_writes = call.vllm;
  if (call.library == AttentionLibrary::trtllm && !plan.decode) plan.around += Bytes(2 * query * activation);
  // vLLM makes FP8 queries by a kernel of their own.
  if (call.vllm && shape.fp8 && activation > 1) plan.around += Bytes(query * (activation + 1));
}

// vLLM records its launches as graphs, for which it asks for 32 (max_num_splits); others for what one long sequence
// alone would be split into.
double split_of_paged(const AttentionPlan& plan, const AttentionShape& shape, const AttentionCall& call) {
  constexpr double kOfGraphs = 32;
  const double blocks = std::ceil(shape.kv / plan.tile_kv);
  const double tiles = plan.ctas / shape.batch;
  const double most = call.vllm ? kOfGraphs : attention_split(tiles, shape.sms, blocks);
  return flash3_split(plan.ctas, shape.sms, blocks, most);
}

double issued_share(AttentionLibrary library, const AttentionUnits& units) {
  // The older instructions on Hopper (Luo et al., arXiv:2402.13499: 62.9 % on average); Blackwell's SMs multiply twice
  // as fast, and those instructions do not.
  constexpr double kOlderInstructions = 0.63;
  // Of FlashAttention-3's rate, by the same calls of Triton on an H100 (pytorch/benchmark, pull request 2391: 0.75 to
  // 0.78); taken for FlashInfer's kernels and for Blackwell, too.
  constexpr double kGenerated = 0.77;
  if (library == AttentionLibrary::triton || library == AttentionLibrary::flashinfer) {
    return units.asynchronous ? kGenerated : 1;
  }
  if (!precedes_flash3(library) || !units.asynchronous) return 1;
  return units.overlapped ? kOlderInstructions / 2 : kOlderInstructions;
}

}  // namespace

bool precedes_flash3(AttentionLibrary library) {
  return library == AttentionLibrary::flash1 || library == AttentionLibrary::flash2 ||
         library == AttentionLibrary::xformers;
}

void set_instructions(AttentionPlan& plan, const Gpu& gpu) {
  const AttentionUnits units = attention_units(gpu);
  const bool older = precedes_flash3(plan.library);
  const auto unit = matrix_peak(plan.precision);
  const bool on_tensor_cores = unit && gpu.vendor == "nvidia" && gpu.peak(*unit) > FlopsPerSecond(0);
  plan.exponentials = units.exponentials;
  plan.issued = issued_share(plan.library, units);
  plan.overlapped = units.overlapped && !older;
  plan.splits_operands = on_tensor_cores && plan.library == AttentionLibrary::xformers && plan.precision == DType::tf32;
  if (plan.splits_operands) plan.issued /= 3;
  plan.asynchronous = on_tensor_cores && units.asynchronous && !older;
  plan.loads_operands = on_tensor_cores && !plan.asynchronous;
  // That rate is of how these libraries' warps load operands.
  if (plan.rate == AttentionRate::older && !plan.loads_operands) plan.rate = AttentionRate::full;
  plan.shares_scores = !plan.backward && plan.library == AttentionLibrary::xformers && on_tensor_cores &&
                       gpu.generation >= generation::kVolta && gpu.generation < generation::kAmpere;
  plan.early = plan.library == AttentionLibrary::flash1 ||
               (plan.library == AttentionLibrary::xformers && !plan.shares_scores && !plan.splits_operands);
}

double unfused_elements(bool backward, bool causal) {
  // Scores and probabilities are written and read; of the probabilities' gradient the softmax makes that of the scores,
  // reading two and writing one, which queries and keys read.
  constexpr double kForward = 4, kBackward = 7, kMask = 2;
  return (backward ? kBackward : kForward) + (causal ? kMask : 0);
}

namespace {

// num_splits_heuristic: the fewest of those that `eligible` names which use the places nearly as well as the best does.
template <class Eligible>
double busiest_split(double tiles, double places, double blocks, Eligible eligible) {
  constexpr double kMost = 128, kNearBest = 0.85;
  const double most = std::min({kMost, places, blocks});
  const auto busy = [&](double split) {
    if (!eligible(split)) return 0.0;
    const double waves = tiles * split / places;
    return waves / std::ceil(waves);
  };
  double best = 0;
  for (double split = 1; split <= most; ++split) best = std::max(best, busy(split));
  for (double split = 1; split <= most; ++split) {
    if (busy(split) >= kNearBest * best) return split;
  }
  return 1;
}

constexpr double kBusyEnough = 0.8;

}  // namespace

double attention_split(double tiles, double sms, double blocks) {
  constexpr double kFewBlocks = 4;
  if (tiles >= kBusyEnough * sms || blocks <= kFewBlocks) return 1;
  return busiest_split(tiles, sms, blocks, [](double) { return true; });
}

double flash2_split(double tiles, double sms, double blocks) {
  constexpr double kCtas = 2;
  if (tiles >= kBusyEnough * kCtas * sms) return 1;
  return busiest_split(tiles, kCtas * sms, blocks, [blocks](double split) {
    return split == 1 || std::ceil(blocks / split) != std::ceil(blocks / (split - 1));
  });
}

double flash3_split(double tiles, double sms, double blocks, double most) {
  constexpr double kMargin = 1.1;
  const double share = std::max(1.0, std::ceil(kMargin * tiles * blocks / sms));
  return std::clamp(std::ceil(blocks / share), 1.0, std::max(1.0, most));
}

AttentionPlan attention_plan(const Attention& attention, DType precision, const AttentionCall& call, const Gpu& gpu) {
  AttentionShape shape = attention_shape(attention, precision, call.library, gpu);
  // vLLM calls prompts of one token a decode step, too.
  if (call.library == AttentionLibrary::trtllm_gen && shape.q == 1) shape.decode = true;
  AttentionPlan plan;
  plan.decode = shape.decode;
  plan.head_dim = plan.padded_dim = shape.dim;
  plan.warm = call.serving || !plan.decode;
  const bool splits = choose(plan, shape, call);
  if (takes_whole_heads(shape, call)) plan.tile_q = kInstructionRows * std::ceil(shape.q / kInstructionRows);
  plan.library = call.library;
  plan.rate = rate_of(shape, call);
  plan.precision = attention_precision(attention, precision, call.library, gpu);
  set_instructions(plan, gpu);
  plan.block_scaled = attention.block_scaled;
  if (plan.padded_values == 0) plan.padded_values = plan.padded_dim > shape.dim ? plan.padded_dim : shape.value_dim;
  plan.pair_macs = plan.padded_dim + plan.padded_values;
  AttentionShape seen = shape;
  const bool unfused = call.library == AttentionLibrary::unfused;
  if (unfused) {
    seen.causal = false;
    seen.window = shape.kv;
  }
  const Steps steps = count_steps(plan, seen);
  plan.ctas = shape.batch * shape.heads / plan.packed * steps.tiles;
  if (splits) {
    const auto split = plan.split_tile ? flash2_split : attention_split;
    plan.split = split(plan.ctas, gpu.sm_count, std::ceil(steps.most));
  }
  if (plan.kernel == AttentionKernel::paged) {
    plan.split = std::min(split_of_paged(plan, shape, call), std::ceil(steps.most));
  }
  plan.steps = steps.mean;
  plan.most_steps = steps.most;
  if (plan.decode) {
    const double keys = std::min(shape.kv, shape.window);
    plan.steps = whole_steps(plan.kernel) ? std::ceil(steps.mean / plan.split) : keys / plan.tile_kv / plan.split;
    plan.most_steps = plan.steps;
  }
  constexpr double kLeastActivation = 2;  // FP8 queries are made from, and results are written as, BF16
  const double activation = std::max(kLeastActivation, size_of(precision).value());
  count_bytes(plan, shape, call, activation);
  if (unfused) {
    const double pairs = shape.batch * shape.heads * shape.q * shape.kv;
    plan.around += Bytes(activation * unfused_elements(false, shape.causal) * pairs);
  }
  return plan;
}

}  // namespace rooftile
