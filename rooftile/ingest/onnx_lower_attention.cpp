// The attention operators of ONNX Runtime and of ONNX itself (operator set 23): projections where they have any, the
// cache of keys and values, rotary positions, and one fused kernel. A mask or bias of the scores costs nothing.
#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/ingest/onnx_lower.hpp"
#include "rooftile/workload/bad_input.hpp"

namespace rooftile {
namespace {

// Queries, keys and values, each batch x positions x (heads x head_dim) in any order, and their numbers.
struct Heads {
  std::int64_t batch = 1, q_len = 1, kv_len = 1;  // kv_len: new keys, without the cache
  std::int64_t heads = 1, kv_heads = 1;
  std::int64_t head_dim = 1, head_dim_v = 1;
  std::int64_t window = 0;
  bool causal = false;
};

Result<std::int64_t> per_head(std::int64_t size, std::int64_t heads, std::string_view what) {
  if (heads < 1 || size < 1 || size % heads != 0) {
    return bad_input(fmt::format("{} {} do not divide into {} heads", size, what, heads));
  }
  return size / heads;
}

Result<Shape> of_rank(const Lowering& to, ValueId id, std::size_t rank, std::string_view what) {
  const Shape shape = to.shape(id);
  if (shape.size() == rank) return shape;
  return bad_input(fmt::format("{} of shape {} do not have {} dimensions", what, print(shape), rank));
}

// Old positions before new ones; the result `i` of the operator, where somebody asks for it. The operators' own
// buffers are batch x heads x positions x head_dim.
Result<ValueId> with_cache(Lowering& to, ValueId past, ValueId fresh, std::size_t i, const Heads& heads,
                           std::int64_t head_dim, std::int64_t& length) {
  length = heads.kv_len;
  if (past == kAbsent && !to.wants(i)) return fresh;
  if (past != kAbsent) {
    const Shape cache = TRY(of_rank(to, past, 4, "cached keys or values"));
    if (cache[0] != heads.batch || cache[1] != heads.kv_heads) {
      return bad_input(fmt::format("a cache of {} does not fit a batch of {} with {} heads", print(cache), heads.batch,
                                   heads.kv_heads));
    }
    length += cache[2];
  }
  const ValueId whole = to.out(i, "cache");
  const Shape shape = {heads.batch, heads.kv_heads, length, head_dim};
  std::vector<ValueId> parts = {fresh};
  if (past != kAbsent) parts.insert(parts.begin(), past);
  to.add("KeyValueCache", std::move(parts), whole, of(shape, to.type(fresh)));
  return whole;
}

void add_attention(Lowering& to, const std::array<ValueId, 3>& qkv, const Heads& heads, std::int64_t kv_len,
                   const Shape& result) {
  auto attributes = of_shape(result);
  attributes["batch"] = heads.batch;
  attributes["heads"] = heads.heads;
  attributes["kv_heads"] = heads.kv_heads;
  attributes["q_len"] = heads.q_len;
  attributes["kv_len"] = kv_len;
  attributes["head_dim"] = heads.head_dim;
  attributes["head_dim_v"] = heads.head_dim_v;
  attributes["window"] = heads.window;
  attributes["causal"] = std::int64_t{heads.causal};
  to.add("FusedAttention", {qkv[0], qkv[1], qkv[2]}, to.out(0), std::move(attributes));
}

// Splits the last dimension of `packed` into parts of these sizes.
std::array<ValueId, 3> split(Lowering& to, ValueId packed, const std::array<std::int64_t, 3>& sizes) {
  const std::array<ValueId, 3> parts = {to.between("q"), to.between("k"), to.between("v")};
  to.add_node("Split", {packed, to.constant({sizes[0], sizes[1], sizes[2]})}, {parts[0], parts[1], parts[2]},
              {{"axis", std::int64_t{-1}}});
  return parts;
}

// com.microsoft.Attention and QAttention: one product makes queries, keys and values of the input.
Result<void> packed_attention(Lowering& to, std::size_t past_input, bool quantised) {
  const ValueId x = TRY(to.need(0)), weights = TRY(to.need(1));
  const Shape input = TRY(of_rank(to, x, 3, "inputs")), w = TRY(of_rank(to, weights, 2, "weights"));
  Heads heads;
  heads.batch = input[0];
  heads.q_len = heads.kv_len = input[1];
  heads.heads = heads.kv_heads = to.node().get_int("num_heads", 0);
  std::array<std::int64_t, 3> sizes = {w[1] / 3, w[1] / 3, w[1] / 3};
  if (const Ints given = to.node().get_ints("qkv_hidden_sizes"); given.size() == 3)
    sizes = {given[0], given[1], given[2]};
  if (sizes[0] + sizes[1] + sizes[2] != w[1] || sizes[0] != sizes[1]) {
    return bad_input(fmt::format("weights {} are not for queries, keys and values alike", print(w)));
  }
  heads.head_dim = TRY(per_head(sizes[0], heads.heads, "features"));
  heads.head_dim_v = TRY(per_head(sizes[2], heads.heads, "features"));
  heads.causal = to.node().get_int("unidirectional", 0) != 0;
  const DType type = quantised ? to.type(TRY(to.need(3))) : to.type(x);
  const ValueId projected = to.add("FusedMatMul", {x, weights, to.in(2)}, to.between("projected"), of_type(type));
  auto qkv = split(to, projected, sizes);
  std::int64_t length = heads.kv_len;
  if (const ValueId past = to.in(past_input); past != kAbsent || to.wants(1)) {
    if (past != kAbsent) {
      const Shape cache = TRY(of_rank(to, past, 5, "cached keys and values"));
      if (cache[0] != 2 || cache[1] != heads.batch || cache[2] != heads.heads) {
        return bad_input(fmt::format("a cache of {} does not fit", print(cache)));
      }
      length += cache[3];
    }
    const Shape half = {heads.batch, heads.heads, length, heads.head_dim};
    Shape whole = half;
    whole.insert(whole.begin(), 2);
    for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
      std::vector<ValueId> parts = {qkv[i]};
      if (past != kAbsent) parts.push_back(past);
      qkv[i] = to.add("KeyValueCache", std::move(parts), to.between("cache"), of(half, type));
    }
    if (to.wants(1)) to.add("KeyValueCache", {qkv[1], qkv[2]}, to.out(1), of(whole, type));
  }
  add_attention(to, qkv, heads, length, {heads.batch, heads.q_len, sizes[2]});
  return {};
}
Result<void> attention(Lowering& to) { return packed_attention(to, 4, false); }
Result<void> quantised_attention(Lowering& to) { return packed_attention(to, 8, true); }

// Where the operands of an operator with separate queries, keys and values are.
struct Places {
  std::size_t bias, past_key, past_value;
};

// com.microsoft.MultiHeadAttention and its decoding form.
Result<void> separate_attention(Lowering& to, const Places& places) {
  const ValueId q = TRY(to.need(0));
  const Shape queries = to.shape(q);
  Heads heads;
  heads.heads = heads.kv_heads = to.node().get_int("num_heads", 0);
  heads.causal = to.node().get_int("unidirectional", 0) != 0;
  std::array<ValueId, 3> qkv = {q, to.in(1), to.in(2)};
  const auto unpack = [&](ValueId packed, std::initializer_list<std::size_t> into) -> Result<void> {
    const Shape shape = TRY(of_rank(to, packed, 5, "packed operands"));
    std::vector<ValueId> parts;
    for (const std::size_t i : into) parts.push_back(qkv[i] = to.between("qkv"));
    to.add_node("Unpack", {packed}, std::move(parts), of_shape({shape[0], shape[1], shape[2] * shape[4]}));
    return {};
  };
  Shape key_shape = qkv[1] == kAbsent ? Shape{} : to.shape(qkv[1]);
  Shape value_shape = qkv[2] == kAbsent ? Shape{} : to.shape(qkv[2]);
  std::int64_t features = 0;
  if (queries.size() == 5 || key_shape.size() == 5) {
    const ValueId packed = queries.size() == 5 ? q : qkv[1];
    const Shape shape = to.shape(packed);
    key_shape = value_shape = {shape[0], shape[1], shape[2] * shape[4]};
    TRY(queries.size() == 5 ? unpack(packed, {0, 1, 2}) : unpack(packed, {1, 2}));
    if (queries.size() == 5) {
      heads.batch = shape[0];
      heads.q_len = shape[1];
      features = key_shape[2];
    }
  }
  if (features == 0) {
    const Shape shape = TRY(of_rank(to, q, 3, "queries"));
    heads.batch = shape[0];
    heads.q_len = shape[1];
    features = shape[2];
  }
  if (qkv[1] == kAbsent || qkv[2] == kAbsent) return bad_input("has no keys or values");
  heads.head_dim = TRY(per_head(features, heads.heads, "features"));
  if (key_shape.size() == 4) {  // of another sequence, computed before
    heads.kv_len = key_shape[2];
    heads.head_dim_v = value_shape.size() == 4 ? value_shape[3] : heads.head_dim;
  } else if (key_shape.size() == 3 && value_shape.size() == 3) {
    heads.kv_len = key_shape[1];
    heads.head_dim_v = TRY(per_head(value_shape[2], heads.heads, "features of values"));
  } else {
    return bad_input(fmt::format("keys {} and values {} do not fit", print(key_shape), print(value_shape)));
  }
  if (to.in(places.bias) != kAbsent) {
    for (ValueId& operand : qkv) {
      const Shape shape = operand == qkv[0] ? Shape{heads.batch, heads.q_len, features} : to.shape(operand);
      operand = to.add("Add", {operand, to.in(places.bias)}, to.between("biased"),
                       of(shape.empty() ? key_shape : shape, to.type(q)));
    }
  }
  std::int64_t length = 0, same = 0;
  qkv[1] = TRY(with_cache(to, to.in(places.past_key), qkv[1], 1, heads, heads.head_dim, length));
  qkv[2] = TRY(with_cache(to, to.in(places.past_value), qkv[2], 2, heads, heads.head_dim_v, same));
  if (length != same) return bad_input(fmt::format("caches {} keys and {} values", length, same));
  if (to.wants(3)) return fail(ErrorCode::unsupported, "the scores are asked for, which no fused kernel returns");
  add_attention(to, qkv, heads, length, {heads.batch, heads.q_len, heads.heads * heads.head_dim_v});
  return {};
}
Result<void> multi_head(Lowering& to) { return separate_attention(to, {3, 6, 7}); }
Result<void> decoder_masked(Lowering& to) { return separate_attention(to, {10, 5, 6}); }

Result<void> group_query(Lowering& to) {
  const ValueId q = TRY(to.need(0));
  const Shape queries = TRY(of_rank(to, q, 3, "queries"));
  Heads heads;
  heads.batch = queries[0];
  heads.q_len = heads.kv_len = queries[1];
  heads.heads = to.node().get_int("num_heads", 0);
  heads.kv_heads = to.node().get_int("kv_num_heads", 0);
  heads.causal = to.node().get_int("causal", 1) != 0;
  heads.window = std::max<std::int64_t>(to.node().get_int("local_window_size", -1), 0);
  std::array<ValueId, 3> qkv = {q, to.in(1), to.in(2)};
  if (qkv[1] == kAbsent) {
    if (heads.heads < 1 || heads.kv_heads < 1) return bad_input("num_heads and kv_num_heads are needed");
    heads.head_dim = TRY(per_head(queries[2], heads.heads + 2 * heads.kv_heads, "features"));
    qkv =
        split(to, q, {heads.heads * heads.head_dim, heads.kv_heads * heads.head_dim, heads.kv_heads * heads.head_dim});
  } else {
    heads.head_dim = TRY(per_head(queries[2], heads.heads, "features"));
    if (qkv[2] == kAbsent) return bad_input("has keys and no values");
    const Shape keys = TRY(of_rank(to, qkv[1], 3, "keys"));
    heads.kv_len = keys[1];
  }
  heads.head_dim_v = heads.head_dim;
  const Shape result = {heads.batch, heads.q_len, heads.heads * heads.head_dim};
  const Shape keys = {heads.batch, heads.kv_len, heads.kv_heads * heads.head_dim};
  if (to.node().get_int("do_rotary", 0) != 0) {
    qkv[0] = to.add("RotaryEmbedding", {qkv[0]}, to.between("turned_q"), of(result, to.type(q)));
    qkv[1] = to.add("RotaryEmbedding", {qkv[1]}, to.between("turned_k"), of(keys, to.type(q)));
  }
  std::int64_t length = 0, same = 0;
  qkv[1] = TRY(with_cache(to, to.in(3), qkv[1], 1, heads, heads.head_dim, length));
  qkv[2] = TRY(with_cache(to, to.in(4), qkv[2], 2, heads, heads.head_dim, same));
  if (length != same) return bad_input(fmt::format("caches {} keys and {} values", length, same));
  if (to.wants(3)) return fail(ErrorCode::unsupported, "the scores are asked for, which no fused kernel returns");
  add_attention(to, qkv, heads, length, result);
  return {};
}

// ONNX's own, from operator set 23: three dimensions with the numbers of heads as attributes, or four.
Result<void> onnx_attention(Lowering& to) {
  const ValueId q = TRY(to.need(0)), k = TRY(to.need(1)), v = TRY(to.need(2));
  const Shape queries = to.shape(q), keys = to.shape(k), values = to.shape(v);
  Heads heads;
  heads.causal = to.node().get_int("is_causal", 0) != 0;
  if (queries.size() == 4 && keys.size() == 4 && values.size() == 4) {
    heads.heads = queries[1];
    heads.kv_heads = keys[1];
    heads.q_len = queries[2];
    heads.kv_len = keys[2];
    heads.head_dim = queries[3];
    heads.head_dim_v = values[3];
  } else if (queries.size() == 3 && keys.size() == 3 && values.size() == 3) {
    heads.heads = to.node().get_int("q_num_heads", 0);
    heads.kv_heads = to.node().get_int("kv_num_heads", 0);
    heads.q_len = queries[1];
    heads.kv_len = keys[1];
    heads.head_dim = TRY(per_head(queries[2], heads.heads, "features"));
    heads.head_dim_v = TRY(per_head(values[2], heads.kv_heads, "features of values"));
  } else {
    return bad_input(fmt::format("operands {}, {} and {} do not fit", print(queries), print(keys), print(values)));
  }
  heads.batch = queries[0];
  std::int64_t length = 0, same = 0;
  std::array<ValueId, 3> qkv = {q, k, v};
  qkv[1] = TRY(with_cache(to, to.in(4), k, 1, heads, heads.head_dim, length));
  qkv[2] = TRY(with_cache(to, to.in(5), v, 2, heads, heads.head_dim_v, same));
  if (length != same) return bad_input(fmt::format("caches {} keys and {} values", length, same));
  if (to.wants(3)) return fail(ErrorCode::unsupported, "the scores are asked for, which no fused kernel returns");
  const Shape result = queries.size() == 4 ? Shape{heads.batch, heads.heads, heads.q_len, heads.head_dim_v}
                                           : Shape{heads.batch, heads.q_len, heads.heads * heads.head_dim_v};
  add_attention(to, qkv, heads, length, result);
  return {};
}

}  // namespace

const std::vector<LoweringRow>& attention_operators() {
  static const std::vector<LoweringRow> rows = {
      {"Attention", onnx_attention},
      {"com.microsoft.Attention", attention},
      {"com.microsoft.DecoderMaskedMultiHeadAttention", decoder_masked},
      {"com.microsoft.GroupQueryAttention", group_query},
      {"com.microsoft.MultiHeadAttention", multi_head},
      {"com.microsoft.QAttention", quantised_attention},
  };
  return rows;
}

}  // namespace rooftile
