#include "rooftile/ops/stream_gradient.hpp"

#include <algorithm>
#include <string_view>
#include <variant>

#include "rooftile/ops/cross_entropy.hpp"
#include "rooftile/ops/eager_work.hpp"
#include "rooftile/ops/stream_kernels.hpp"

namespace rooftile {
namespace {

// A sum over the row first, then the gradient of each element: of two tensors as wide as the output.
StreamKernel row_gradient(const StreamRows& rows, double operations_of_one, Bytes element) {
  return row_kernel({.rows = rows.rows,
                     .columns = rows.columns,
                     .inputs = 2,
                     .passes = 2,
                     .per_load = elements_of_load(element),
                     .element = element},
                    {.operations = operations_of_one});
}

// Both gradients at once: a CTA keeps its rows, and sums of its columns until it ends.
StreamKernel fused_norm_gradient(const StreamRows& rows, double operations_of_one, Bytes element) {
  return row_kernel({.rows = rows.rows,
                     .columns = rows.columns,
                     .inputs = 2,
                     .per_load = elements_of_load(element),
                     .element = element},
                    {.operations = operations_of_one});
}

// Sums of dY, and of dY times the normalised input, along the columns.
StreamKernel column_sums(Bytes read, Bytes weights, double elements) {
  return flat_kernel(read, weights, elements, {.column_sums = elements});
}

struct Backward {
  const Workload& workload;
  const Op& op;
  StreamRun run;
  const Tensor& output = workload.tensors[op.outputs.front()];
  Bytes y = size_of(output);
  double outputs = elements(output.shape);
  double operations = flops(workload, op).value();

  // The inputs that are activations, or weights; each distinct one once.
  Bytes inputs(bool constant) const {
    std::vector<TensorId> ids = op.inputs;
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    Bytes bytes;
    for (const TensorId id : ids) {
      if (workload.tensors[id].constant == constant) bytes += size_of(workload.tensors[id]);
    }
    return bytes;
  }
  // The bias that is added to a map: a weight, or one that was cast.
  Bytes bias() const { return size_of(workload.tensors[op.inputs.back()]); }
  Bytes x() const { return inputs(false); }
  double input_elements() const { return op.inputs.empty() ? 0 : elements(workload.tensors[op.inputs.front()].shape); }

  StreamKernel flat(Bytes read, Bytes write, const StreamWork& work) const {
    return flat_kernel(read, write, std::max(outputs, input_elements()), work);
  }

