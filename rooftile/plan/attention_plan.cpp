#include "rooftile/plan/attention_plan.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "rooftile/base/lower_case.hpp"
#include "rooftile/gpu/facts.hpp"
#include "rooftile/workload/sequence.hpp"

namespace rooftile {
namespace {

constexpr double kHopper = 9, kBlackwell = 10, kConsumerBlackwell = 12;

bool asynchronous(double generation) { return generation >= kHopper && generation < kConsumerBlackwell; }
// With tensor memory.
bool overlapped(double generation) { return generation >= kBlackwell && generation < kConsumerBlackwell; }

// What a framework's name or a kernel's is made of: "vllm_flash_attn_fa3" is vllm, flash, attn and fa3.
class Words {
 public:
  explicit Words(std::string_view text) {
    std::string word;
    for (const char c : lower_case(text)) {
      if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
        word += c;
      } else if (!word.empty()) {
        words_.push_back(std::exchange(word, {}));
      }
    }
    if (!word.empty()) words_.push_back(std::move(word));
  }

  bool has(std::string_view word) const { return std::find(words_.begin(), words_.end(), word) != words_.end(); }

  // The digit of "fa3", "flashattention3", "FlashAttention 3" and "flash_attn_3".
  bool is_flash(std::string_view digit) const {
    constexpr std::array<std::string_view, 4> kNames = {"fa", "flashattention", "attention", "attn"};
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (const std::string_view name : kNames) {
        if (words_[i] == std::string(name) + std::string(digit)) return true;
        if (words_[i] == name && i + 1 < words_.size() && words_[i + 1] == digit) return true;
      }
    }
    return false;
  }

 private:
  std::vector<std::string> words_;
};

struct Shape {
  double batch = 1, q = 1, kv = 1, heads = 1, kv_heads = 1, dim = 1, value_dim = 1;
  double window = 1;     // all keys where there is none
  double group = 1;      // heads that share keys
  double key_bytes = 2;  // of an element of K and V
  bool causal = false, windowed = false, decode = false;
  bool fp8_keys = false, fp8 = false;  // in the cache; as they are multiplied
  double generation = 0, sms = 1, smem = 0;
};

Shape shape_of(const Attention& attention, DType precision, const Gpu& gpu) {
  constexpr std::int64_t kMostDraft = 8;  // queries of speculative decoding
  Shape shape;
  shape.batch = static_cast<double>(attention.batch);
  shape.q = static_cast<double>(attention.q_len);
  shape.kv = static_cast<double>(attention.kv_len);
  shape.heads = static_cast<double>(attention.heads);
  shape.kv_heads = static_cast<double>(attention.kv_heads);
  shape.dim = static_cast<double>(attention.head_dim);
  shape.value_dim = static_cast<double>(value_dim(attention));
  const double window = static_cast<double>(attention.window);
  shape.window = window > 0 ? window : shape.kv;
  shape.group = shape.heads / shape.kv_heads;
  const DType keys = attention.kv_precision.value_or(precision);
  shape.key_bytes = size_of(keys).value();
  shape.causal = attention.causal;
  shape.windowed = attention.window > 0;
  shape.decode = attention.q_len <= kMostDraft && attention.q_len < attention.kv_len;
  shape.fp8_keys = keys == DType::fp8;
  shape.fp8 = attention_precision(attention, precision, gpu) == DType::fp8;
  shape.generation = generation_of(gpu);
  shape.sms = gpu.sm_count;
  shape.smem = gpu.sm.smem.value();
  return shape;
}

struct TileSize {
  double q, kv;
};

