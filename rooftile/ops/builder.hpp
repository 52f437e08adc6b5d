// Builds a workload op by op and fills in what follows from what is given: output shapes, weights, names.
//
//     WorkloadBuilder builder("mine");
//     const TensorId image = builder.input({.name = "image", .shape = Shape{1, 3, 32, 32}}).value();
//     const OpSpec relu = {.name = "relu", .kind = Elementwise{.function = "relu"}, .inputs = {image}};
//     const std::vector<TensorId> results = builder.add(relu).value();
//     const Workload workload = builder.finish(results).value();
//     assert(validate(workload));
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {

// A tensor as its author names it. What is left out follows from the op that produces it.
struct TensorSpec {
  std::string name;
  std::optional<Shape> shape = {};
  std::optional<DType> dtype = {};
  bool constant = false;
};

// An op as its author writes it.
struct OpSpec {
  std::string name;
  OpKind kind;                           // complete: fit() of infer.hpp fills in geometry
  std::vector<TensorId> inputs;          // activations first
  std::optional<Shape> shape = {};       // of an output that gives none, as resolve_shape() takes it; unset: inferred
  std::vector<TensorSpec> outputs = {};  // empty: one, named after the op
  bool weights = true;                   // with one input, the weights of implied_weights() are added
};

class WorkloadBuilder {
 public:
  explicit WorkloadBuilder(std::string name) { workload_.name = std::move(name); }

  // A weight or other tensor that no op produces; needs a shape.
  Result<TensorId> tensor(const TensorSpec& spec);

  // The same, and an input of the network.
  Result<TensorId> input(const TensorSpec& spec);

  // Announces the result of a later op or an input, where its place among the tensors matters.
  Result<TensorId> announce(const std::string& name);

  // A tensor that is there by now.
  Result<TensorId> find(const std::string& name) const;

  const Shape& shape(TensorId id) const { return workload_.tensors[id].shape; }
  std::vector<Shape> shapes(const std::vector<TensorId>& ids) const;

  // Appends the op; the results are its outputs.
  Result<std::vector<TensorId>> add(const OpSpec& spec);

  // Takes the workload out; without outputs, they are those of the last op. The batch size is dimension 0 of the
  // first input. The caller still has to validate() it. The error: an announced tensor that no op produced.
  Result<Workload> finish(std::optional<std::vector<TensorId>> outputs = {});

 private:
  Result<TensorId> append(Tensor tensor);
  Result<TensorId> produce(Tensor tensor);

  Workload workload_;
  std::unordered_set<TensorId> announced_;
  std::unordered_map<std::string, TensorId> ids_;
};

}  // namespace rooftile
