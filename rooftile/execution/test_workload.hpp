// What tests ask of a network that they put together.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "rooftile/workload/workload.hpp"

namespace rooftile {

inline const Op& op_named(const Workload& workload, const std::string& name) {
  return *std::find_if(workload.ops.begin(), workload.ops.end(), [&](const Op& op) { return op.name == name; });
}

inline std::vector<std::string> op_names(const Workload& workload) {
  std::vector<std::string> names;
  for (const Op& op : workload.ops) names.push_back(op.name);
  return names;
}

inline DType input_type(const Workload& workload, const std::string& name, std::size_t i = 0) {
  return workload.tensors[op_named(workload, name).inputs[i]].dtype;
}

}  // namespace rooftile
