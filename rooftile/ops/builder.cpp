#include "rooftile/ops/builder.hpp"

#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/nearest.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/ops/infer.hpp"
#include "rooftile/workload/bad_input.hpp"
#include "rooftile/workload/conv_geometry.hpp"

namespace rooftile {
Result<TensorId> WorkloadBuilder::append(Tensor tensor) {
  const TensorId id = workload_.tensors.size();
  if (tensor.name.empty()) return bad_input("a tensor needs a name");
  if (!ids_.emplace(tensor.name, id).second) return bad_input(fmt::format("two tensors are called '{}'", tensor.name));
  workload_.tensors.push_back(std::move(tensor));
  return id;
}

Result<TensorId> WorkloadBuilder::tensor(const TensorSpec& spec) {
  if (!spec.shape) return bad_input(fmt::format("tensor '{}' needs a shape", spec.name));
  return append({spec.name, *spec.shape, spec.dtype.value_or(DType::fp32), spec.constant});
}

Result<TensorId> WorkloadBuilder::input(const TensorSpec& spec) {
  if (!spec.shape) return bad_input(fmt::format("tensor '{}' needs a shape", spec.name));
  auto id = produce({spec.name, *spec.shape, spec.dtype.value_or(DType::fp32), spec.constant});
  if (id) workload_.inputs.push_back(*id);
  return id;
}

Result<TensorId> WorkloadBuilder::announce(const std::string& name) {
  auto id = append({.name = name, .shape = {}});
  if (id) announced_.insert(*id);
  return id;
}

Result<TensorId> WorkloadBuilder::find(const std::string& name) const {
  const auto found = ids_.find(name);
  if (found != ids_.end()) {
    if (announced_.count(found->second) == 0) return found->second;
    return bad_input(fmt::format("nothing before this produces '{}'", name));
  }
  std::vector<std::string> names;
  for (const Tensor& tensor : workload_.tensors) names.push_back(tensor.name);
  return fail(ErrorCode::not_found, fmt::format("no tensor is called '{}'{}", name, did_you_mean(name, names)));
}

std::vector<Shape> WorkloadBuilder::shapes(const std::vector<TensorId>& ids) const {
  std::vector<Shape> result;
  for (const TensorId id : ids) result.push_back(shape(id));
  return result;
}

// In the place of the announced tensor of that name, or in a new one.
Result<TensorId> WorkloadBuilder::produce(Tensor tensor) {
  const auto found = ids_.find(tensor.name);
  if (found == ids_.end() || announced_.erase(found->second) == 0) return append(std::move(tensor));
  workload_.tensors[found->second] = std::move(tensor);
  return found->second;
}

Result<std::vector<TensorId>> WorkloadBuilder::add(const OpSpec& spec) {
  const std::vector<Shape> inputs = shapes(spec.inputs);
  const Shape first = inputs.empty() ? Shape() : inputs.front();
  const DType dtype = spec.inputs.empty() ? DType::fp32 : workload_.tensors[spec.inputs.front()].dtype;

  if (const auto* conv = std::get_if<Conv>(&spec.kind)) {
    TRY(check(*conv));
  }
  Op op{spec.name, spec.kind, spec.inputs, {}};
  std::vector<TensorSpec> outputs = spec.outputs;
  if (outputs.empty()) outputs.push_back({.name = spec.name});
  std::vector<Shape> results;
  for (const TensorSpec& output : outputs) {
    const std::optional<Shape>& wanted = output.shape ? output.shape : spec.shape;
    auto shape = TRY(wanted ? resolve_shape(*wanted, first) : infer_shape(spec.kind, inputs));
    if (std::holds_alternative<View>(spec.kind) && elements(shape) != elements(first)) {
      return bad_input(fmt::format("a view of {} cannot be {}", print(first), print(shape)));
    }
    results.push_back(std::move(shape));
  }
  if (spec.weights && spec.inputs.size() == 1) {
    for (Tensor& weight : implied_weights(spec.kind, spec.name, first, dtype)) {
      auto id = TRY(append(std::move(weight)));
      op.inputs.push_back(id);
    }
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    auto id = TRY(produce({outputs[i].name, std::move(results[i]), outputs[i].dtype.value_or(dtype)}));
    op.outputs.push_back(id);
  }
  workload_.ops.push_back(std::move(op));
  return workload_.ops.back().outputs;
}

Result<Workload> WorkloadBuilder::finish(std::optional<std::vector<TensorId>> outputs) {
  if (!announced_.empty()) {
    return bad_input(fmt::format("no op produces '{}'", workload_.tensors[*announced_.begin()].name));
  }
  if (outputs) {
    workload_.outputs = std::move(*outputs);
  } else if (!workload_.ops.empty()) {
    workload_.outputs = workload_.ops.back().outputs;
  }
  workload_.batch_size = 1;
  if (!workload_.inputs.empty()) {
    const Shape& first = shape(workload_.inputs.front());
    if (!first.empty()) workload_.batch_size = first.front();
  }
  return std::move(workload_);
}

}  // namespace rooftile
