#include "rooftile/execution/bias.hpp"

#include <utility>
#include <variant>
#include <vector>

#include "rooftile/ops/conv.hpp"

namespace rooftile {
namespace {

constexpr std::size_t kWithBias = 3;  // data, weights, bias

bool is_added_apart(const Workload& workload, const Op& op, bool nhwc) {
  const auto* conv = std::get_if<Conv>(&op.kind);
  return conv != nullptr && conv->bias && op.inputs.size() == kWithBias && (nhwc || !is_depthwise(*conv)) &&
         is_floating(workload.tensors[op.outputs.front()].dtype);
}

bool is_biased_product(const Op& op) {
  const auto* gemm = std::get_if<Gemm>(&op.kind);
  return gemm != nullptr && gemm->bias && op.inputs.size() == kWithBias;
}

// Puts the bias of each operator that is one of `apart` into an operator of its own.
template <class Kind, class Apart>
Workload with_biases_apart(Workload workload, const Apart& apart) {
  std::vector<Op> ops;
  ops.reserve(workload.ops.size());
  for (Op& op : workload.ops) {
    if (!apart(workload, op)) {
      ops.push_back(std::move(op));
      continue;
    }
    const TensorId bias = op.inputs.back(), result = op.outputs.front();
    Tensor sums = workload.tensors[result];
    sums.name += ".sums";
    workload.tensors.push_back(std::move(sums));
    op.inputs.pop_back();
    std::get<Kind>(op.kind).bias = false;
    op.outputs.front() = workload.tensors.size() - 1;
    Op add = {op.name + ".bias", Elementwise{"bias"}, {op.outputs.front(), bias}, {result}};
    ops.push_back(std::move(op));
    ops.push_back(std::move(add));
  }
  workload.ops = std::move(ops);
  return workload;
}

// What attention of one query reads, through views.
std::vector<bool> read_by_one_query(const Workload& workload) {
  std::vector<bool> read(workload.tensors.size());
  for (std::size_t i = workload.ops.size(); i-- > 0;) {
    const Op& op = workload.ops[i];
    const auto* attention = std::get_if<Attention>(&op.kind);
    const bool passes = std::holds_alternative<View>(op.kind) && read[op.outputs.front()];
    if (!passes && (attention == nullptr || attention->q_len > 1)) continue;
    for (const TensorId id : op.inputs) read[id] = true;
  }
  return read;
}

}  // namespace

Workload add_biases_apart(Workload workload, bool nhwc) {
  return with_biases_apart<Conv>(std::move(workload),
                                 [&](const Workload& whole, const Op& op) { return is_added_apart(whole, op, nhwc); });
}

Workload add_linear_biases_apart(Workload workload, std::size_t dimensions) {
  return with_biases_apart<Gemm>(std::move(workload), [&](const Workload& whole, const Op& op) {
    return is_biased_product(op) && whole.tensors[op.inputs.front()].shape.size() > dimensions;
  });
}

Workload add_product_biases_apart(Workload workload) {
  const std::vector<bool> one_query = read_by_one_query(workload);
  return with_biases_apart<Gemm>(std::move(workload), [&](const Workload&, const Op& op) {
    return is_biased_product(op) && !one_query[op.outputs.front()];
  });
}

Workload join_product_biases(Workload workload) {
  std::vector<std::size_t> product_of(workload.tensors.size(), workload.ops.size());  // the merged one that writes it
  for (std::size_t i = 0; i < workload.ops.size(); ++i) {
    const Op& op = workload.ops[i];
    if (!std::holds_alternative<Gemm>(op.kind) || op.outputs.size() < 2) continue;
    for (const TensorId id : op.outputs) product_of[id] = i;
  }
  std::vector<Op> ops;
  ops.reserve(workload.ops.size());
  std::size_t product = workload.ops.size(), joined = 0;  // that the last bias was of, and the bias's place in `ops`
  for (Op& op : workload.ops) {
    const std::size_t of = op.kind == OpKind(Elementwise{"bias"}) ? product_of[op.inputs.front()] : workload.ops.size();
    if (of < workload.ops.size() && of == product) {
      Op& all = ops[joined];
      if (all.members.empty()) all.members.push_back(all.name);
      all.members.push_back(op.name);
      all.inputs.insert(all.inputs.end(), op.inputs.begin(), op.inputs.end());
      all.outputs.push_back(op.outputs.front());
      continue;
    }
    if (of < workload.ops.size()) product = of, joined = ops.size();
    ops.push_back(std::move(op));
  }
  workload.ops = std::move(ops);
  return workload;
}

}  // namespace rooftile
