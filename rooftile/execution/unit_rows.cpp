#include "rooftile/execution/unit_rows.hpp"

#include <utility>
#include <variant>
#include <vector>

namespace rooftile {
namespace {

class UnitRows {
 public:
  explicit UnitRows(const Workload& workload) : workload_(workload), readers_(workload.tensors.size()) {
    for (std::size_t i = 0; i < workload.ops.size(); ++i) {
      for (const TensorId id : workload.ops[i].inputs) readers_[id].push_back(i);
    }
  }

  // The operators from the length of rows to the division by it; empty if `first` starts no such thing.
  std::vector<std::size_t> match(std::size_t first) const {
    const Op& length = workload_.ops[first];
    const auto* reduce = std::get_if<Reduce>(&length.kind);
    if (reduce == nullptr || reduce->function != "l2" || !is_of_rows(length)) return {};
    std::vector<std::size_t> ops = {first};
    while (true) {
      const TensorId result = workload_.ops[ops.back()].outputs.front();
      if (readers_[result].size() != 1) return {};
      const std::size_t next = readers_[result].front();
      const Op& op = workload_.ops[next];
      ops.push_back(next);
      if (divides(op, length.inputs.front(), result)) return ops;
      if (!passes(op, result)) return {};
    }
  }

 private:
  const Shape& shape(TensorId id) const { return workload_.tensors[id].shape; }

  bool is_of_rows(const Op& op) const {
    const Shape& rows = shape(op.inputs.front());
    return !rows.empty() && elements(shape(op.outputs.front())) * static_cast<double>(rows.back()) == elements(rows);
  }

  static bool divides(const Op& op, TensorId rows, TensorId lengths) {
    const auto* elementwise = std::get_if<Elementwise>(&op.kind);
    return elementwise != nullptr && elementwise->function == "div" && op.inputs.size() == 2 && op.inputs[0] == rows &&
           op.inputs[1] == lengths;
  }

  // Bounds from below, and copies for each element of a row.
  bool passes(const Op& op, TensorId lengths) const {
    if (op.inputs.front() != lengths) return false;
    const auto* move = std::get_if<Move>(&op.kind);
    const auto* elementwise = std::get_if<Elementwise>(&op.kind);
    return std::holds_alternative<View>(op.kind) || (move != nullptr && move->function == "expand") ||
           (elementwise != nullptr && (elementwise->function == "clip" || elementwise->function == "max"));
  }

  const Workload& workload_;
  std::vector<std::vector<std::size_t>> readers_;
};

}  // namespace

Workload fuse_unit_rows(Workload workload) {
  std::vector<std::vector<std::size_t>> found;
  const UnitRows rows(workload);
  for (std::size_t i = 0; i < workload.ops.size(); ++i) {
    std::vector<std::size_t> ops = rows.match(i);
    if (!ops.empty()) found.push_back(std::move(ops));
  }
  std::vector<bool> gone(workload.ops.size());
  for (const std::vector<std::size_t>& members : found) {
    const Op& first = workload.ops[members.front()];
    Op unit{first.name, Normalize{.function = "rms"}, first.inputs, workload.ops[members.back()].outputs};
    for (const std::size_t member : members) {
      unit.members.push_back(workload.ops[member].name);
      gone[member] = true;
    }
    gone[members.back()] = false;
    workload.ops[members.back()] = std::move(unit);
  }
  std::vector<Op> ops;
  ops.reserve(workload.ops.size());
  for (std::size_t i = 0; i < workload.ops.size(); ++i) {
    if (!gone[i]) ops.push_back(std::move(workload.ops[i]));
  }
  workload.ops = std::move(ops);
  return workload;
}

}  // namespace rooftile
