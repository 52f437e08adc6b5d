#include "rooftile/execution/cache_type.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace rooftile {

DType cache_type(std::optional<DType> asked, DType precision) {
  if (asked) return *asked;
  if (is_narrow_float(precision)) return DType::fp8;
  return precision == DType::tf32 ? DType::fp32 : precision;
}

Workload keep_cache_in(Workload workload, DType type) {
  for (Op& op : workload.ops) {
    auto* attention = std::get_if<Attention>(&op.kind);
    if (attention == nullptr || attention->q_len >= attention->kv_len) continue;
    attention->kv_precision = type;
    const auto& given = workload.inputs;
    for (const TensorId id : op.inputs) {
      if (std::find(given.begin(), given.end(), id) != given.end()) workload.tensors[id].dtype = type;
    }
  }
  return workload;
}

}  // namespace rooftile
