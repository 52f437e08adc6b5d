#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "rooftile/ops/cross_entropy.hpp"
#include "rooftile/ops/stream_gradient.hpp"
#include "rooftile/predict/captured.hpp"
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

// PyTorch's allocator hands out whole blocks (c10/cuda/CUDACachingAllocator.cpp, kMinBlockSize).
Bytes allocated(Bytes bytes) {
  constexpr double kBlock = 512;
  return Bytes(std::ceil(bytes.value() / kBlock) * kBlock);
}

// What an op keeps for its gradient beside tensors of the network: where each maximum was, in 64 bits, and which
// elements dropout kept, a byte each.
Bytes kept_beside(const Workload& workload, const Op& op) {
  const double results = elements(workload.tensors[op.outputs.front()].shape);
  constexpr Bytes kIndex{8}, kMask{1};
  const auto* pool = std::get_if<Pool>(&op.kind);
  if (pool != nullptr && pool->function == "max") return kIndex * results;
  const auto* view = std::get_if<View>(&op.kind);
  return view != nullptr && is_dropout(*view) ? kMask * results : Bytes(0);
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
    if (const auto* reduce = std::get_if<Reduce>(&op.kind)) return {is_cross_entropy(*reduce), false};
    const bool moves = std::holds_alternative<View>(op.kind) || std::holds_alternative<Move>(op.kind) ||
                       std::holds_alternative<Pool>(op.kind);
    return {!moves, false};
  }
};

// Goes through a step in the order in which it runs, with what is allocated at each place.
class StepMemory {
 public:
  StepMemory(const Workload& workload, bool gradients, const std::vector<RecomputedPart>& parts)
      : workload_(workload),
        gradients_(gradients),
        owner_(storage(workload, gradients)),
        last_(last_uses(workload, owner_)),
        until_(workload.tensors.size(), kNever),
        kept_inside_(workload.tensors.size(), kNever),
        part_(workload.ops.size(), kNever),
        parts_(parts),
        alive_(workload.tensors.size()),
        gradient_(workload.tensors.size()) {
    for (std::size_t p = 0; p < parts.size(); ++p) {
      for (const std::size_t i : parts[p]) part_[i] = p;
    }
    if (gradients) keep();
  }

  Bytes peak() {
    for (const TensorId id : workload_.inputs) allocate(owner_[id]);
    for (std::size_t i = 0; i < workload_.ops.size(); ++i) run(i, part_[i] != kNever);
    if (gradients_) {
      for (std::size_t i = workload_.ops.size(); i-- > 0;) {
        if (part_[i] != kNever && parts_[part_[i]].back() == i) {
          for (const std::size_t again : parts_[part_[i]]) run(again, false);
        }
        back(i);
      }
    }
    return peak_;
  }

 private:
  // until_: the first op, and so the last gradient, that reads a storage. What only gradients of a part read that runs
  // again, and the part itself makes, is kept from then on.
  void keep() {
    std::vector<std::size_t> maker(workload_.tensors.size(), kNever);
    for (std::size_t i = 0; i < workload_.ops.size(); ++i) {
      for (const TensorId id : workload_.ops[i].outputs) maker[owner_[id]] = std::min(maker[owner_[id]], i);
    }
    const auto need = [&](TensorId id, std::size_t i, bool wanted) {
      const std::size_t of = owner_[id];
      const bool inside = part_[i] != kNever && maker[of] != kNever && part_[maker[of]] == part_[i];
      // A part reads what it takes from outside whether or not a gradient does.
      const bool taken = part_[i] != kNever && !inside;
      if (!wanted && !taken) return;
      std::size_t& place = inside ? kept_inside_[of] : until_[of];
      place = std::min(place, i);
    };
    for (std::size_t i = 0; i < workload_.ops.size(); ++i) {
      const Op& op = workload_.ops[i];
      const NeededByGradient needed = NeededByGradient::of(op);
      for (const TensorId id : op.inputs) need(id, i, needed.inputs);
      for (const TensorId id : op.outputs) need(id, i, needed.result);
    }
  }

