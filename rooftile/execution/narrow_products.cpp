#include "rooftile/execution/narrow_products.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "rooftile/workload/conv_geometry.hpp"

namespace rooftile {
namespace {

bool multiplies_weights(const Workload& workload, const Op& op, DType type) {
  const auto* conv = std::get_if<Conv>(&op.kind);
  const bool convolves = conv != nullptr && !is_depthwise(*conv) && !is_fp4(type);
  const bool product = std::holds_alternative<Gemm>(op.kind) || convolves;
  return product && op.inputs.size() > 1 && workload.tensors[op.inputs[1]].constant;
}

// Later steps of decoding multiply what one appends to a cache, although nothing of its own reads that.
bool is_kept_for_later(const Op& op) {
  const auto* move = std::get_if<Move>(&op.kind);
  return move != nullptr && move->function == "cache";
}

// The products whose results reach another one; all of them where none does.
std::vector<bool> before_others(const Workload& workload, DType type) {
  std::vector<bool> reaches(workload.tensors.size()), chosen(workload.ops.size()), products(workload.ops.size());
  for (std::size_t i = workload.ops.size(); i-- > 0;) {
    const Op& op = workload.ops[i];
    products[i] = multiplies_weights(workload, op, type);
    const bool on = is_kept_for_later(op) ||
                    std::any_of(op.outputs.begin(), op.outputs.end(), [&](TensorId id) { return reaches[id]; });
    chosen[i] = products[i] && on;
    if (!products[i] && !on) continue;
    for (const TensorId id : op.inputs) reaches[id] = true;
  }
  const bool any = std::any_of(chosen.begin(), chosen.end(), [](bool one) { return one; });
  return any ? chosen : products;
}

class NarrowProducts {
 public:
  NarrowProducts(Workload workload, const NarrowUse& use) : workload_(std::move(workload)), use_(use) {}

  Workload run() {
    std::vector<bool> chosen = before_others(workload_, use_.type);
    if (!use_.experts) {
      for (std::size_t i = 0; i < chosen.size(); ++i) {
        if (chosen[i]) chosen[i] = !is_of_experts(workload_.tensors[workload_.ops[i].inputs[1]]);
      }
    }
    const std::vector<bool> stored = use_.training ? std::vector<bool>(workload_.tensors.size()) : weights_of(chosen);
    std::vector<Op> ops = std::move(workload_.ops);
    workload_.ops.clear();
    for (std::size_t i = 0; i < ops.size(); ++i) {
      Op& op = ops[i];
      if (!use_.training && use_.prompts) narrow_prompt(op);
      if (chosen[i]) {
        op.inputs[0] = converted(op.inputs[0]);
        if (!stored[op.inputs[1]]) op.inputs[1] = converted(op.inputs[1]);
      }
      workload_.ops.push_back(std::move(op));
    }
    for (TensorId id = 0; id < stored.size(); ++id) {
      if (stored[id]) workload_.tensors[id].dtype = use_.type;
    }
    return std::move(workload_);
  }

 private:
  // Queries, keys and values of a prompt: whatever makes them writes FP8.
  void narrow_prompt(const Op& op) {
    const auto* attention = std::get_if<Attention>(&op.kind);
    if (attention == nullptr || attention->q_len < attention->kv_len) return;
    for (const TensorId id : op.inputs) workload_.tensors[id].dtype = DType::fp8;
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
      const bool rests = tensor.constant && (use_.experts || !is_of_experts(tensor));
      only[id] = (only[id] || rests) && !others[id];
    }
    return only;
  }

  TensorId converted(TensorId id) {
    const auto [place, added] = converted_.try_emplace(id, workload_.tensors.size());
    if (!added) return place->second;
    const Tensor& tensor = workload_.tensors[id];
    const std::string name = tensor.name;
    Tensor narrow{name + "." + std::string(name_of(use_.type)), tensor.shape, use_.type};
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
  NarrowUse use_;
  std::map<TensorId, TensorId> converted_;
};

}  // namespace

bool is_of_experts(const Tensor& tensor) { return tensor.constant && tensor.shape.size() > 2; }

std::vector<bool> last_products(const Workload& workload) {
  std::vector<bool> last = before_others(workload, DType::fp8);
  for (std::size_t i = 0; i < last.size(); ++i) {
    last[i] = !last[i] && multiplies_weights(workload, workload.ops[i], DType::fp8);
  }
  return last;
}

bool has_experts(const Workload& workload) {
  return std::any_of(workload.ops.begin(), workload.ops.end(), [&](const Op& op) {
    const bool product = std::holds_alternative<Gemm>(op.kind) && op.inputs.size() > 1;
    return product && is_of_experts(workload.tensors[op.inputs[1]]);
  });
}

Workload multiply_narrow(Workload workload, const NarrowUse& use) {
  return NarrowProducts(std::move(workload), use).run();
}

}  // namespace rooftile
