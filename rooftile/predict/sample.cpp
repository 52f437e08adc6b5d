#include "rooftile/predict/sample.hpp"

#include <algorithm>
#include <variant>

namespace rooftile {
namespace {

bool holds_samples(const Tensor& tensor, std::int64_t batch_size) {
  return tensor.shape.size() > 1 && tensor.shape.front() == batch_size;
}

// Keys of earlier positions, by the first attention of so many queries.
std::int64_t cached_before(const Workload& workload, std::int64_t tokens) {
  for (const Op& op : workload.ops) {
    const auto* attention = std::get_if<Attention>(&op.kind);
    if (attention != nullptr && attention->q_len == tokens)
      return std::max<std::int64_t>(0, attention->kv_len - tokens);
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
