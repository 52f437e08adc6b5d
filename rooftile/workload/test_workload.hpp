// What tests ask of a network that they put together.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "rooftile/workload/workload.hpp"

namespace rooftile {

inline const Op& op_named(const Workload& workload, const std::string& name) {
  const auto found =
      std::find_if(workload.ops.begin(), workload.ops.end(), [&](const Op& op) { return op.name == name; });
  if (found == workload.ops.end()) throw std::out_of_range("no op " + name);
  return *found;
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
