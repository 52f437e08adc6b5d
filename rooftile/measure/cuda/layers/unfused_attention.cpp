// Attention as frameworks run it without a fused kernel: Q K^T by cuBLASLt, a softmax over the keys that each query
// sees, then the product with V. Query heads that share a key head make one taller product.
#include <algorithm>
#include <cmath>
#include <limits>

#include "rooftile/measure/cuda/layers/families.hpp"
#include "rooftile/measure/cuda/layers/product.hpp"
#include "rooftile/measure/cuda/layers/stream_kernels.hpp"
#include "rooftile/measure/layer_check.hpp"

namespace rooftile::measure {
namespace {

std::size_t aligned(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

class UnfusedAttention : public PreparedLayer {
 public:
  UnfusedAttention(const Attention& attention, DType precision, Product scores, Product values)
      : attention_(attention), precision_(precision), scores_(std::move(scores)), values_(std::move(values)) {
    const std::int64_t queries = attention.batch * attention.heads * attention.q_len;
    const std::int64_t keys = attention.batch * attention.kv_heads * attention.kv_len;
    const TensorSpec q{.type = precision, .count = queries * attention.head_dim};
    const TensorSpec kv{.type = precision, .count = keys * attention.head_dim};
    inputs = {q, kv, kv};
    outputs = {q};
    score_bytes_ = aligned(bytes_of({.type = precision, .count = queries * attention.kv_len}));
    workspace_bytes = score_bytes_ + std::max(scores_.workspace_bytes(), values_.workspace_bytes());
    algorithm = "unfused";
    error_limit = measure::error_limit(precision);
  }

  Outcome<void> run(const OperandSet& set, cudaStream_t stream) override {
    auto* const memory = static_cast<std::byte*>(set.workspace);
    void* const rest = memory + score_bytes_;
    if (auto done = scores_.run(set.inputs[0].data, set.inputs[1].data, nullptr, memory, rest, stream); !done) {
      return done;
    }
    launch_masked_softmax(attention_, precision_, memory, stream);
    if (auto done = check_launch("the softmax of attention"); !done) {
      return done;
    }
    return values_.run(memory, set.inputs[2].data, nullptr, set.outputs[0].data, rest, stream);
  }

  Outcome<double> error(const OperandSet& set, cudaStream_t stream) override {
    return attention_error(attention_, precision_, set, stream);
  }

 private:
  Attention attention_;
  DType precision_;
  Product scores_;
  Product values_;
  std::size_t score_bytes_ = 0;
};

}  // namespace

Outcome<Prepared> prepare_unfused_attention(const Attention& attention, const LayerCase& layer,
                                            const LayerContext& context) {
  const DType precision = layer.precision;
  if (result_type(precision) != precision) {
    return unsupported("attention runs in fp32, tf32, fp16 or bf16, not " + std::string(name_of(precision)));
  }
  const double rows = static_cast<double>(attention.batch) * static_cast<double>(attention.heads) *
                      static_cast<double>(attention.q_len);
  if (rows > std::numeric_limits<std::int32_t>::max()) {
    return unsupported("more queries than one grid has CTAs for");
  }
  const std::int64_t batch = attention.batch * attention.kv_heads;
  const std::int64_t queries = attention.heads / attention.kv_heads * attention.q_len;
  auto scores =
      Product::make({.batch = batch, .m = queries, .n = attention.kv_len, .k = attention.head_dim, .trans_b = true},
                    precision, 1 / std::sqrt(static_cast<double>(attention.head_dim)), context);
  auto values = Product::make({.batch = batch, .m = queries, .n = attention.head_dim, .k = attention.kv_len}, precision,
                              1, context);
  if (!scores || !values) {
    return tl::unexpected(scores ? values.error() : scores.error());
  }
  return std::make_unique<UnfusedAttention>(attention, precision, std::move(*scores), std::move(*values));
}

}  // namespace rooftile::measure
