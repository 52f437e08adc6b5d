#include "rooftile/execution/composites.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace rooftile {
namespace {

bool is_rms_norm(const Op& op) {
  const auto* norm = std::get_if<Normalize>(&op.kind);
  return norm != nullptr && norm->function == "rms";
}

bool is_function(const Op& op, std::string_view function) {
  const auto* elementwise = std::get_if<Elementwise>(&op.kind);
  return elementwise != nullptr && elementwise->function == function;
}

class Apart {
 public:
  explicit Apart(Workload workload) : workload_(std::move(workload)) {}

  Workload run() {
    std::vector<Op> ops = std::move(workload_.ops);
    workload_.ops.clear();
    for (Op& op : ops) {
      const Tensor& output = workload_.tensors[op.outputs.front()];
      if (is_rms_norm(op) && is_floating(output.dtype)) {
        add_rms_norm(op);
      } else if (is_function(op, "rotary") && !output.shape.empty() && output.shape.back() % 2 == 0) {
        add_rotary(op);
      } else {
        workload_.ops.push_back(std::move(op));
      }
    }
    return std::move(workload_);
  }

 private:
  TensorId add(const std::string& name, OpKind kind, std::vector<TensorId> inputs, const Shape& shape, DType dtype) {
    workload_.tensors.push_back({name, shape, dtype});
    workload_.ops.push_back({name, std::move(kind), std::move(inputs), {workload_.tensors.size() - 1}});
    return workload_.tensors.size() - 1;
  }

  void add_rms_norm(const Op& op) {
    const Tensor input = workload_.tensors[op.inputs.front()], output = workload_.tensors[op.outputs.front()];
    Shape rows = output.shape;
    rows.back() = 1;
    const bool narrow = size_of(input.dtype) < size_of(DType::fp32);
    TensorId x = op.inputs.front();
    if (narrow) x = add(op.name + "/wide", Move{.function = "cast"}, {x}, output.shape, DType::fp32);
    TensorId mean = add(op.name + "/pow", Elementwise{.function = "pow"}, {x}, output.shape, DType::fp32);
    mean = add(op.name + "/mean", Reduce{.function = "mean"}, {mean}, rows, DType::fp32);
    mean = add(op.name + "/epsilon", Elementwise{.function = "add"}, {mean}, rows, DType::fp32);
    mean = add(op.name + "/rsqrt", Elementwise{.function = "rsqrt"}, {mean}, rows, DType::fp32);
    const bool weighted = op.inputs.size() > 1;
    if (!narrow && !weighted) {
      workload_.ops.push_back({op.name, Elementwise{.function = "mul"}, {x, mean}, op.outputs});
      return;
    }
    x = add(op.name + "/unit", Elementwise{.function = "mul"}, {x, mean}, output.shape, DType::fp32);
    if (!weighted) {
      workload_.ops.push_back({op.name, Move{.function = "cast"}, {x}, op.outputs});
      return;
    }
    if (narrow) x = add(op.name + "/narrow", Move{.function = "cast"}, {x}, output.shape, output.dtype);
    workload_.ops.push_back({op.name, Elementwise{.function = "mul"}, {x, op.inputs[1]}, op.outputs});
  }

  void add_rotary(const Op& op) {
    const Tensor output = workload_.tensors[op.outputs.front()];
    const TensorId x = op.inputs.front();
    Shape half = output.shape;
    half.back() /= 2;
    const TensorId first = add(op.name + "/first", View{"slice"}, {x}, half, output.dtype);
    const TensorId second = add(op.name + "/second", View{"slice"}, {x}, half, output.dtype);
    const TensorId minus = add(op.name + "/neg", Elementwise{.function = "neg"}, {second}, half, output.dtype);
    const TensorId turned =
        add(op.name + "/turned", Move{.function = "concat"}, {minus, first}, output.shape, output.dtype);
    const TensorId sine = add(op.name + "/sin", Elementwise{.function = "mul"}, {turned}, output.shape, output.dtype);
    const TensorId cosine = add(op.name + "/cos", Elementwise{.function = "mul"}, {x}, output.shape, output.dtype);
    workload_.ops.push_back({op.name, Elementwise{.function = "add"}, {cosine, sine}, op.outputs});
  }

  Workload workload_;
};

}  // namespace

Workload take_composites_apart(Workload workload) { return Apart(std::move(workload)).run(); }

Workload take_silu_apart(Workload workload) {
  std::vector<Op> ops = std::move(workload.ops);
  workload.ops.clear();
  for (Op& op : ops) {
    if (is_function(op, "silu")) {
      const Tensor& output = workload.tensors[op.outputs.front()];
      workload.tensors.push_back({op.name + "/sigmoid", output.shape, output.dtype});
      const TensorId sigmoid = workload.tensors.size() - 1;
      workload.ops.push_back({op.name + "/sigmoid", Elementwise{.function = "sigmoid"}, op.inputs, {sigmoid}});
      op.kind = Elementwise{.function = "mul"};
      op.inputs.push_back(sigmoid);
    }
    workload.ops.push_back(std::move(op));
  }
  return workload;
}

}  // namespace rooftile