// tile_size_fwd_sm90 and tile_size_fwd_sm8x of FlashAttention-3. Single queries need fewer rows. FlashAttention-4 and
// cuDNN on Blackwell: two tiles of 128 rows, of which one is exponentiated while the other is multiplied.
TileSize flash3_tile(const Shape& shape) {
  if (overlapped(shape.generation) && !shape.decode) return {shape.dim <= 128 ? 256.0 : 128.0, 128};
  if (!asynchronous(shape.generation)) {
    if (shape.dim <= 64) return {128, 112};
    constexpr double kSmallSmem = 8.6;
    return {128, shape.dim <= 128 && shape.generation >= kSmallSmem ? 128.0 : 64.0};
  }
  if (shape.decode && shape.dim <= 128) return {64, shape.dim <= 64 ? 64.0 : 128.0};
  if (shape.dim <= 64) return {192, 128};
  if (shape.dim > 192) return {128, 64};
  if (shape.fp8) return {128, 160};
  return {128, shape.dim <= 128 ? 128.0 : 96.0};
}

// FlashAttention-2's kernels for paged and for split keys (run_mha_fwd_splitkv_dispatch), and for others
// (run_mha_fwd_hdim64 and so on).
TileSize flash2_tile(const Shape& shape, bool paged) {
  if (paged || shape.decode) return {64, shape.dim <= 64 ? 256.0 : 64.0};
  return {128, shape.dim <= 64 ? 128.0 : 64.0};
}

// Four warps each; queries and one tile of keys and values lie in shared memory.
double flash2_resident(const TileSize& tile, const Shape& shape) {
  constexpr double kElement = 2, kMost = 2;
  const double bytes = kElement * (tile.q * shape.dim + tile.kv * (shape.dim + shape.value_dim));
  return std::clamp(std::floor(shape.smem / bytes), 1.0, kMost);
}

bool spilled(const Shape& shape) {
  return shape.fp8 && !asynchronous(shape.generation) && (shape.dim <= 64 || shape.dim > 192);
}

TileSize trtllm_tile(const Shape& shape) {
  if (asynchronous(shape.generation)) {
    return {shape.dim <= 64 ? 64.0 : 128.0, shape.fp8 && shape.dim <= 64 ? 256.0 : 128.0};
  }
  if (spilled(shape)) return {64, shape.dim <= 64 ? 128.0 : 32.0};
  return {shape.dim <= 128 ? 128.0 : 64.0, 32};
}

// Single queries: the rows of a small tile are multiples of what an instruction takes.
TileSize group_tile(double rows) {
  constexpr double kInstructionRows = 16, kMostRows = 128, kKeys = 64;
  return {kInstructionRows * std::ceil(std::min(rows, kMostRows) / kInstructionRows), kKeys};
}

AttentionRate rate_of(const Shape& shape, const AttentionCall& call) {
  if (spilled(shape)) return shape.dim <= 64 ? AttentionRate::narrow : AttentionRate::spilled;
  if (overlapped(shape.generation)) {  // sums stay in tensor memory, whatever the operands
    return call.library == AttentionLibrary::triton ? AttentionRate::older : AttentionRate::full;
  }
  if (shape.fp8) {
    return call.vllm && call.library == AttentionLibrary::flash3 ? AttentionRate::promoted : AttentionRate::fp8;
  }
  switch (call.library) {
    case AttentionLibrary::flash2:
    case AttentionLibrary::flash3:
    case AttentionLibrary::flash4:
    case AttentionLibrary::cudnn:
      return AttentionRate::full;
    case AttentionLibrary::trtllm:
      return asynchronous(shape.generation) ? AttentionRate::full : AttentionRate::older;
    case AttentionLibrary::unfused:
      return AttentionRate::full;
    case AttentionLibrary::flashinfer:
    case AttentionLibrary::triton:
      return AttentionRate::older;
  }
  return AttentionRate::full;
}

// Writing the cache, attention, and what prepares it: a kernel that overlaps with the one before counts half.
double flash_kernels(const Shape& shape, bool third, bool swapped) {
  constexpr double kMoves = 2;  // of heads to queries and back
  if (!shape.decode) return third ? 3 : 2.5;
  if (third) return asynchronous(shape.generation) ? 2.5 : 2;
  return swapped ? 1.5 + kMoves : 1.5;
}

