#include "rooftile/execution/unrolled_cells.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "rooftile/workload/sequence.hpp"

namespace rooftile {
namespace {

Workload layer_of(Recurrent layer) {
  Workload workload;
  workload.name = "net";
  workload.batch_size = layer.batch;
  workload.tensors = {{.name = "x", .shape = {layer.batch, layer.steps, layer.input}},
                      {.name = "w", .shape = {static_cast<std::int64_t>(weights_of(layer))}, .constant = true},
                      {.name = "y", .shape = {layer.batch, layer.steps, layer.directions * layer.hidden}}};
  workload.ops = {{"rnn", layer, {0, 1}, {2}}};
  workload.inputs = {0};
  workload.outputs = {2};
  return workload;
}

double macs_of(const Workload& workload) {
  double sum = 0;
  for (const Op& op : workload.ops) {
    if (const auto* gemm = std::get_if<Gemm>(&op.kind)) sum += static_cast<double>(gemm->m * gemm->n * gemm->k);
  }
  return sum;
}

double weights_in(const Workload& workload) {
  double sum = 0;
  for (const Tensor& tensor : workload.tensors) sum += tensor.constant ? elements(tensor.shape) : 0;
  return sum;
}

TEST(UnrolledCells, HaveTheWorkOfTheLayerButForTheFirstState) {
  for (const char* cell : {"lstm", "gru", "vanilla"}) {
    const Recurrent layer{.cell = cell, .batch = 4, .steps = 5, .input = 6, .hidden = 7, .layers = 2, .directions = 2};
    const Workload unrolled = unroll_cells(layer_of(layer));
    const double first = 4.0 * 2 * 2 * static_cast<double>(gates_of(layer)) * 7 * 7;
    EXPECT_EQ(macs_of(unrolled), macs(layer) - first) << cell;
    EXPECT_EQ(weights_in(unrolled), weights_of(layer)) << cell;
  }
}

TEST(UnrolledCells, AreAWorkload) {
  const Workload unrolled =
      unroll_cells(layer_of({.batch = 4, .steps = 5, .input = 6, .hidden = 7, .layers = 2, .directions = 2}));
  EXPECT_TRUE(std::none_of(unrolled.ops.begin(), unrolled.ops.end(),
                           [](const Op& op) { return std::holds_alternative<Recurrent>(op.kind); }));
  EXPECT_EQ(unrolled.ops.back().outputs, unrolled.outputs);
  std::vector<bool> there(unrolled.tensors.size());
  for (TensorId id = 0; id < there.size(); ++id) there[id] = unrolled.tensors[id].constant;
  there[0] = true;
  for (const Op& op : unrolled.ops) {
    for (const TensorId id : op.inputs) EXPECT_TRUE(there[id]) << op.name << " reads what nobody has made";
    for (const TensorId id : op.outputs) there[id] = true;
  }
}

// MXNet's LSTMCell: two products and their sum, the split, four gates, and five kernels to the next state.
TEST(UnrolledCells, OfAnLstmLaunchThirteenKernelsAStep) {
  const auto ops = [](std::int64_t steps) {
    return unroll_cells(layer_of({.batch = 4, .steps = steps, .input = 6, .hidden = 7})).ops.size();
  };
  EXPECT_EQ(ops(11) - ops(10), 13U);
}

}  // namespace
}  // namespace rooftile
