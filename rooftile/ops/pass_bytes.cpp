#include "rooftile/ops/pass_bytes.hpp"

#include "rooftile/workload/conv_geometry.hpp"

namespace rooftile {
namespace {

struct Operands {
  Bytes touched_x;  // the part of X that any output needs
  Bytes x, weights, y;
};

OperandBytes of_pass(const Operands& operands, Pass pass) {
  switch (pass) {
    case Pass::fwd:
      return {operands.touched_x + operands.weights, operands.y};
    case Pass::bwd_data:
      return {operands.y + operands.weights, operands.x};
    case Pass::bwd_weight:
      return {operands.touched_x + operands.y, operands.weights};
  }
  return {};
}

}  // namespace

OperandBytes pass_bytes(const Conv& conv, Bytes element, Pass pass) {
  double positions = 1;
  double taps = 1;
  for (const ConvAxis& axis : conv.axes) {
    positions *= static_cast<double>(axis.in);
    taps *= static_cast<double>(axis.filter);
  }
  const double channels = static_cast<double>(conv.in_channels);
  const OperandBytes forward = conv_operand_bytes(conv, element);
  Operands operands;
  operands.x = element * (static_cast<double>(conv.batch) * channels * positions);
  operands.weights =
      element * (channels / static_cast<double>(conv.groups) * static_cast<double>(conv.out_channels) * taps);
  operands.touched_x = forward.read - operands.weights;
  operands.y = forward.write;
  return of_pass(operands, pass);
}

OperandBytes pass_bytes(const Gemm& gemm, Bytes element, Pass pass, Bytes weight) {
  const double m = static_cast<double>(gemm.m), n = static_cast<double>(gemm.n), k = static_cast<double>(gemm.k);
  const Bytes elements = element * static_cast<double>(gemm.batch);
  const Bytes b_elements = (weight > Bytes(0) ? weight : element) * static_cast<double>(gemm.batch);
  return of_pass({.touched_x = elements * (m * k),
                  .x = elements * (m * k),
                  .weights = b_elements * (k * n),
                  .y = elements * (m * n)},
                 pass);
}

}  // namespace rooftile
