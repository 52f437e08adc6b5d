#include "rooftile/execution/rectified.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <variant>

namespace rooftile {
namespace {

bool is_relu(const Op& op) {
  const auto* elementwise = std::get_if<Elementwise>(&op.kind);
  return elementwise != nullptr && elementwise->function == "relu";
}

// Whether the op's results are as full of zeros as its inputs.
bool keeps_zeros(const Op& op) {
  constexpr std::array<std::string_view, 7> kCopies = {"cast", "concat",   "slice",     "transpose",
                                                       "pad",  "quantize", "dequantize"};
  const auto copies = [&](const std::string& function) {
    return std::find(kCopies.begin(), kCopies.end(), function) != kCopies.end();
  };
  const auto* pool = std::get_if<Pool>(&op.kind);
  if (const auto* move = std::get_if<Move>(&op.kind)) return copies(move->function);
  if (const auto* elementwise = std::get_if<Elementwise>(&op.kind)) return copies(elementwise->function);
  return std::holds_alternative<View>(op.kind) || (pool != nullptr && pool->function == "max");
}

}  // namespace

Workload mark_rectified(Workload workload) {
  std::vector<Tensor>& tensors = workload.tensors;
  for (const Op& op : workload.ops) {
    const bool rectified =
        is_relu(op) || (keeps_zeros(op) && std::all_of(op.inputs.begin(), op.inputs.end(), [&](TensorId id) {
                          return tensors[id].rectified || tensors[id].constant;
                        }));
    for (const TensorId id : op.outputs) tensors[id].rectified = rectified;
  }
  return workload;
}

}  // namespace rooftile
