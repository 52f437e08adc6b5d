#include "rooftile/predict/sample.hpp"

#include <algorithm>
#include <optional>
#include <variant>

namespace rooftile {
namespace {

bool holds_samples(const Tensor& tensor, std::int64_t batch_size) {
  return tensor.shape.size() > 1 && tensor.shape.front() == batch_size;
}

// Keys that so many queries meet, where the operator is an attention, or the softmax of one that is written out.
std::optional<std::int64_t> keys_of(const Workload& workload, const Op& op, std::int64_t queries) {
  if (const auto* attention = std::get_if<Attention>(&op.kind)) {
    if (attention->q_len == queries) return attention->kv_len;
  } else if (std::holds_alternative<Softmax>(op.kind)) {
    constexpr std::size_t kRank = 4;  // batch, heads, queries, keys
    const Shape& scores = workload.tensors[op.inputs.front()].shape;
    if (scores.size() == kRank && scores[kRank - 2] == queries) return scores.back();
  }
  return std::nullopt;
}

// Of earlier positions, by the first attention of so many queries.
std::int64_t cached_before(const Workload& workload, std::int64_t tokens) {
  for (const Op& op : workload.ops) {
    if (const auto keys = keys_of(workload, op, tokens)) return std::max<std::int64_t>(0, *keys - tokens);
  }
  return 0;
}

}  // namespace

Sample sample_of(const Workload& workload) {
  for (const TensorId id : workload.inputs) {
    const Tensor& input = workload.tensors[id];
    if (!holds_samples(input, workload.batch_size)) continue;
    Sample sample{.shape = Shape(input.shape.begin() + 1, input.shape.end())};
    if (!is_floating(input.dtype) && sample.shape.size() == 1) {
      sample.tokens = sample.shape.front();
      sample.cached = cached_before(workload, sample.tokens);
    }
    return sample;
  }
  return {};
}

}  // namespace rooftile
