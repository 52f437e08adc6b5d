// Attention, MLP and norm of a transformer's block.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rooftile/zoo/net.hpp"
#include "rooftile/zoo/transformer.hpp"

namespace rooftile {

// What the queries of an attention see.
struct Sight {
  std::int64_t q_len = 1, kv_len = 1;
  bool causal = false;
  bool cached = false;                // keys and values come out of a cache, which has room for the new ones
  bool cross = false;                 // they are of another text
  std::int64_t window = 0;            // how many positions back a query sees; 0: all
  std::optional<TensorId> bias = {};  // heads x q_len x kv_len, added to the scores
};

class TransformerParts {
 public:
  // Both must outlive this.
  TransformerParts(Net& net, const Transformer& shape, std::int64_t batch) : net_(net), shape_(shape), batch_(batch) {}

  TensorId norm(const std::string& name, TensorId x);
  TensorId dropout(const std::string& name, TensorId x);

  // heads x q_len x kv_len from a table of distances (T5: 32 of them), which all layers of a stack share.
  TensorId relative_bias(const std::string& prefix, const Sight& sight);

  // batch x q_len x hidden to the same. `memory`: the other text, where there is one and it is not cached.
  TensorId attention(const std::string& name, TensorId x, const Sight& sight,
                     const std::optional<TensorId>& memory = std::nullopt);

  // batch x q_len x hidden to the same: an MLP, or a mixture of experts where the layer has one.
  TensorId mlp(const std::string& name, TensorId x, std::int64_t layer);

  // What the caches got, which is a result of the network.
  const std::vector<TensorId>& cached() const { return cached_; }

 private:
  struct Heads {
    TensorId q, k, v;
  };
  struct HeadSizes {
    std::int64_t kv_heads, dim, v_dim;
  };

  bool has_bias(TransformerBias part) const;
  Shape heads_shape(std::int64_t length, std::int64_t heads, std::int64_t dim) const;
  TensorId split(const std::string& name, TensorId x, std::int64_t length, std::int64_t heads);
  Heads separate_heads(const std::string& name, TensorId x, const Sight& sight, const std::optional<TensorId>& memory);
  Heads heads_of_one_product(const std::string& name, TensorId x, const Sight& sight);
  Heads latent_heads(const std::string& name, TensorId x, const Sight& sight);
  Heads latent_heads_cached(const std::string& name, TensorId x, const Sight& sight);
  TensorId latent_queries(const std::string& name, TensorId x);
  TensorId latent_values(const std::string& name, TensorId context, std::int64_t length);
  TensorId cache(const std::string& name, std::optional<TensorId> fresh, const Shape& shape);
  TensorId fused(const std::string& name, const Heads& heads, const Sight& sight, const HeadSizes& sizes);
  TensorId apart(const std::string& name, Heads heads, const Sight& sight);

  TensorId activation(const std::string& name, TensorId y);
  TensorId dense(const std::string& name, TensorId x, std::int64_t width);
  TensorId experts(const std::string& name, TensorId x);

  Net& net_;
  const Transformer& shape_;
  std::int64_t batch_;
  std::vector<TensorId> cached_;
};

}  // namespace rooftile
