// The attention of a transformer's block. As separate kernels, heads stand outside of positions, and a copy is made
// wherever the two change places; a fused kernel takes batch x positions x heads x head_dim.
#include <algorithm>
#include <string>

#include "rooftile/workload/cache_names.hpp"
#include "rooftile/zoo/transformer_parts.hpp"

namespace rooftile {

bool TransformerParts::has_bias(TransformerBias part) const {
  return shape_.bias == TransformerBias::all || shape_.bias == part;
}

TensorId TransformerParts::norm(const std::string& name, TensorId x) {
  return shape_.rms_norm ? net_.rms_norm(name, x) : net_.layer_norm(name, x);
}

TensorId TransformerParts::dropout(const std::string& name, TensorId x) {
  return shape_.dropout ? net_.dropout(name, x) : x;
}

TensorId TransformerParts::relative_bias(const std::string& prefix, const Sight& sight) {
  constexpr std::int64_t kDistances = 32;
  const TensorId table = net_.weight(prefix + "relative.weight", {kDistances, shape_.heads});
  return net_.gather(prefix + "relative", {table}, {1, shape_.heads, sight.q_len, sight.kv_len});
}

Shape TransformerParts::heads_shape(std::int64_t length, std::int64_t heads, std::int64_t dim) const {
  return shape_.fused_attention ? Shape{batch_, length, heads, dim} : Shape{batch_, heads, length, dim};
}

// [batch, length, heads * head_dim] as attention takes it.
TensorId TransformerParts::split(const std::string& name, TensorId x, std::int64_t length, std::int64_t heads) {
  const Shape shape = heads_shape(length, heads, shape_.head_dim);
  return shape_.fused_attention ? net_.view(name, "reshape", x, shape) : net_.transpose(name, x, shape);
}

// The cache, which gets `fresh`: allocated at its full length, and only that is written.
TensorId TransformerParts::cache(const std::string& name, std::optional<TensorId> fresh, const Shape& shape) {
  const TensorId all = net_.input(name + std::string(kCacheSuffix), shape);
  if (fresh) cached_.push_back(net_.move(name + std::string(kAppendSuffix), "cache", {*fresh}, net_.shape(*fresh)));
  return all;
}

TransformerParts::Heads TransformerParts::separate_heads(const std::string& name, TensorId x, const Sight& sight,
                                                         const std::optional<TensorId>& memory) {
  const bool bias = has_bias(TransformerBias::qkv);
  const std::int64_t q_width = shape_.heads * shape_.head_dim, kv_width = shape_.kv_heads * shape_.head_dim;
  Heads heads{};
  heads.q = split(name + "q/split", net_.fully_connected(name + "q", x, q_width, bias), sight.q_len, shape_.heads);
  if (sight.cross && sight.cached) return heads;
  const TensorId from = memory.value_or(x);
  const std::int64_t fresh = sight.cached ? sight.q_len : sight.kv_len;
  heads.k = split(name + "k/split", net_.fully_connected(name + "k", from, kv_width, bias), fresh, shape_.kv_heads);
  heads.v = split(name + "v/split", net_.fully_connected(name + "v", from, kv_width, bias), fresh, shape_.kv_heads);
  return heads;
}

// Parts of one product, copied as split() does where attention is not fused.
TransformerParts::Heads TransformerParts::heads_of_one_product(const std::string& name, TensorId x,
                                                               const Sight& sight) {
  const std::int64_t all = shape_.heads + 2 * shape_.kv_heads;
  TensorId qkv = net_.fully_connected(name + "qkv", x, all * shape_.head_dim, has_bias(TransformerBias::qkv));
  if (shape_.fused_attention) {
    qkv = net_.view(name + "qkv/split", "reshape", qkv, heads_shape(sight.q_len, all, shape_.head_dim));
  }
  const auto part = [&](const char* which, std::int64_t heads) {
    return net_.slice(name + which, qkv, heads_shape(sight.q_len, heads, shape_.head_dim));
  };
  Heads heads{};
  heads.q = part("q", shape_.heads);
  heads.k = part("k", shape_.kv_heads);
  heads.v = part("v", shape_.kv_heads);
  return heads;
}

TensorId TransformerParts::attention(const std::string& name, TensorId x, const Sight& sight,
                                     const std::optional<TensorId>& memory) {
  TensorId context{};
  if (shape_.latent.kv_rank > 0) {
    const LatentAttention& latent = shape_.latent;
    if (sight.cached) {
      const std::int64_t entry = latent.kv_rank + latent.rope_dim;
      context = fused(name, latent_heads_cached(name, x, sight), sight, {1, entry, latent.kv_rank});
      context = latent_values(name, context, sight.q_len);
    } else {
      const HeadSizes sizes = {shape_.heads, latent.nope_dim + latent.rope_dim, latent.v_dim};
      context = fused(name, latent_heads(name, x, sight), sight, sizes);
    }
  } else {
    Heads heads = shape_.fused_qkv && !sight.cross ? heads_of_one_product(name, x, sight)
                                                   : separate_heads(name, x, sight, memory);
    const bool fresh_keys = !(sight.cross && sight.cached);
    if (shape_.qk_norm) {
      heads.q = norm(name + "q/head_norm", heads.q);
      if (fresh_keys) heads.k = norm(name + "k/head_norm", heads.k);
    }
    if (shape_.positions == TransformerPositions::rotary) {
      heads.q = net_.rotary(name + "q/rotary", heads.q);
      if (fresh_keys) heads.k = net_.rotary(name + "k/rotary", heads.k);
    }
    Sight seen = sight;
    if (sight.cached) {
      // Older entries are overwritten; the first of several queries sees as far back as the others.
      if (sight.window > 0) seen.kv_len = std::min(sight.kv_len, sight.window + sight.q_len - 1);
      const Shape all = heads_shape(seen.kv_len, shape_.kv_heads, shape_.head_dim);
      heads.k = cache(name + "k", sight.cross ? std::nullopt : std::optional(heads.k), all);
      heads.v = cache(name + "v", sight.cross ? std::nullopt : std::optional(heads.v), all);
    }
    context = shape_.fused_attention ? fused(name, heads, seen, {shape_.kv_heads, shape_.head_dim, shape_.head_dim})
                                     : apart(name, heads, seen);
  }
  const bool bias = shape_.bias == TransformerBias::all;
  return dropout(name + "out/dropout", net_.fully_connected(name + "out", context, shape_.hidden, bias));
}

TensorId TransformerParts::fused(const std::string& name, const Heads& heads, const Sight& sight,
                                 const HeadSizes& sizes) {
  Attention attention;
  attention.batch = batch_;
  attention.q_len = sight.q_len;
  attention.kv_len = sight.kv_len;
  attention.heads = shape_.heads;
  attention.kv_heads = sizes.kv_heads;
  attention.head_dim = sizes.dim;
  attention.head_dim_v = sizes.v_dim == sizes.dim ? 0 : sizes.v_dim;
  const bool sees_all = sight.cross || (sight.cached && sight.q_len == 1);  // of what the cache still has
  attention.window = sees_all ? 0 : sight.window;
  attention.causal = sight.causal;
  const TensorId context = net_.attention(name + "attention", attention, {heads.q, heads.k, heads.v});
  if (sight.cached && shape_.latent.kv_rank > 0) return context;  // whose values are still to be expanded
  return net_.view(name + "join", "reshape", context, {batch_, sight.q_len, shape_.heads * sizes.v_dim});
}

TensorId TransformerParts::apart(const std::string& name, Heads heads, const Sight& sight) {
  if (shape_.kv_heads != shape_.heads) {  // each head gets a copy of its keys and values
    const Shape all = heads_shape(sight.kv_len, shape_.heads, shape_.head_dim);
    heads.k = net_.move(name + "k/expand", "expand", {heads.k}, all);
    heads.v = net_.move(name + "v/expand", "expand", {heads.v}, all);
  }
  TensorId scores = net_.matmul(name + "scores", heads.q, heads.k, true);
  const bool relative = shape_.positions == TransformerPositions::relative;
  const bool apart = !shape_.fused_softmax;
  if (!relative && apart) scores = net_.elementwise(name + "scale", "mul", scores);
  if (sight.bias) {
    scores = net_.add(name + "mask", scores, *sight.bias);
  } else if (apart) {
    scores = net_.elementwise(name + "mask", "add", scores);
  }
  const TensorId weights = dropout(name + "dropout", net_.softmax(name + "softmax", scores));
  const TensorId context = net_.matmul(name + "context", weights, heads.v);
  return net_.transpose(name + "join", context, {batch_, sight.q_len, shape_.heads * shape_.head_dim});
}

// [batch, length, heads, nope_dim + rope_dim]
TensorId TransformerParts::latent_queries(const std::string& name, TensorId x) {
  const LatentAttention& latent = shape_.latent;
  const std::int64_t dim = latent.nope_dim + latent.rope_dim, length = net_.shape(x)[1];
  TensorId q = x;
  if (latent.q_rank > 0) q = norm(name + "q/norm", net_.fully_connected(name + "q/down", x, latent.q_rank, false));
  q = net_.fully_connected(name + "q", q, shape_.heads * dim, false);
  q = net_.view(name + "q/split", "reshape", q, {batch_, length, shape_.heads, dim});
  return net_.rotary(name + "q/rotary", q);
}

TransformerParts::Heads TransformerParts::latent_heads(const std::string& name, TensorId x, const Sight& sight) {
  const LatentAttention& latent = shape_.latent;
  Heads heads{};
  heads.q = latent_queries(name, x);
  const TensorId narrow = net_.fully_connected(name + "kv/down", x, latent.kv_rank + latent.rope_dim, false);
  const TensorId positions =
      net_.rotary(name + "k/rotary", net_.slice(name + "k/positions", narrow, {batch_, sight.kv_len, latent.rope_dim}));
  TensorId kv = norm(name + "kv/norm", net_.slice(name + "kv/latent", narrow, {batch_, sight.kv_len, latent.kv_rank}));
  const std::int64_t width = latent.nope_dim + latent.v_dim;
  kv = net_.fully_connected(name + "kv", kv, shape_.heads * width, false);
  kv = net_.view(name + "kv/split", "reshape", kv, {batch_, sight.kv_len, shape_.heads, width});
  const TensorId nope = net_.slice(name + "k/nope", kv, {batch_, sight.kv_len, shape_.heads, latent.nope_dim});
  heads.v = net_.slice(name + "v", kv, {batch_, sight.kv_len, shape_.heads, latent.v_dim});
  heads.k =
      net_.join(name + "k", {nope, positions}, {batch_, sight.kv_len, shape_.heads, latent.nope_dim + latent.rope_dim});
  return heads;
}

// Decoding attends in the latent space (DeepSeek-V2, section 2.1.2: the expansions are absorbed into queries and
// result): one head of keys, whose first kv_rank features are the values.
TransformerParts::Heads TransformerParts::latent_heads_cached(const std::string& name, TensorId x, const Sight& sight) {
  const LatentAttention& latent = shape_.latent;
  const std::int64_t entry = latent.kv_rank + latent.rope_dim;
  const TensorId q = latent_queries(name, x);
  const TensorId narrow = net_.fully_connected(name + "kv/down", x, entry, false);
  const TensorId turned = net_.rotary(name + "k/rotary", narrow);
  const TensorId fresh = net_.view(name + "k/split", "reshape", turned, {batch_, sight.q_len, 1, entry});
  Heads heads{};
  const TensorId nope = net_.slice(name + "q/nope", q, {shape_.heads, batch_ * sight.q_len, latent.nope_dim});
  const TensorId expand = net_.weight(name + "k.weight", {shape_.heads, latent.nope_dim, latent.kv_rank});
  const TensorId absorbed = net_.matmul(name + "q/absorb", nope, expand);
  heads.q = net_.join(name + "q/join", {absorbed, q}, {batch_, sight.q_len, shape_.heads, entry});
  heads.k = cache(name + "k", fresh, {batch_, sight.kv_len, 1, entry});
  heads.v = net_.slice(name + "v", heads.k, {batch_, sight.kv_len, 1, latent.kv_rank});
  return heads;
}

TensorId TransformerParts::latent_values(const std::string& name, TensorId context, std::int64_t length) {
  const LatentAttention& latent = shape_.latent;
  const TensorId by_head =
      net_.transpose(name + "v/transpose", context, {shape_.heads, batch_ * length, latent.kv_rank});
  const TensorId expand = net_.weight(name + "v.weight", {shape_.heads, latent.kv_rank, latent.v_dim});
  const TensorId values = net_.matmul(name + "v/expand", by_head, expand);
  return net_.transpose(name + "join", values, {batch_, length, shape_.heads * latent.v_dim});
}

}  // namespace rooftile
