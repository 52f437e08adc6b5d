#include "rooftile/execution/fold_constants.hpp"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

namespace rooftile {
namespace {

std::vector<bool> read_as_weights(const Workload& workload) {
  std::vector<bool> read(workload.tensors.size());
  for (const Op& op : workload.ops) {
    const bool product = std::holds_alternative<Gemm>(op.kind) || std::holds_alternative<Conv>(op.kind);
    if (product && op.inputs.size() > 1) read[op.inputs[1]] = true;
  }
  return read;
}

}  // namespace

Workload fold_constants(Workload workload) {
  const std::vector<bool> weights = read_as_weights(workload);
  std::vector<Op> ops;
  ops.reserve(workload.ops.size());
  for (Op& op : workload.ops) {
    const auto is_constant = [&](TensorId id) { return workload.tensors[id].constant; };
    const auto stays = [&](TensorId id) {
      return weights[id] || std::find(workload.outputs.begin(), workload.outputs.end(), id) != workload.outputs.end();
    };
    const bool known = !op.inputs.empty() && std::all_of(op.inputs.begin(), op.inputs.end(), is_constant);
    if (!known || std::any_of(op.outputs.begin(), op.outputs.end(), stays)) {
      ops.push_back(std::move(op));
      continue;
    }
    for (const TensorId id : op.outputs) workload.tensors[id].constant = true;
  }
  workload.ops = std::move(ops);
  return workload;
}

}  // namespace rooftile