  void grow(Bytes bytes) {
    now_ += bytes;
    peak_ = std::max(peak_, now_);
  }
  void allocate(TensorId id) {
    if (workload_.tensors[id].constant || alive_[id]) return;
    alive_[id] = true;
    grow(allocated(size_of(workload_.tensors[id])));
  }
  void release(TensorId id) {
    if (!alive_[id]) return;
    alive_[id] = false;
    now_ -= allocated(size_of(workload_.tensors[id]));
  }

  // Forward; `passing`: what is kept for gradients inside a part is not kept yet.
  void run(std::size_t i, bool passing) {
    const Op& op = workload_.ops[i];
    for (const TensorId id : op.outputs) allocate(owner_[id]);
    if (gradients_ && !passing) grow(allocated(kept_beside(workload_, op)));
    const auto free = [&](TensorId id) {
      const bool kept = until_[id] != kNever || (!passing && kept_inside_[id] != kNever);
      if (!kept && last_[id] <= i) release(id);
    };
    for (const TensorId id : op.inputs) free(owner_[id]);
    for (const TensorId id : op.outputs) free(owner_[id]);
  }

  void back(std::size_t i) {
    const Op& op = workload_.ops[i];
    // What passes a gradient on passes it where it lies.
    const auto* elementwise = std::get_if<Elementwise>(&op.kind);
    const bool in_place = elementwise != nullptr && passes_through(elementwise->function);
    if (in_place) free_gradients(op);
    for (const TensorId id : op.inputs) {
      const Tensor& tensor = workload_.tensors[id];
      const bool has = !tensor.constant && is_floating(tensor.dtype) && last_[owner_[id]] != 0;
      if (!has || gradient_[owner_[id]]) continue;
      gradient_[owner_[id]] = true;
      grow(allocated(size_of(workload_.tensors[owner_[id]])));
    }
    if (!in_place) free_gradients(op);
    now_ -= allocated(kept_beside(workload_, op));
    const auto done = [&](TensorId id) {
      if (std::min(until_[id], kept_inside_[id]) >= i) release(id);
    };
    for (const TensorId id : op.inputs) done(owner_[id]);
    for (const TensorId id : op.outputs) done(owner_[id]);
  }

  void free_gradients(const Op& op) {
    for (const TensorId id : op.outputs) {
      if (owner_[id] != id || !gradient_[id]) continue;  // of a view: with what it is a view of
      gradient_[id] = false;
      now_ -= allocated(size_of(workload_.tensors[id]));
    }
  }

  const Workload& workload_;
  bool gradients_;
  std::vector<TensorId> owner_;
  std::vector<std::size_t> last_, until_, kept_inside_, part_;
  const std::vector<RecomputedPart>& parts_;
  std::vector<bool> alive_, gradient_;
  Bytes now_, peak_;
};

}  // namespace

Bytes optimizer_state(const Workload& workload, Optimizer optimizer) {
  constexpr Bytes kValue(4);
  Bytes bytes;
  for (const Tensor& tensor : workload.tensors) {
    if (tensor.constant && is_floating(tensor.dtype)) {
      bytes += kValue * (elements(tensor.shape) * state_values(optimizer));
    }
  }
  return bytes;
}

MemoryUse memory_use(const Workload& workload, Phase phase, Recompute recompute) {
  const bool gradients = phase != Phase::fwd;
  if (workload.captured) return captured_memory(*workload.captured);
  MemoryUse use;
  for (const Tensor& tensor : workload.tensors) {
    if (!tensor.constant) continue;
    use.weights += allocated(size_of(tensor));
    if (gradients && is_floating(tensor.dtype)) use.gradients += allocated(size_of(tensor));
  }
  const std::vector<RecomputedPart> parts =
      gradients ? recomputed_parts(workload, recompute) : std::vector<RecomputedPart>();
  use.activations = StepMemory(workload, gradients, parts).peak();
  return use;
}

}  // namespace rooftile
