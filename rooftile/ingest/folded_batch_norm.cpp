#include "rooftile/ingest/folded_batch_norm.hpp"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "rooftile/workload/conv_geometry.hpp"

namespace rooftile {
namespace {

constexpr std::size_t kBiasInput = 2;

bool adds_activations(const Workload& workload, const Op& op) {
  const auto* elementwise = std::get_if<Elementwise>(&op.kind);
  return elementwise != nullptr && elementwise->function == "add" && op.inputs.size() == 2 &&
         std::none_of(op.inputs.begin(), op.inputs.end(), [&](TensorId id) { return workload.tensors[id].constant; });
}

}  // namespace

bool has_folded_batch_norms(const Workload& workload) {
  constexpr int kFew = 8, kMany = 40;
  int biased = 0;
  bool needs_them = false;
  for (const Op& op : workload.ops) {
    if (std::holds_alternative<Normalize>(op.kind)) return false;
    needs_them = needs_them || adds_activations(workload, op);
    const auto* conv = std::get_if<Conv>(&op.kind);
    if (conv == nullptr || conv->transposed) continue;
    biased += conv->bias ? 1 : 0;
    needs_them = needs_them || is_depthwise(*conv);
  }
  return biased >= kFew && (needs_them || biased >= kMany);
}

Workload restore_batch_norms(const Workload& workload) {
  Workload result = workload;
  result.ops.clear();
  for (Op op : workload.ops) {
    auto* conv = std::get_if<Conv>(&op.kind);
    if (conv == nullptr || !conv->bias || op.inputs.size() <= kBiasInput) {
      result.ops.push_back(std::move(op));
      continue;
    }
    conv->bias = false;
    op.inputs.resize(kBiasInput);
    const Tensor& maps = workload.tensors[op.outputs.front()];
    const auto add = [&](std::string name, const Shape& shape, bool constant) {
      result.tensors.push_back({std::move(name), shape, maps.dtype, constant});
      return result.tensors.size() - 1;
    };
    Op norm{op.name + "/batch_norm", Normalize{.function = "batch"}, {}, op.outputs};
    op.outputs = {add(op.name + "/unnormalized", maps.shape, false)};
    norm.inputs = op.outputs;
    for (const char* parameter : {".weight", ".bias", ".mean", ".variance"}) {
      norm.inputs.push_back(add(norm.name + parameter, {conv->out_channels}, true));
    }
    result.ops.push_back(std::move(op));
    result.ops.push_back(std::move(norm));
  }
  return result;
}

}  // namespace rooftile
