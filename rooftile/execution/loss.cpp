#include "rooftile/execution/loss.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <variant>

namespace rooftile {
namespace {

constexpr const char* kLogSoftmax = "loss/log_softmax";

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
  const TensorId losses = add(workload, "loss/nll", Move{.function = "gather", .partial = true}, scores, rows);
  workload.outputs = {add(workload, "loss/mean", Reduce{.function = "mean"}, losses, {})};
  return workload;
}

Workload with_wide_loss(Workload workload) {
  const auto is_softmax = [](const Op& op) { return op.name == kLogSoftmax; };
  const auto softmax = std::find_if(workload.ops.begin(), workload.ops.end(), is_softmax);
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

}  // namespace rooftile