// A library's choice, before anything is counted. Returns whether it splits the keys of single queries.
bool choose_flash(AttentionPlan& plan, const Shape& shape, const AttentionCall& call) {
  const bool early_cudnn = call.library == AttentionLibrary::cudnn && !asynchronous(shape.generation);
  const bool third = call.library != AttentionLibrary::flash2 && !early_cudnn;
  TileSize tile = third ? flash3_tile(shape) : flash2_tile(shape, call.serving);
  // Before Hopper, FlashAttention-3 has a kernel of 8 warps for keys that are split.
  constexpr TileSize kSplitTile = {128, 112};
  const bool early = third && !asynchronous(shape.generation);
  const double tiles = shape.batch * shape.kv_heads * std::ceil(shape.q * shape.group / kSplitTile.q);
  const bool eight_warps =
      early && shape.decode && shape.dim <= 128 &&
      attention_split(tiles, shape.sms, std::ceil(std::min(shape.kv, shape.window) / kSplitTile.kv)) > 1;
  if (eight_warps) tile = kSplitTile;
  plan.tile_q = tile.q;
  plan.tile_kv = tile.kv;
  plan.persistent = asynchronous(shape.generation) && !overlapped(shape.generation);
  // FlashAttention-2 turns the heads of a group into queries for a single query without a window, and only then splits.
  const bool swapped = shape.q == 1 && shape.group > 1 && !shape.windowed;
  plan.packed = third || swapped ? shape.group : 1;
  const bool four_warps = shape.dim <= 64 || (shape.dim <= 128 && shape.generation < 8.6);
  if (early && four_warps && !eight_warps) plan.resident = 2;
  if (!third && !call.serving && !shape.decode) plan.resident = flash2_resident(tile, shape);
  if (call.serving) plan.kernels = flash_kernels(shape, third, swapped);
  if (early) return eight_warps || (shape.decode && shape.dim > 128);
  return shape.decode && (third || swapped);
}

// Of a single query. Hopper's XQA for FP8 keys rotates queries and writes the cache itself, but for models with
// attention sinks, whose heads have 64 dimensions.
double trtllm_kernels(const Shape& shape, bool xqa) {
  constexpr double kSinksDim = 64;
  if (!asynchronous(shape.generation)) return xqa || shape.fp8_keys ? 3 : 3.5;
  if (!xqa) return 2.5;
  return shape.fp8_keys && shape.dim > kSinksDim ? 1.5 : 2;
}

constexpr double kXqaKeys = 128;  // that are worth a CTA of their own

// XQA stacks the heads of a group, where its CTAs would not leave most SMs idle (DecoderXQARunner::mayHavePerfGain);
// with FP8 keys always, as measured.
bool runs_xqa(const Shape& shape) {
  constexpr double kMostGroup = 32, kBusyShare = 4;
  if (shape.group <= 1 || shape.group > kMostGroup) return false;
  if (shape.fp8_keys) return true;
  const double ctas = shape.batch * shape.kv_heads * std::max(1.0, std::floor(shape.kv / kXqaKeys));
  return ctas * kBusyShare >= shape.sms;
}

// By the length of the cache, whatever the window (computeMultiBlockCount). Not with FP8 keys: measured, those are
// split by their number on Hopper, and not at all before.
double xqa_split(const Shape& shape) {
  constexpr double kFew = 8, kWaves = 8, kMostCtas = 6000;
  double split = std::floor(shape.kv / kXqaKeys);
  split = std::max(1.0, std::min(split, std::round(std::sqrt(kFew * split))));
  const double waves = shape.batch * shape.kv_heads * split / shape.sms;
  if (waves > kWaves) split = std::max(1.0, std::floor(split * kWaves / waves));
  return std::max(1.0, std::min(split, std::floor(kMostCtas / shape.batch)));
}

