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

// Drops the tensors that no op touches any more.
void drop_untouched(Workload& workload) {
  std::vector<bool> touched(workload.tensors.size(), false);
  const auto each_list = [&](auto visit) {
    visit(workload.inputs);
    visit(workload.outputs);
    for (Op& op : workload.ops) {
      visit(op.inputs);
      visit(op.outputs);
    }
  };
  each_list([&](const std::vector<TensorId>& ids) {
    for (const TensorId id : ids) touched[id] = true;
  });
  std::vector<Tensor> kept;
  std::vector<TensorId> place_of(workload.tensors.size(), 0);
  for (TensorId id = 0; id < workload.tensors.size(); ++id) {
    place_of[id] = kept.size();
    if (touched[id]) kept.push_back(std::move(workload.tensors[id]));
  }
  workload.tensors = std::move(kept);
  each_list([&](std::vector<TensorId>& ids) {
    for (TensorId& id : ids) id = place_of[id];
  });
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

Result<Workload> fold_batch_norms(const Workload& workload) {
  std::vector<std::size_t> readers(workload.tensors.size(), 0);
  for (const Op& op : workload.ops) {
    for (const TensorId id : op.inputs) ++readers[id];
  }
  for (const TensorId id : workload.outputs) ++readers[id];

  Workload result = workload;
  result.ops.clear();
  std::vector<std::size_t> place_of(workload.tensors.size(), workload.ops.size());  // in `result`, of what makes a map
  for (const Op& op : workload.ops) {
    const auto* norm = std::get_if<Normalize>(&op.kind);
    const std::size_t place = op.inputs.empty() ? workload.ops.size() : place_of[op.inputs.front()];
    const bool alone =
        norm != nullptr && norm->function == "batch" && place < result.ops.size() && readers[op.inputs.front()] == 1;
    auto* conv = alone ? std::get_if<Conv>(&result.ops[place].kind) : nullptr;
    if (conv != nullptr && !conv->bias) {
      conv->bias = true;
      Op& folded = result.ops[place];
      folded.inputs.push_back(result.tensors.size());
      folded.outputs = op.outputs;
      result.tensors.push_back(
          {folded.name + ".bias", {conv->out_channels}, workload.tensors[op.outputs.front()].dtype, true});
      continue;
    }
    if (std::holds_alternative<Conv>(op.kind)) place_of[op.outputs.front()] = result.ops.size();
    result.ops.push_back(op);
  }
  if (result.ops.size() == workload.ops.size()) {
    return fail(ErrorCode::usage, "has no batch norms to fold into convolutions", workload.name);
  }
  drop_untouched(result);
  return result;
}

}  // namespace rooftile
