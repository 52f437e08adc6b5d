#include <algorithm>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "rooftile/ops/stream_gradient.hpp"
#include "rooftile/predict/predict.hpp"

namespace rooftile {
namespace {

constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

// The tensor whose storage each tensor uses: a view shares that of its first input.
std::vector<TensorId> storage(const Workload& workload, bool training) {
  std::vector<TensorId> owner(workload.tensors.size());
  for (TensorId id = 0; id < owner.size(); ++id) owner[id] = id;
  for (const Op& op : workload.ops) {
    const auto* view = std::get_if<View>(&op.kind);
    if (view == nullptr || op.inputs.empty() || (training && is_dropout(*view))) continue;
    for (const TensorId output : op.outputs) owner[output] = owner[op.inputs.front()];
  }
  return owner;
}

// The index of the op after which each storage is free; kNever for what the workload returns.
std::vector<std::size_t> last_uses(const Workload& workload, const std::vector<TensorId>& owner) {
  std::vector<std::size_t> last(workload.tensors.size(), 0);
  for (std::size_t i = 0; i < workload.ops.size(); ++i) {
    for (const TensorId id : workload.ops[i].inputs) last[owner[id]] = i;
    for (const TensorId id : workload.ops[i].outputs) last[owner[id]] = i;
  }
  for (const TensorId id : workload.outputs) last[owner[id]] = kNever;
  return last;
}

// What the gradient of an op reads beside the gradient of its result.
struct NeededByGradient {
  bool inputs, result;

  static NeededByGradient of(const Op& op) {
    if (std::holds_alternative<Softmax>(op.kind)) return {false, true};
    if (const auto* elementwise = std::get_if<Elementwise>(&op.kind)) {
      const std::string& function = elementwise->function;
      if (function == "relu" || function == "tanh" || function == "sigmoid") return {false, true};
      const bool linear = passes_through(function) || (function == "mul" && op.inputs.size() == 1);
      return {!linear, false};
    }
    const bool moves = std::holds_alternative<View>(op.kind) || std::holds_alternative<Move>(op.kind) ||
                       std::holds_alternative<Reduce>(op.kind) || std::holds_alternative<Pool>(op.kind);
    return {!moves, false};
  }
};

// The storages that stay until the gradients that read them are computed.
std::vector<bool> kept_for_gradients(const Workload& workload, const std::vector<TensorId>& owner) {
  std::vector<bool> kept(workload.tensors.size());
  for (const Op& op : workload.ops) {
    const NeededByGradient needed = NeededByGradient::of(op);
    for (const TensorId id : op.inputs) kept[owner[id]] = kept[owner[id]] || needed.inputs;
    for (const TensorId id : op.outputs) kept[owner[id]] = kept[owner[id]] || needed.result;
  }
  return kept;
}

}  // namespace

MemoryUse memory_use(const Workload& workload, Phase phase) {
  const bool gradients = phase != Phase::fwd;
  const std::vector<TensorId> owner = storage(workload, gradients);
  const std::vector<std::size_t> last = last_uses(workload, owner);
  const std::vector<bool> kept =
      gradients ? kept_for_gradients(workload, owner) : std::vector<bool>(workload.tensors.size());
  MemoryUse use;
  for (const Tensor& tensor : workload.tensors) {
    if (tensor.constant) use.weights += size_of(tensor) * (gradients ? 2.0 : 1.0);
  }
  std::vector<bool> alive(workload.tensors.size(), false);
  Bytes now;
  const auto allocate = [&](TensorId id) {
    if (workload.tensors[id].constant || alive[id]) return;
    alive[id] = true;
    now += size_of(workload.tensors[id]);
  };
  for (const TensorId id : workload.inputs) allocate(owner[id]);
  use.activations = now;
  for (std::size_t i = 0; i < workload.ops.size(); ++i) {
    const Op& op = workload.ops[i];
    for (const TensorId id : op.outputs) allocate(owner[id]);
    use.activations = std::max(use.activations, now);
    const auto release = [&](TensorId id) {
      if (kept[id] || !alive[id] || last[id] > i) return;
      alive[id] = false;
      now -= size_of(workload.tensors[id]);
    };
    for (const TensorId id : op.inputs) release(owner[id]);
    for (const TensorId id : op.outputs) release(owner[id]);
  }
  return use;
}

}  // namespace rooftile
