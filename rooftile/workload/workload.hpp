// A workload: a network with every shape known, as a list of ops over named tensors, in an order in which they can run.
//
//     #include "rooftile/ingest/model.hpp"
//
//     const Workload workload = load_model("resnet50", {.batch_size = 8}).value();
//     assert(workload.batch_size == 8);
//     const Tensor& image = workload.tensors[workload.inputs.front()];
//     assert(print(image.shape) == "8x3x224x224");
//     assert(size_of(image) == Bytes(8 * 3 * 224 * 224 * 4));
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/base/units.hpp"
#include "rooftile/workload/captured.hpp"
#include "rooftile/workload/dtype.hpp"
#include "rooftile/workload/op.hpp"

namespace rooftile {

using Shape = std::vector<std::int64_t>;  // outermost dimension first; empty is a scalar

// "256x3x224x224", "scalar" for the empty shape.
std::string print(const Shape& shape);

struct Tensor {
  std::string name;
  Shape shape;
  DType dtype = DType::fp32;
  bool constant = false;   // a weight: loaded with the model, not computed
  bool rectified = false;  // a ReLU made it: about half of it is zero (execution/rectified.hpp)

  bool operator==(const Tensor&) const = default;
};

using TensorId = std::size_t;  // index into Workload::tensors

struct Op {
  std::string name;
  OpKind kind;
  std::vector<TensorId> inputs;  // activations first as the operator defines them, then weights and bias
  std::vector<TensorId> outputs;
  // Of a kernel that runs several operators of a network: their names, in order. Empty: the op alone.
  std::vector<std::string> members = {};

  bool operator==(const Op&) const = default;
};

// An operator of the source model that Rooftile does not know, left out on request (--skip-unsupported).
struct Skipped {
  std::string name;
  std::string op_type;  // the source's own name, "LSTM"

  bool operator==(const Skipped&) const = default;
};

struct Workload {
  std::string name;
  std::int64_t batch_size = 1;
  std::vector<Tensor> tensors;
  std::vector<Op> ops;
  std::vector<TensorId> inputs;
  std::vector<TensorId> outputs;
  std::vector<Skipped> skipped;
  std::vector<std::string> notes = {};        // what was assumed where the source model leaves it open, a sentence each
  std::optional<CapturedStep> captured = {};  // of a step that a framework ran: the ops are its calls

  bool operator==(const Workload&) const = default;
};

// Elements and bytes. A double holds each product exactly up to 2^53, which validate() guarantees.
double elements(const Shape& shape);
Bytes size_of(const Tensor& tensor);

// fp16 or bf16 where most elements of its floating-point weights are stored so; FP32 says nothing of how it is run.
std::optional<DType> stored_precision(const Workload& workload);

// Limits that keep every later product exact and finite.
constexpr std::int64_t kMaxDimension = std::int64_t{1} << 31;
constexpr double kMaxElements = 9007199254740992.0 / 64;  // 2^47 elements a tensor
constexpr double kMaxMacs = 1e24;                         // multiply-accumulates of one op

// Checks what every later stage relies on: names that are there and unique, ids in range, dimensions in
// [1, kMaxDimension], sizes within the limits, ops in topological order and each tensor produced once, convolutions and
// GEMMs that fit their tensors, views that keep their elements. The error names the op or tensor.
Result<void> validate(const Workload& workload);

}  // namespace rooftile
