#include "rooftile/predict/alike.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <unordered_map>

namespace rooftile {
namespace {

// The place of the first mention of the same tensor.
std::size_t first_mention(const std::vector<TensorId>& ids, std::size_t i) {
  return static_cast<std::size_t>(std::find(ids.begin(), ids.end(), ids[i]) - ids.begin());
}

bool alike(const Workload& workload, const std::vector<TensorId>& a, const std::vector<TensorId>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Tensor& first = workload.tensors[a[i]];
    const Tensor& second = workload.tensors[b[i]];
    if (first.shape != second.shape || first.dtype != second.dtype) return false;
    if (first.constant != second.constant || first.rectified != second.rectified) return false;
    if (first_mention(a, i) != first_mention(b, i)) return false;  // x + x is not x + y
  }
  return true;
}

bool alike(const Workload& workload, const Op& a, const Op& b) {
  return alike(workload, a.inputs, b.inputs) && alike(workload, a.outputs, b.outputs) && a.kind == b.kind;
}

// Equal for ops that are alike.
std::size_t hash_of(const Workload& workload, const Op& op) {
  std::size_t hash = op.kind.index();
  for (const std::vector<TensorId>* ids : {&op.inputs, &op.outputs}) {
    for (const TensorId id : *ids) {
      constexpr std::size_t kOdd = 1099511628211;
      for (const std::int64_t size : workload.tensors[id].shape) hash = (hash ^ static_cast<std::size_t>(size)) * kOdd;
      hash *= kOdd;
    }
  }
  return hash;
}

}  // namespace

std::vector<std::size_t> first_alike(const Workload& workload) {
  std::vector<std::size_t> first(workload.ops.size());
  std::unordered_map<std::size_t, std::vector<std::size_t>> known;  // by hash, those unlike each other
  for (std::size_t i = 0; i < first.size(); ++i) {
    std::vector<std::size_t>& others = known[hash_of(workload, workload.ops[i])];
    const auto found = std::find_if(others.begin(), others.end(), [&](std::size_t other) {
      return alike(workload, workload.ops[other], workload.ops[i]);
    });
    first[i] = found == others.end() ? i : *found;
    if (found == others.end()) others.push_back(i);
  }
  return first;
}

}  // namespace rooftile
