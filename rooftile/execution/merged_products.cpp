#include "rooftile/execution/merged_products.hpp"

#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "rooftile/execution/launched.hpp"

namespace rooftile {
namespace {

// Whether a product has the same rows and as many terms as another, of the same types.
bool lies_beside(const Workload& workload, const Op& op, const Op& other) {
  const auto& product = std::get<Gemm>(op.kind);
  Gemm same = std::get<Gemm>(other.kind);
  same.n = product.n;
  const auto type = [&](TensorId id) { return workload.tensors[id].dtype; };
  return same == product && op.inputs.front() == other.inputs.front() && type(op.inputs[1]) == type(other.inputs[1]) &&
         type(op.outputs.front()) == type(other.outputs.front());
}

// What the products before and after it can be merged across.
bool is_light(const Op& op) {
  return std::holds_alternative<View>(op.kind) || std::holds_alternative<Elementwise>(op.kind) ||
         std::holds_alternative<Normalize>(op.kind) || std::holds_alternative<Move>(op.kind);
}

void add_to(Op& merged, const Op& op) {
  if (merged.members.empty()) merged.members.push_back(merged.name);
  merged.members.push_back(op.name);
  std::get<Gemm>(merged.kind).n += std::get<Gemm>(op.kind).n;
  merged.inputs.insert(merged.inputs.end(), op.inputs.begin() + 1, op.inputs.end());
  merged.outputs.push_back(op.outputs.front());
}

}  // namespace

Workload merge_products(Workload workload) {
  std::vector<Op> ops;
  ops.reserve(workload.ops.size());
  std::optional<std::size_t> open;  // the last product, in `ops`
  for (Op& op : workload.ops) {
    const bool product = multiplies_by_weights(workload, op) && op.members.empty();
    if (product && open && lies_beside(workload, op, ops[*open])) {
      add_to(ops[*open], op);
      continue;
    }
    if (product) {
      open = ops.size();
    } else if (!is_light(op)) {
      open.reset();
    }
    ops.push_back(std::move(op));
  }
  workload.ops = std::move(ops);
  return workload;
}

}  // namespace rooftile
