#include "rooftile/ops/work.hpp"

#include <algorithm>
#include <variant>
#include <vector>

#include "rooftile/ops/conv.hpp"
#include "rooftile/workload/sequence.hpp"

namespace rooftile {
namespace {

const Tensor& output_of(const Workload& workload, const Op& op) { return workload.tensors[op.outputs.front()]; }

double elements_written(const Workload& workload, const Op& op) { return elements(output_of(workload, op).shape); }

// Nominal operations; one overload a kind.
struct CountFlops {
  const Workload& workload;
  const Op& op;

  double operator()(const Conv& conv) const { return 2 * macs(conv); }
  double operator()(const Gemm& gemm) const {
    return 2 * static_cast<double>(gemm.batch) * static_cast<double>(gemm.m) * static_cast<double>(gemm.n) *
           static_cast<double>(gemm.k);
  }
  double operator()(const Attention& attention) const { return 2 * macs(attention); }
  double operator()(const Recurrent& recurrent) const { return 2 * macs(recurrent); }
  double operator()(const Pool& pool) const {
    return static_cast<double>(pool.window) * elements_written(workload, op);
  }
  double operator()(const Normalize& norm) const {
    // batch: scale and shift. lrn: square and sum over the window, then scale, power, product. Others: mean (1),
    // variance (2), subtract and scale (2), affine (2).
    const double per_element =
        norm.function == "batch" ? 2 : (norm.function == "lrn" ? 2.0 * static_cast<double>(norm.window) + 3 : 7);
    return per_element * elements_written(workload, op);
  }
  double operator()(const Softmax&) const { return 5 * elements_written(workload, op); }  // max, sub, exp, sum, divide
  double operator()(const Elementwise& elementwise) const {
    return static_cast<double>(elementwise.flops_per_element) * elements_written(workload, op);
  }
  double operator()(const Reduce&) const {
    return op.inputs.empty() ? 0 : elements(workload.tensors[op.inputs.front()].shape);
  }
  double operator()(const Move&) const { return 0; }
  double operator()(const View&) const { return 0; }
};

// Each distinct tensor once.
Bytes total(const Workload& workload, std::vector<TensorId> ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  Bytes bytes;
  for (const TensorId id : ids) bytes += size_of(workload.tensors[id]);
  return bytes;
}

}  // namespace

Flops flops(const Workload& workload, const Op& op) { return Flops(std::visit(CountFlops{workload, op}, op.kind)); }

OperandBytes conv_operand_bytes(const Conv& conv, Bytes element) {
  double inputs = static_cast<double>(conv.batch) * static_cast<double>(conv.in_channels);
  double filters = static_cast<double>(conv.in_channels / conv.groups) * static_cast<double>(conv.out_channels);
  double outputs = static_cast<double>(conv.batch) * static_cast<double>(conv.out_channels);
  for (const ConvAxis& axis : conv.axes) {
    inputs *= static_cast<double>(axis.in);
    filters *= static_cast<double>(axis.filter);
    outputs *= static_cast<double>(out_positions(axis, conv.transposed));
  }
  // A direct convolution may skip inputs (a stride beyond the filter); a transposed one needs them all.
  const double read = conv.transposed ? inputs + filters : compulsory_elements(im2col(conv));
  return {read * element, outputs * element};
}

OperandBytes operand_bytes(const Workload& workload, const Op& op) {
  if (std::holds_alternative<View>(op.kind)) return {};
  if (const auto* conv = std::get_if<Conv>(&op.kind)) {
    return conv_operand_bytes(*conv, size_of(output_of(workload, op).dtype));
  }
  const Bytes write = total(workload, op.outputs);
  const auto* move = std::get_if<Move>(&op.kind);
  const bool partial = move != nullptr && move->partial;
  return {partial ? write : total(workload, op.inputs), write};
}

}  // namespace rooftile
