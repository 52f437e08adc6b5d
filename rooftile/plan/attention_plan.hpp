// How a library runs fused attention on a GPU: its kernel, the tile of queries and keys, CTAs, splits of the keys, and
// what they move. The tiles are those of the libraries' public sources (docs/theory/attention.md).
#pragma once

#include <algorithm>
#include <string_view>

#include "rooftile/base/units.hpp"
#include "rooftile/gpu/gpu.hpp"
#include "rooftile/workload/dtype.hpp"
#include "rooftile/workload/op.hpp"

namespace rooftile {

// Who wrote the kernels.
enum class AttentionLibrary {
  flash1,      // FlashAttention of 2022
  flash2,      // FlashAttention-2
  flash3,      // FlashAttention-3; it has kernels for GPUs before Hopper too
  flash4,      // FlashAttention-4, written for Blackwell
  cudnn,       // cuDNN's fused kernels
  trtllm,      // TensorRT-LLM: FMHA for a prompt; XQA and masked multi-head attention for single queries
  trtllm_gen,  // TensorRT-LLM on Blackwell of data centres; FlashInfer hands the same kernels to vLLM and SGLang
  flashinfer,  // FlashInfer
  xformers,    // of xFormers: CUTLASS's, which PyTorch runs where there is no FlashAttention
  triton,      // kernels that vLLM has in Triton
  unfused,     // none: products, a softmax and what lies between, each a kernel
};

// Which groups of heads TensorRT-LLM's XQA stacks; others are masked multi-head attention, a head at a time.
enum class XqaGroups {
  any,     // up to 32
  common,  // releases 0.8 to 0.12: 2, 4, 8, 16 or 32 heads of 128, keys of 16 bits (by rows of llm_inference)
  none,    // before 0.8
};

// Who calls them. A serving framework also writes the new keys and values to its cache.
struct AttentionCall {
  AttentionLibrary library = AttentionLibrary::flash2;
  bool serving = false;  // a serving framework's call, with its cache and the kernels around the attention
  XqaGroups xqa = XqaGroups::any;
  bool splits_cache = true;   // TensorRT-LLM: among CTAs where there are few; by default from release 0.13 on
  bool tensorrt = false;      // TensorRT-LLM's own call, which prepares the queries
  bool whole_heads = false;   // of short texts a CTA takes a head at once: TensorRT's kernels for encoders
  bool aitemplate = false;    // and of most texts AITemplate's copy of FlashAttention
  bool vllm = false;          // its kernels write the cache token by token, and its FP8 sums are added up in FP32
  bool writes_cache = false;  // of a serving framework; false where that is an operator of its own ("readonly")
};

// By what a row of measurements says of the kernel ("vllm_flash_attn_fa3") and the framework ("trtllm"); either may be
// empty. Unknown names get what a GPU would run outside of any framework. `precision` is that of the queries: of what
// PyTorch calls, only xFormers' kernels take FP32 on tensor cores
// (mem_eff_attention/gemm_kernel_utils.h: OpMultiplyAddFastF32).
AttentionCall attention_call(std::string_view kernel, std::string_view framework, DType precision, const Gpu& gpu);

std::string_view name_of(AttentionLibrary library);

// What a CTA does.
enum class AttentionKernel {
  tile,       // a large tile of queries against one tile of keys after the other, on tensor cores
  small,      // the same with small CTAs: an SM holds enough of them to hide how they start
  group,      // the heads that share keys are the few rows of a small tile
  stacked,    // the same where keys stream in ahead of the products: a CTA starts soon
  vector,     // one head, without tensor cores
  converted,  // one head against FP8 keys that are converted one by one
  paged,      // a large tile against keys that threads gather from the pages of a cache
};
std::string_view name_of(AttentionKernel kernel);

// Which share of the tensor cores' peak a kernel reaches.
enum class AttentionRate {
  full,
  older,  // TensorRT-LLM before Hopper, FlashInfer, Triton
  fp8,
  promoted,  // FP8 whose sums leave the tensor cores in every step
  spilled,   // FP8 before Hopper in tiles that do not fit the registers
  narrow,    // FP8 before Hopper with head dimensions of at most 64
};

struct AttentionPlan {
  AttentionLibrary library = AttentionLibrary::flash2;
  AttentionKernel kernel = AttentionKernel::tile;
  AttentionRate rate = AttentionRate::full;
  DType precision = DType::bf16;  // of the products
  double tile_q = 1;              // rows: queries, times the heads that are packed
  double tile_kv = 1;             // keys of a step
  double head_dim = 1;
  double padded_dim = 1;         // as the tensor cores see it
  double padded_values = 0;      // those of the values; 0: like the keys'
  double pair_macs = 2;          // multiply-accumulates of a pair of query and key
  double packed = 1;             // heads that share keys and are rows of one tile
  double ctas = 1;               // before the keys are split
  double steps = 1;              // over the keys, of a CTA on average; before the keys are split
  double most_steps = 1;         // of the CTA with the most
  double split = 1;              // CTAs that share the keys of one tile
  double resident = 1;           // CTAs an SM holds at once
  bool lone = false;             // four warps have an SM to themselves: nothing hides their loads and exponentials
  bool split_tile = false;       // four warps with 64 rows, made for pages and for split keys (FlashAttention-2)
  bool copied = false;           // queries are copied to where the kernel wants them, and results back
  double kernels = 1;            // that the call launches; halves: kernels that overlap with the next
  bool decode = false;           // few queries against a longer cache
  bool persistent = false;       // a CTA takes the next tile when it is done
  bool overlapped = false;       // exponentials run beside products
  bool waits = false;            // each step waits for its keys
  bool merged = false;           // splits are added up by the last CTA of a tile, and not by a kernel
  bool warm = false;             // the cache was read before: what fits the L2 is still there
  bool transposed = false;       // values are transposed on their way to the tensor cores
  bool spills_masks = false;     // a window's masks do not fit the registers
  double scans = 0;              // of the sequences' lengths by a CTA that looks for its next tiles
  double exponentials = 16;      // that an SM computes in a clock
  double issued = 1;             // share of the peak that the kernel's instructions can reach
  bool loads_operands = false;   // on tensor cores, into registers by its warps (mma.sync), in clocks of their own
  bool asynchronous = false;     // tensor cores fetch their operands from shared memory themselves (wgmma)
  bool splits_operands = false;  // warps make two TF32 numbers of every FP32 one, and three products of one
  bool early = false;            // FlashAttention's kernel of 2022, or one that is as fast
  bool shares_scores = false;    // warps exchange scores in shared memory: xFormers' kernels on Volta and Turing
  bool backward = false;         // CTAs own keys and go over the queries, where the others own queries
  bool ordered = false;          // gradients are added up in a fixed order
  bool block_scaled = false;     // FP8 with a scale for every few elements

