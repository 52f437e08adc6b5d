#include "rooftile/execution/loss.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "rooftile/ops/cross_entropy.hpp"

namespace rooftile {
namespace {

constexpr const char* kLogSoftmax = "loss/log_softmax";
constexpr const char* kOfTargets = "loss/nll";

auto find(std::vector<Op>& ops, const char* name) {
  return std::find_if(ops.begin(), ops.end(), [&](const Op& op) { return op.name == name; });
}

TensorId add(Workload& workload, const char* name, OpKind kind, TensorId input, Shape shape) {
  const DType dtype = workload.tensors[input].dtype;
  const TensorId result = workload.tensors.size();
  workload.tensors.push_back({name, std::move(shape), dtype});
  workload.ops.push_back({name, std::move(kind), {input}, {result}});
  return result;
}

bool ends_in_softmax(const Workload& workload) {
  for (const Op& op : workload.ops) {
    if (std::holds_alternative<Softmax>(op.kind) && op.outputs == workload.outputs) return true;
  }
  return false;
}

}  // namespace

bool has_cross_entropy(const Workload& workload) {
  constexpr std::size_t kLeast = 2, kMost = 3;  // samples, maybe positions, and classes
  if (workload.outputs.size() != 1) return false;
  const Tensor& scores = workload.tensors[workload.outputs.front()];
  return is_floating(scores.dtype) && scores.shape.size() >= kLeast && scores.shape.size() <= kMost &&
         scores.shape.back() > 1;
}

Workload with_loss(Workload workload) {
  if (!has_cross_entropy(workload)) return workload;
  TensorId scores = workload.outputs.front();
  Shape rows = workload.tensors[scores].shape;
  if (!ends_in_softmax(workload)) scores = add(workload, kLogSoftmax, Softmax{}, scores, rows);
  rows.pop_back();
  // One number of a row is read; the gradient fills the rest with zeros.
  const TensorId losses = add(workload, kOfTargets, Move{.function = "gather", .partial = true}, scores, rows);
  workload.outputs = {add(workload, "loss/mean", Reduce{.function = "mean"}, losses, {})};
  return workload;
}

Workload with_wide_loss(Workload workload) {
  const auto softmax = find(workload.ops, kLogSoftmax);
  if (softmax == workload.ops.end()) return workload;
  const TensorId narrow = softmax->inputs.front(), wide = workload.tensors.size();
  workload.tensors.push_back({"loss/scores", workload.tensors[narrow].shape, DType::fp32});
  softmax->inputs.front() = wide;
  for (auto op = softmax; op != workload.ops.end(); ++op) {
    for (const TensorId id : op->outputs) workload.tensors[id].dtype = DType::fp32;
  }
  workload.ops.insert(softmax, {"loss/scores", Move{.function = "cast"}, {narrow}, {wide}});
  return workload;
}

Workload with_fused_loss(Workload workload, bool scattered) {
  const auto softmax = find(workload.ops, kLogSoftmax), targets = find(workload.ops, kOfTargets);
  if (softmax == workload.ops.end() || targets == workload.ops.end()) return workload;
  std::vector<std::string> members = softmax->members;
  if (members.empty()) members = {kLogSoftmax};
  members.emplace_back(kOfTargets);
  *targets = {"loss/cross_entropy", Reduce{.function = scattered ? kScatteredCrossEntropy : kCrossEntropy},
              softmax->inputs, targets->outputs, members};
  workload.ops.erase(softmax);
  return workload;
}

}  // namespace rooftile
