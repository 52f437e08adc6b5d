#include "rooftile/execution/cache_type.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "rooftile/workload/cache_names.hpp"

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

Workload copy_caches(Workload workload) {
  for (Op& op : workload.ops) {
    auto* move = std::get_if<Move>(&op.kind);
    if (move == nullptr || move->function != "cache" || !op.name.ends_with(kAppendSuffix)) continue;
    std::string cache = op.name.substr(0, op.name.size() - kAppendSuffix.size());
    cache += kCacheSuffix;
    const auto given = std::find_if(workload.inputs.begin(), workload.inputs.end(),
                                    [&](TensorId id) { return workload.tensors[id].name == cache; });
    if (given == workload.inputs.end()) continue;
    op.inputs.push_back(*given);
    workload.tensors[op.outputs.front()].shape = workload.tensors[*given].shape;
  }
  return workload;
}

}  // namespace rooftile