  Bytes queries, results;     // loaded and stored
  Bytes keys;                 // keys and values that some query sees, once
  double key_loads = 1;       // how often CTAs of single queries load them from the L2
  Bytes streamed;             // of keys and values by all tiles of a prompt's queries, from the L2
  Bytes reuse;                // loaded between two loads of the same key by different heads; 0: they run side by side
  Bytes around;               // moved by the kernels around the attention: cache, rotation or copies of the queries
  double token_ctas = 0;      // of the kernel that writes the cache, in CTAs that fill an SM
  bool token_writes = false;  // by a kernel of its own that has a CTA for each token
  Bytes partial;              // results of splits, stored and loaded
  Bytes reloads;              // queries that CTAs load from the L2 again, where that is counted
  Bytes sums;                 // FP32 gradients of the queries, to which every step adds
  Bytes added;                // to them, in the L2

  // Of `streamed`, what the L2 has served before.
  Bytes streamed_again() const { return std::max(Bytes(0), streamed - keys); }
};

// The precision in which the products are done: FP8 keys are multiplied as such from Hopper on, and converted before.
// From Ampere on xFormers' kernels make a product of FP32 of three in TF32.
DType attention_precision(const Attention& attention, DType precision, AttentionLibrary library, const Gpu& gpu);

// Of the forward pass. `precision` is that of the queries. Heads, lengths and window passed check().
AttentionPlan attention_plan(const Attention& attention, DType precision, const AttentionCall& call, const Gpu& gpu);

// What both passes have in common: how a GPU multiplies and exponentiates.
struct AttentionUnits {
  bool asynchronous = false;  // tensor cores run beside the threads of a CTA (WGMMA and after)
  bool overlapped = false;    // and keep sums in a memory of their own, so that exponentials run beside products
  double exponentials = 16;   // an SM computes in a clock
};
AttentionUnits attention_units(const Gpu& gpu);

// FlashAttention of 2022 and 2023 and xFormers: their kernels multiply by mma.sync on any GPU.
bool precedes_flash3(AttentionLibrary library);

// Which instructions multiply, and what goes on beside them: `library`, `precision` and `backward` are set before.
void set_instructions(AttentionPlan& plan, const Gpu& gpu);

// What kernels between unfused products move of each pair of query and key, in elements.
double unfused_elements(bool backward, bool causal);

// The number of CTAs that share the keys of a tile, of at most `blocks` and 128: the fewest that keep the SMs busy
// within 15 % of the best (FlashAttention, num_splits_heuristic).
double attention_split(double tiles, double sms, double blocks);

// The same as FlashAttention-2 has it: for twice the SMs, since its CTAs have four warps, and among the numbers that
// change what a CTA has to do.
double flash2_split(double tiles, double sms, double blocks);

// The same on Hopper for sequences of lengths that the host does not know: as many as give every SM its share of all
// blocks and a tenth, at most `most` (FlashAttention-3, prepare_varlen_num_blocks).
double flash3_split(double tiles, double sms, double blocks, double most);

}  // namespace rooftile
