#include "rooftile/execution/fp8_products.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "rooftile/workload/conv_geometry.hpp"

namespace rooftile {
namespace {

bool multiplies_weights(const Workload& workload, const Op& op) {
  const auto* conv = std::get_if<Conv>(&op.kind);
  const bool product = std::holds_alternative<Gemm>(op.kind) || (conv != nullptr && !is_depthwise(*conv));
  return product && op.inputs.size() > 1 && workload.tensors[op.inputs[1]].constant;
}

bool are_experts(const Tensor& weights) { return weights.shape.size() > 2; }

class Fp8Products {
 public:
  Fp8Products(Workload workload, const Fp8Use& use) : workload_(std::move(workload)), use_(use) {}

  Workload run() {
    std::vector<bool> chosen = before_others();
    if (std::none_of(chosen.begin(), chosen.end(), [](bool one) { return one; })) {
      for (std::size_t i = 0; i < chosen.size(); ++i) chosen[i] = multiplies_weights(workload_, workload_.ops[i]);
    }
    if (!use_.experts) {
      for (std::size_t i = 0; i < chosen.size(); ++i) {
        if (chosen[i]) chosen[i] = !are_experts(workload_.tensors[workload_.ops[i].inputs[1]]);
      }
    }
    const std::vector<bool> stored = use_.training ? std::vector<bool>(workload_.tensors.size()) : weights_of(chosen);
    std::vector<Op> ops = std::move(workload_.ops);
    workload_.ops.clear();
    for (std::size_t i = 0; i < ops.size(); ++i) {
      Op& op = ops[i];
      if (!use_.training) narrow_cache(op);
      if (chosen[i]) {
        op.inputs[0] = converted(op.inputs[0]);
        if (!stored[op.inputs[1]]) op.inputs[1] = converted(op.inputs[1]);
      }
      workload_.ops.push_back(std::move(op));
    }
    for (TensorId id = 0; id < stored.size(); ++id) {
      if (stored[id]) workload_.tensors[id].dtype = DType::fp8;
    }
    return std::move(workload_);
  }

 private:
  // The keys and values that a step of decoding finds.
  void narrow_cache(Op& op) {
    auto* attention = std::get_if<Attention>(&op.kind);
    if (attention == nullptr || attention->q_len >= attention->kv_len) return;
    attention->kv_precision = DType::fp8;
    const std::vector<TensorId>& given = workload_.inputs;
    for (const TensorId id : op.inputs) {
      if (std::find(given.begin(), given.end(), id) != given.end()) workload_.tensors[id].dtype = DType::fp8;
    }
  }

  // The products whose results reach another one.
  std::vector<bool> before_others() const {
    std::vector<bool> reaches(workload_.tensors.size()), chosen(workload_.ops.size());
    for (std::size_t i = workload_.ops.size(); i-- > 0;) {
      const Op& op = workload_.ops[i];
      const bool product = multiplies_weights(workload_, op);
      const bool on = std::any_of(op.outputs.begin(), op.outputs.end(), [&](TensorId id) { return reaches[id]; });
      chosen[i] = product && on;
      if (!product && !on) continue;
      for (const TensorId id : op.inputs) reaches[id] = true;
    }
    return chosen;
  }

  // Weights that nothing but the chosen products read, or nothing at all: experts that rest.
  std::vector<bool> weights_of(const std::vector<bool>& chosen) const {
    std::vector<bool> only(workload_.tensors.size()), others(workload_.tensors.size());
    for (std::size_t i = 0; i < workload_.ops.size(); ++i) {
      const std::vector<TensorId>& inputs = workload_.ops[i].inputs;
      for (std::size_t k = 0; k < inputs.size(); ++k) (chosen[i] && k == 1 ? only : others)[inputs[k]] = true;
    }
    for (TensorId id = 0; id < only.size(); ++id) {
      const Tensor& tensor = workload_.tensors[id];
      const bool rests = tensor.constant && (use_.experts || !are_experts(tensor));
      only[id] = (only[id] || rests) && !others[id];
    }
    return only;
  }

  TensorId converted(TensorId id) {
    const auto [place, added] = converted_.try_emplace(id, workload_.tensors.size());
    if (!added) return place->second;
    const Tensor& tensor = workload_.tensors[id];
    const std::string name = tensor.name;
    Tensor narrow{name + ".fp8", tensor.shape, DType::fp8};
    std::vector<TensorId> inputs = {id};
    if (use_.scaled_now) inputs.push_back(largest_of(id));
    place->second = workload_.tensors.size();
    workload_.ops.push_back({name + ".cast", Move{.function = "cast"}, std::move(inputs), {place->second}});
    workload_.tensors.push_back(std::move(narrow));
    return place->second;
  }

  // Its bits: no gradient passes through it.
  TensorId largest_of(TensorId id) {
    const std::string name = workload_.tensors[id].name + ".largest";
    workload_.ops.push_back({name, Reduce{"amax"}, {id}, {workload_.tensors.size()}});
    workload_.tensors.push_back({name, {1}, DType::int32});
    return workload_.tensors.size() - 1;
  }

  Workload workload_;
  Fp8Use use_;
  std::map<TensorId, TensorId> converted_;
};

}  // namespace

Workload multiply_in_fp8(Workload workload, const Fp8Use& use) { return Fp8Products(std::move(workload), use).run(); }

}  // namespace rooftile