bool choose_trtllm(AttentionPlan& plan, const Shape& shape) {
  const bool hopper = asynchronous(shape.generation);
  if (!shape.decode) {
    const TileSize tile = trtllm_tile(shape);
    plan.kernel = hopper || spilled(shape) ? AttentionKernel::tile : AttentionKernel::small;
    plan.tile_q = tile.q;
    plan.tile_kv = tile.kv;
    if (!hopper && shape.dim > 128) plan.padded_dim = std::max(shape.dim, 256.0);
    plan.kernels = 4;
    return false;
  }
  const bool xqa = runs_xqa(shape);
  const bool converted = shape.fp8_keys && !hopper;
  plan.packed = xqa ? shape.group : 1;
  const TileSize tile = group_tile(shape.group * shape.q);
  plan.tile_q = xqa ? tile.q : shape.q;
  plan.tile_kv = tile.kv;
  plan.waits = true;
  if (!xqa) {
    plan.kernel = converted ? AttentionKernel::converted : AttentionKernel::vector;
    if (converted) plan.resident = 2;
  } else {
    plan.kernel = shape.fp8_keys && hopper ? AttentionKernel::vector : AttentionKernel::group;
  }
  plan.kernels = trtllm_kernels(shape, xqa);
  plan.merged = xqa && !shape.fp8_keys;
  if (plan.merged) plan.split = xqa_split(shape);
  return !plan.merged && !(xqa && converted);
}

