#include <gtest/gtest.h>

#include "rooftile/predict/predict.hpp"

namespace rooftile {
namespace {

// Tensors of 512-byte blocks of floats, which the allocator does not round; ops are added with their inputs and
// outputs.
struct Net {
  Workload workload;

  TensorId tensor(std::int64_t blocks, bool constant = false) {
    workload.tensors.push_back({.name = "t", .shape = {blocks * 128}, .constant = constant});
    return workload.tensors.size() - 1;
  }
  void op(OpKind kind, std::vector<TensorId> inputs, std::vector<TensorId> outputs) {
    workload.ops.push_back({"op", std::move(kind), std::move(inputs), std::move(outputs)});
  }
};

TEST(MemoryUse, AChainHoldsInputAndOutputOfOneOp) {
  Net net;
  const TensorId a = net.tensor(100), b = net.tensor(50), c = net.tensor(10);
  net.op(Elementwise{}, {a}, {b});
  net.op(Elementwise{}, {b}, {c});
  net.workload.inputs = {a};
  net.workload.outputs = {c};
  EXPECT_EQ(memory_use(net.workload).activations, Bytes(512 * 150));
}

TEST(MemoryUse, AResidualStaysUntilItIsAdded) {
  Net net;
  const TensorId a = net.tensor(100), b = net.tensor(30), c = net.tensor(100), sum = net.tensor(100);
  net.op(Elementwise{}, {a}, {b});
  net.op(Elementwise{}, {b}, {c});
  net.op(Elementwise{}, {a, c}, {sum});
  net.workload.inputs = {a};
  net.workload.outputs = {sum};
  EXPECT_EQ(memory_use(net.workload).activations, Bytes(512 * 300));  // a, c and the sum
}

TEST(MemoryUse, AViewSharesItsInputsStorage) {
  Net net;
  const TensorId a = net.tensor(100), view = net.tensor(100), b = net.tensor(20);
  net.op(View{"reshape"}, {a}, {view});
  net.op(Elementwise{}, {view}, {b});
  net.workload.inputs = {a};
  net.workload.outputs = {b};
  EXPECT_EQ(memory_use(net.workload).activations, Bytes(512 * 120));
}

TEST(MemoryUse, WeightsAreCountedOnceAndApart) {
  Net net;
  const TensorId a = net.tensor(8), w = net.tensor(1000, true), b = net.tensor(8), c = net.tensor(8);
  net.op(Elementwise{}, {a, w}, {b});
  net.op(Elementwise{}, {b, w}, {c});
  net.workload.inputs = {a};
  net.workload.outputs = {c};
  const MemoryUse use = memory_use(net.workload);
  EXPECT_EQ(use.weights, Bytes(512 * 1000));
  EXPECT_EQ(use.activations, Bytes(512 * 16));
  EXPECT_EQ(use.workspace, Bytes(0));
  EXPECT_EQ(use.total(), Bytes(512 * 1016));
}

TEST(MemoryUse, AnOutputThatNothingReadsIsFreedAtOnce) {
  Net net;
  const TensorId a = net.tensor(10), unused = net.tensor(1000), b = net.tensor(10), c = net.tensor(2000);
  net.op(Elementwise{}, {a}, {b, unused});
  net.op(Elementwise{}, {b}, {c});
  net.workload.inputs = {a};
  net.workload.outputs = {c};
  EXPECT_EQ(memory_use(net.workload).activations, Bytes(512 * 2010));
}

TEST(MemoryUse, IsRoundedToBlocks) {
  Workload workload;
  workload.tensors = {{"a", {1}}, {"b", {129}}};
  workload.ops = {{"op", Elementwise{}, {0}, {1}}};
  workload.inputs = {0};
  workload.outputs = {1};
  EXPECT_EQ(memory_use(workload).activations, Bytes(512 + 1024));
}

}  // namespace
}  // namespace rooftile
