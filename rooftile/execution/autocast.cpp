#include "rooftile/execution/autocast.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

namespace rooftile {
namespace {

struct ListOf {
  template <class Product>
  AutocastList operator()(const Product&) const {
    return AutocastList::narrow;
  }
  AutocastList operator()(const Softmax&) const { return AutocastList::wide; }
  AutocastList operator()(const Normalize& norm) const {
    const bool rows = norm.function == "layer" || norm.function == "group";
    return rows ? AutocastList::wide : AutocastList::promote;
  }
  AutocastList operator()(const Elementwise& elementwise) const {
    constexpr std::array<std::string_view, 7> kWide = {"exp", "log", "pow", "rsqrt", "reciprocal", "tan", "softplus"};
    const bool wide = std::find(kWide.begin(), kWide.end(), elementwise.function) != kWide.end();
    return wide ? AutocastList::wide : AutocastList::promote;
  }
  AutocastList operator()(const Reduce& reduce) const {
    const bool wide = reduce.function == "sum" || reduce.function == "prod" || reduce.function == "cumsum";
    return wide ? AutocastList::wide : AutocastList::promote;
  }
  AutocastList operator()(const Pool&) const { return AutocastList::promote; }
  AutocastList operator()(const Move&) const { return AutocastList::promote; }
  AutocastList operator()(const View&) const { return AutocastList::promote; }
};

bool widens_as_it_loads(const OpKind& kind, DType narrow) {
  if (std::holds_alternative<Softmax>(kind)) return narrow == DType::fp16;
  const auto* reduce = std::get_if<Reduce>(&kind);
  return reduce != nullptr && reduce->function == "sum";
}

bool is_of_rows(const OpKind& kind) {
  const auto* norm = std::get_if<Normalize>(&kind);
  return norm != nullptr && autocast_list(kind) == AutocastList::wide;
}

class Autocast {
 public:
  Autocast(Workload workload, const AutocastRules& rules)
      : workload_(std::move(workload)), narrow_(rules.narrow), rules_(rules) {}

  Workload run() {
    std::vector<Op> ops = std::move(workload_.ops);
    workload_.ops.clear();
    for (Op& op : ops) {
      const DType type = type_of(op);
      if (list_of(op) != AutocastList::promote && !(rules_.widening_loads && widens_as_it_loads(op.kind, narrow_))) {
        for (TensorId& id : op.inputs) id = cast(id, type);
      }
      for (const TensorId id : op.outputs) {
        if (is_floating(workload_.tensors[id].dtype)) workload_.tensors[id].dtype = type;
      }
      workload_.ops.push_back(std::move(op));
    }
    return std::move(workload_);
  }

 private:
  AutocastList list_of(const Op& op) const {
    return rules_.narrow_norms && is_of_rows(op.kind) ? AutocastList::narrow : autocast_list(op.kind);
  }

  // The widest input that is neither a scalar nor a statistic of a normalisation.
  DType promoted(const Op& op) const {
    const bool first_only = std::holds_alternative<Normalize>(op.kind);
    for (const TensorId id : op.inputs) {
      const Tensor& tensor = workload_.tensors[id];
      if (is_floating(tensor.dtype) && tensor.dtype != narrow_ && elements(tensor.shape) > 1) return tensor.dtype;
      if (first_only) break;
    }
    return narrow_;
  }

  DType type_of(const Op& op) const {
    switch (list_of(op)) {
      case AutocastList::narrow:
        return narrow_;
      case AutocastList::wide:
        return DType::fp32;
      case AutocastList::promote:
        break;
    }
    return promoted(op);
  }

  TensorId cast(TensorId id, DType type) {
    const Tensor& tensor = workload_.tensors[id];
    if (!is_floating(tensor.dtype) || tensor.dtype == type) return id;
    if (tensor.constant) {
      if (const auto known = weights_.find(id); known != weights_.end()) return known->second;
    }
    Tensor result{fmt::format("{}.{}", tensor.name, name_of(type)), tensor.shape, type};
    Op op{tensor.name + ".cast", Move{.function = "cast"}, {id}, {workload_.tensors.size()}};
    if (tensor.constant) weights_[id] = workload_.tensors.size();
    workload_.ops.push_back(std::move(op));
    workload_.tensors.push_back(std::move(result));
    return workload_.tensors.size() - 1;
  }

  Workload workload_;
  DType narrow_;
  AutocastRules rules_;
  std::map<TensorId, TensorId> weights_;  // that are cast already
};

}  // namespace

AutocastList autocast_list(const OpKind& kind) { return std::visit(ListOf{}, kind); }

Workload autocast(Workload workload, const AutocastRules& rules) { return Autocast(std::move(workload), rules).run(); }

}  // namespace rooftile
