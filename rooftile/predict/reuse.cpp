#include "rooftile/predict/reuse.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <variant>

#include "rooftile/calibration/constants.hpp"
#include "rooftile/traffic/launch_traffic.hpp"

namespace rooftile {
namespace {

constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

// Bytes of the tensors that ops use, each counted once.
class Used {
 public:
  explicit Used(const Workload& workload) : workload_(workload), counted_(workload.tensors.size()) {}

  // Of the op at `last` and those before it, as far as after `first`, up to kLongAgo.
  Bytes between(std::size_t first, std::size_t last) {
    bytes_ = Bytes(0);
    ++call_;
    for (std::size_t i = last; i > first && bytes_ < kLongAgo; --i) {
      for (const TensorId id : workload_.ops[i].inputs) count(id);
      for (const TensorId id : workload_.ops[i].outputs) count(id);
    }
    return std::min(bytes_, kLongAgo);
  }

 private:
  void count(TensorId id) {
    if (counted_[id] == call_) return;
    counted_[id] = call_;
    bytes_ += size_of(workload_.tensors[id]);
  }

  const Workload& workload_;
  std::size_t call_ = 0;
  std::vector<std::size_t> counted_;  // the call in which it was last counted
  Bytes bytes_;
};

}  // namespace

std::vector<TensorId> epilogue_inputs(const Workload& workload, const Op& op) {
  if (op.members.empty()) return {};
  const bool conv = std::holds_alternative<Conv>(op.kind);
  if (!conv && !std::holds_alternative<Gemm>(op.kind)) return {};
  std::vector<TensorId> ids;
  for (std::size_t i = conv ? 1 : 2; i < op.inputs.size(); ++i) {
    if (!workload.tensors[op.inputs[i]].constant) ids.push_back(op.inputs[i]);
  }
  return ids;
}

std::vector<Bytes> epilogue_ages(const Workload& workload) {
  std::vector<Bytes> ages(workload.ops.size());
  std::vector<std::size_t> last_use(workload.tensors.size(), kNever);
  Used used(workload);
  for (std::size_t i = 0; i < workload.ops.size(); ++i) {
    const Op& op = workload.ops[i];
    for (const TensorId id : epilogue_inputs(workload, op)) {
      const Bytes age = last_use[id] == kNever ? kLongAgo : used.between(last_use[id], i);
      ages[i] = std::max(ages[i], age);
    }
    for (const TensorId id : op.inputs) last_use[id] = i;
    for (const TensorId id : op.outputs) last_use[id] = i;
  }
  return ages;
}

double share_kept(Bytes age, const MemoryLevel& l2) {
  static const double warm_share = unfitted_constants(KernelFamily::tensor)[TensorConstant::warm_share];
  return share_kept(age, l2.capacity / l2.partitions, warm_share);
}

}  // namespace rooftile