  std::vector<StreamKernel> operator()(const Pool& pool) const {
    const double from = input_elements();
    if (is_global(pool, workload.tensors[op.inputs.front()].shape, output.shape)) {
      return {flat(y, x(), {.operations = from})};
    }
    const double search = run.eager && run.maps == Maps::channels_last ? kEagerChannelsSearch : 1;
    const StreamWork work{.visits = outputs * static_cast<double>(pool.window), .searches = from * search};
    const Bytes index = run.eager ? kPoolIndex : kPoolOffset;
    return {flat(pool.function == "max" ? y + index * outputs : y, x(), work)};
  }
  std::vector<StreamKernel> operator()(const Normalize& norm) const {
    const StreamWork work{.operations = operations};
    if (norm.function == "lrn") return {flat(x() + y * 2, x(), work)};
    if (norm.function == "batch") {
      if (run.maps == Maps::planes) {
        if (run.own_norms && has_narrow_weights(workload, op)) {
          return {own_planes_gradient(output.shape, size_of(output.dtype), operations / outputs)};
        }
        return {planes_norm_kernel(output.shape, size_of(output.dtype), 2, operations / outputs, run.early_norms)};
      }
      if (run.eager) return {eager_batch_statistics((x() + y) * 2, x(), outputs, true)};
      return {flat(x() + y, inputs(true), work), flat(x() + y, x(), work)};
    }
    if (run.eager && norm.function == "layer") {
      const StreamRows shape = rows_of(op.kind, output.shape);
      return {eager_layer_gradient(shape, size_of(output.dtype)), eager_column_sums(x() + y, inputs(true), shape)};
    }
    return {rows(operations / outputs), column_sums(x() + y, inputs(true), outputs)};
  }
  std::vector<StreamKernel> operator()(const Softmax&) const {
    StreamKernel kernel = rows(operations / outputs);
    kernel.write *= size_of(workload.tensors[op.inputs.front()].dtype) / size_of(output.dtype);
    return {kernel};
  }
  std::vector<StreamKernel> operator()(const Elementwise& elementwise) const {
    const Bytes weights = elementwise.function == "bias" ? bias() : inputs(true);
    if (passes_through(elementwise.function)) {
      if (weights == Bytes{}) return {};
      if (!run.eager) return {flat(y, weights, {.operations = outputs})};
      if (run.maps == Maps::planes && output.shape.size() > 2) return {flat(y, weights, {.column_sums = outputs})};
      const double columns = weights / size_of(workload.tensors[op.inputs.back()].dtype);
      return {eager_bias_gradient(y, weights, outputs, std::max(1.0, columns))};
    }
    // The derivative takes about as much arithmetic as the function, and a product with dY.
    return {flat(y + x() + weights, x() + weights, {.operations = operations + outputs})};
  }
  std::vector<StreamKernel> operator()(const Reduce& reduce) const {
    if (is_cross_entropy(reduce)) return cross_entropy_gradient(workload, op);
    return {flat(y, x(), {.operations = input_elements()})};
  }
  std::vector<StreamKernel> operator()(const Move& move) const {
    if (move.function == "concat") return {};  // its gradients are parts of dY
    return {flat(y, x(), {})};
  }
  std::vector<StreamKernel> operator()(const View& view) const {
    if (!is_dropout(view)) return {};
    return {flat(y + kDropoutMask * outputs, y, {.operations = outputs})};
  }
  template <class Other>
  std::vector<StreamKernel> operator()(const Other&) const {
    return {};
  }

  StreamKernel rows(double operations_of_one) const {
    return row_gradient(rows_of(op.kind, output.shape), operations_of_one, size_of(output.dtype));
  }
};

}  // namespace

bool passes_through(std::string_view function) {
  return function == "add" || function == "sub" || function == "sum" || function == "bias" || function == "identity";
}

std::vector<StreamKernel> gradient_kernels(const Workload& workload, const Op& op, const StreamRun& run) {
  return std::visit(Backward{.workload = workload, .op = op, .run = run}, op.kind);
}

std::vector<StreamKernel> gradient_kernels(const StreamLayer& layer, Bytes element, NormKernels norms) {
  const StreamRows rows{static_cast<double>(layer.rows), static_cast<double>(layer.columns)};
  const double outputs = rows.rows * rows.columns;
  const double operations = flops(layer).value();
  const OperandBytes forward = operand_bytes(layer, element);
  switch (layer.kind) {
    case StreamKind::add:
      return {};
    case StreamKind::softmax:
      return {row_gradient(rows, operations / outputs, element)};
    case StreamKind::norm:
    case StreamKind::layernorm: {
      const Bytes weights = element * rows.columns;
      if (norms == NormKernels::fused) return {fused_norm_gradient(rows, operations / outputs, element)};
      return {row_gradient(rows, operations / outputs, element),
              column_sums(forward.read + forward.write, weights, outputs)};
    }
    case StreamKind::gelu:
    case StreamKind::activation:
    case StreamKind::gated_activation:
      break;
  }
  return {flat_kernel(forward.read + forward.write, forward.read, outputs, {.operations = operations + outputs})};
}

StreamKernel gradient_sum(const Tensor& tensor) {
  const Bytes bytes = size_of(tensor);
  const double count = elements(tensor.shape);
  return flat_kernel(bytes * 2, bytes, count, {.operations = count});
}

OperandBytes total_bytes(const std::vector<StreamKernel>& kernels) {
  OperandBytes total;
  for (const StreamKernel& kernel : kernels) {
    total.read += kernel.read;
    total.write += kernel.write;
  }
  return total;
}

}  // namespace rooftile
