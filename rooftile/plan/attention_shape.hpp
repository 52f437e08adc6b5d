// Fused attention as the choices of libraries see it: its sizes, and the GPU's generation.
#pragma once

#include "rooftile/plan/attention_plan.hpp"

namespace rooftile {

struct AttentionShape {
  double batch = 1, q = 1, kv = 1, heads = 1, kv_heads = 1, dim = 1, value_dim = 1;
  double window = 1;     // all keys where there is none
  double group = 1;      // heads that share keys
  double key_bytes = 2;  // of an element of K and V
  bool causal = false, windowed = false, decode = false;
  bool fp8_keys = false, fp8 = false;  // in the cache; as they are multiplied
  double generation = 0, sms = 1, smem = 0;
  double sm_threads = 1;  // that an SM holds
};
AttentionShape attention_shape(const Attention& attention, DType precision, AttentionLibrary library, const Gpu& gpu);

struct TileSize {
  double q, kv;
};

// Single queries: the rows of a small tile are multiples of what an instruction takes.
TileSize group_tile(double rows);

// The dimensions that a head of `dim` has in FlashAttention's kernels, which are made for a few numbers of them
// (fmha_api.cpp of 2022: 32, 64 and 128; HEADDIM_SWITCH in static_switch.h; FlashAttention-3: hopper/instantiations).
// More than any of them, and in other libraries, as many as it has.
double kernel_dim(AttentionLibrary library, double dim);

// Before Hopper: FP8 in tiles that do not fit the registers.
bool spilled(const AttentionShape& shape);

// Values are part of the keys, which all heads share (DeepSeek-V2, section 2.1.2: absorbed).
bool is_latent(const AttentionShape& shape);
void choose_latent(AttentionPlan& plan, const AttentionShape& shape, const AttentionCall& call);

// The choices of FlashAttention and cuDNN, of TensorRT-LLM, and of TensorRT-LLM on Blackwell, before anything is
// counted. They return whether the keys of single queries are split by FlashAttention's rule.
bool choose_flash(AttentionPlan& plan, const AttentionShape& shape, const AttentionCall& call);
bool choose_trtllm(AttentionPlan& plan, const AttentionShape& shape, const AttentionCall& call);
bool choose_trtllm_gen(AttentionPlan& plan, const AttentionShape& shape, const AttentionCall& call);

}  // namespace rooftile
