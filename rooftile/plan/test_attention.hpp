// Calls of attention and their plans, as tests name them.
#pragma once

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/plan/attention_plan.hpp"

namespace rooftile {

inline Gpu gpu(const char* id) { return *find_gpu(id); }

inline Attention prompt(std::int64_t tokens, std::int64_t heads, std::int64_t kv_heads) {
  Attention attention;
  attention.batch = 2;
  attention.q_len = attention.kv_len = tokens;
  attention.heads = heads;
  attention.kv_heads = kv_heads;
  attention.head_dim = 128;
  attention.causal = true;
  return attention;
}

inline Attention query(std::int64_t cached, std::int64_t heads, std::int64_t kv_heads) {
  Attention attention = prompt(cached, heads, kv_heads);
  attention.q_len = 1;
  return attention;
}

inline AttentionPlan plan_of(const Attention& attention, const char* kernel, const char* framework, const char* id,
                             DType precision = DType::bf16) {
  const Gpu on = gpu(id);
  return attention_plan(attention, precision, attention_call(kernel, framework, precision, on), on);
}

}  // namespace rooftile