bool choose_other(AttentionPlan& plan, const Shape& shape, const AttentionCall& call) {
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

// Products with nothing left out, and kernels between them.
bool choose_unfused(AttentionPlan& plan, const Shape& shape) {
  constexpr double kKernels = 3;  // scores, softmax, results
  plan.kernel = AttentionKernel::small;
  plan.tile_q = plan.tile_kv = 128;
  plan.kernels = shape.causal ? kKernels + 1 : kKernels;
  return false;
}

bool choose(AttentionPlan& plan, const Shape& shape, const AttentionCall& call) {
  switch (call.library) {
    case AttentionLibrary::flash2:
    case AttentionLibrary::flash3:
    case AttentionLibrary::flash4:
    case AttentionLibrary::cudnn:
      return choose_flash(plan, shape, call);
    case AttentionLibrary::trtllm:
      return choose_trtllm(plan, shape);
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
double steps_of_tile(const AttentionPlan& plan, const Shape& shape, double row, double keys) {
  const double before = shape.kv - shape.q;  // keys before the first query
  const double first = std::floor(row / plan.packed);
  const double last = std::min(std::floor((row + plan.tile_q - 1) / plan.packed), shape.q - 1);
  const double end = shape.causal ? last + before + 1 : shape.kv;
  if (shape.window >= shape.kv) return std::ceil(end / keys);
  const double beyond = plan.decode ? 1 : 0;  // a key more than the window, as measured kernels have it
  const double begin = std::max(0.0, std::min(first + before, end - 1) - shape.window + 1 - beyond);
  return std::ceil(end / keys) - std::floor(begin / keys);
}

// Masked keys are skipped by the step, at the diagonal by `kMaskKeys`. Of very many tiles, some stand for all.
Steps count_steps(const AttentionPlan& plan, const Shape& shape) {
  constexpr double kMaskKeys = 32, kWindowKeys = 128, kMostTiles = 4096;
  double keys = kMaskKeys;
  if (shape.window < shape.kv) keys = shape.fp8 ? plan.tile_kv : std::min(plan.tile_kv, kWindowKeys);
  if (plan.decode) keys = plan.tile_kv;
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
  return kernel != AttentionKernel::vector && kernel != AttentionKernel::converted;
}

void count_bytes(AttentionPlan& plan, const Shape& shape, const AttentionCall& call, double activation) {
  const double seen = std::min(shape.kv, shape.window + shape.q - 1);
  const double rows = shape.batch * shape.heads * shape.q, query = rows * shape.dim;
  const double head_keys = shape.batch * seen * (shape.dim + shape.value_dim) * shape.key_bytes;
  plan.queries = Bytes(query * activation);
  plan.results = Bytes(rows * shape.value_dim * activation);
  plan.keys = Bytes(head_keys * shape.kv_heads);
  const bool many = plan.decode && plan.packed < shape.group;
  plan.key_loads = many ? shape.group / plan.packed : 1;
  // FlashAttention walks all sequences of a head before the next head, and finds its keys in the L2 or not.
  if (many && plan.kernel == AttentionKernel::tile) plan.reuse = Bytes(head_keys);
  if (plan.split > 1) {
    constexpr double kPartial = 8;  // FP32, stored and loaded
    plan.partial = Bytes(kPartial * rows * shape.value_dim * plan.split);
  }
  if (!call.serving) return;
  constexpr double kThreadsOfSm = 2048, kFewest = 64, kMost = 512;
  const double fresh = shape.batch * std::min(shape.q, shape.kv) * shape.kv_heads * (shape.dim + shape.value_dim);
  plan.around = Bytes(fresh * (activation + shape.key_bytes));
  plan.token_ctas = shape.batch * shape.q * std::clamp(shape.kv_heads * shape.dim, kFewest, kMost) / kThreadsOfSm;
  plan.token_writes = call.vllm;
  if (call.library == AttentionLibrary::trtllm && !plan.decode) plan.around += Bytes(2 * query * activation);
  // vLLM makes FP8 queries by a kernel of their own.
  if (call.vllm && shape.fp8 && activation > 1) plan.around += Bytes(query * (activation + 1));
}

}  // namespace

std::string_view name_of(AttentionLibrary library) {
  switch (library) {
    case AttentionLibrary::flash2:
      return "FlashAttention-2";
    case AttentionLibrary::flash3:
      return "FlashAttention-3";
    case AttentionLibrary::flash4:
      return "FlashAttention-4";
    case AttentionLibrary::cudnn:
      return "cuDNN";
    case AttentionLibrary::trtllm:
      return "TensorRT-LLM";
    case AttentionLibrary::flashinfer:
      return "FlashInfer";
    case AttentionLibrary::triton:
      return "Triton";
    case AttentionLibrary::unfused:
      return "products and a softmax";
  }
  return "";
}

std::string_view name_of(AttentionKernel kernel) {
  switch (kernel) {
    case AttentionKernel::tile:
      return "tile";
    case AttentionKernel::small:
      return "small";
    case AttentionKernel::group:
      return "group";
    case AttentionKernel::vector:
      return "vector";
    case AttentionKernel::converted:
      return "converted";
  }
  return "";
}

AttentionCall attention_call(std::string_view kernel, std::string_view framework, const Gpu& gpu) {
  const Words words(std::string(kernel) + " " + std::string(framework));
  const AttentionUnits units = attention_units(gpu);
  AttentionCall call;
  call.vllm = words.has("vllm");
  const bool tensorrt = words.has("trtllm") || words.has("tensorrt");
  call.serving = call.vllm || words.has("sglang") || tensorrt;
  call.library = units.asynchronous ? AttentionLibrary::flash3 : AttentionLibrary::flash2;
  if (words.has("sglang")) call.library = AttentionLibrary::flash3;
  if (units.overlapped) call.library = AttentionLibrary::flash4;
  if (words.has("cudnn")) call.library = AttentionLibrary::cudnn;
  if (tensorrt) call.library = AttentionLibrary::trtllm;
  if (words.is_flash("2")) call.library = AttentionLibrary::flash2;
  if (words.is_flash("3")) call.library = AttentionLibrary::flash3;
  if (words.is_flash("4")) call.library = AttentionLibrary::flash4;
  constexpr std::array<std::string_view, 3> kFlashInfer = {"flashinfer", "fidecode", "fiprefill"};
  for (const std::string_view name : kFlashInfer) {
    if (words.has(name)) call.library = AttentionLibrary::flashinfer;
  }
  if (words.has("triton")) call.library = AttentionLibrary::triton;
  if (words.has("unfused")) call.library = AttentionLibrary::unfused;
  return call;
}

AttentionUnits attention_units(const Gpu& gpu) {
  // NVIDIA, "Inside NVIDIA Blackwell Ultra": twice the exponentials of Blackwell's SMs.
  constexpr double kUsual = 16, kUltra = 32;
  const double generation = generation_of(gpu);
  return {.asynchronous = asynchronous(generation),
          .overlapped = overlapped(generation),
          .exponentials = gpu.compute_capability == "10.3" ? kUltra : kUsual};
}

double issued_share(AttentionLibrary library, const AttentionUnits& units) {
  // The older instructions on Hopper (Luo et al., arXiv:2402.13499: 62.9 % on average); Blackwell's SMs multiply twice
  // as fast, and those instructions do not.
  constexpr double kOlderInstructions = 0.63;
  if (library != AttentionLibrary::flash2 || !units.asynchronous) return 1;
  return units.overlapped ? kOlderInstructions / 2 : kOlderInstructions;
}

double unfused_elements(bool backward, bool causal) {
  // Scores and probabilities are written and read; of the probabilities' gradient the softmax makes that of the scores,
  // reading two and writing one, which queries and keys read.
  constexpr double kForward = 4, kBackward = 7, kMask = 2;
  return (backward ? kBackward : kForward) + (causal ? kMask : 0);
}

DType attention_precision(const Attention& attention, DType precision, const Gpu& gpu) {
  if (gpu.peak(Peak::tensor_fp8) <= FlopsPerSecond(0)) return precision == DType::fp8 ? DType::bf16 : precision;
  if (precision == DType::fp8) return precision;
  const bool fp8_keys = attention.kv_precision.value_or(precision) == DType::fp8;
  return fp8_keys && asynchronous(generation_of(gpu)) ? DType::fp8 : precision;
}

double attention_split(double tiles, double sms, double blocks) {
  constexpr double kBusy = 0.8, kFewBlocks = 4, kMost = 128, kNearBest = 0.85;
  if (tiles >= kBusy * sms || blocks <= kFewBlocks) return 1;
  const double most = std::min({kMost, sms, blocks});
  const auto busy = [&](double split) {
    const double waves = tiles * split / sms;
    return waves / std::ceil(waves);
  };
  double best = 0;
  for (double split = 1; split <= most; ++split) best = std::max(best, busy(split));
  for (double split = 1; split <= most; ++split) {
    if (busy(split) >= kNearBest * best) return split;
  }
  return 1;
}

AttentionPlan attention_plan(const Attention& attention, DType precision, const AttentionCall& call, const Gpu& gpu) {
  const Shape shape = shape_of(attention, precision, gpu);
  AttentionPlan plan;
  plan.decode = shape.decode;
  plan.head_dim = plan.padded_dim = shape.dim;
  plan.warm = call.serving || !plan.decode;
  const bool splits = choose(plan, shape, call);
  plan.library = call.library;
  plan.rate = rate_of(shape, call);
  plan.precision = attention_precision(attention, precision, gpu);
  const AttentionUnits units = attention_units(gpu);
  plan.overlapped = units.overlapped;
  plan.exponentials = units.exponentials;
  plan.issued = issued_share(call.library, units);
  plan.block_scaled = attention.block_scaled;
  const double padded_values = plan.padded_dim > shape.dim ? plan.padded_dim : shape.value_dim;
  plan.pair_macs = plan.padded_dim + padded_values;
  Shape seen = shape;
  const bool unfused = call.library == AttentionLibrary::unfused;
  if (unfused) {
    seen.causal = false;
    seen.window = shape.kv;
  }
  const Steps steps = count_steps(plan, seen);
  plan.ctas = shape.batch * shape.heads / plan.packed * steps.tiles;
  if (splits) plan.split = attention_split(plan.ctas, gpu.sm_count, std::ceil(steps.most));
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
