#include "rooftile/execution/conv_bias.hpp"

#include <utility>
#include <variant>
#include <vector>

#include "rooftile/ops/conv.hpp"

namespace rooftile {
namespace {

bool is_added_apart(const Workload& workload, const Op& op, bool nhwc) {
  constexpr std::size_t kWithBias = 3;  // data, weights, bias
  const auto* conv = std::get_if<Conv>(&op.kind);
  return conv != nullptr && conv->bias && op.inputs.size() == kWithBias && (nhwc || !is_depthwise(*conv)) &&
         is_floating(workload.tensors[op.outputs.front()].dtype);
}

}  // namespace

Workload add_biases_apart(Workload workload, bool nhwc) {
  std::vector<Op> ops;
  ops.reserve(workload.ops.size());
  for (Op& op : workload.ops) {
    if (!is_added_apart(workload, op, nhwc)) {
      ops.push_back(std::move(op));
      continue;
    }
    const TensorId bias = op.inputs.back(), result = op.outputs.front();
    Tensor sums = workload.tensors[result];
    sums.name += ".sums";
    workload.tensors.push_back(std::move(sums));
    op.inputs.pop_back();
    std::get<Conv>(op.kind).bias = false;
    op.outputs.front() = workload.tensors.size() - 1;
    Op add = {op.name + ".bias", Elementwise{"bias"}, {op.outputs.front(), bias}, {result}};
    ops.push_back(std::move(op));
    ops.push_back(std::move(add));
  }
  workload.ops = std::move(ops);
  return workload;
}

}  // namespace rooftile
