#include "rooftile/execution/loss.hpp"

#include <gtest/gtest.h>

#include "rooftile/ingest/model.hpp"

namespace rooftile {
namespace {

TEST(Loss, IsCrossEntropyOverClasses) {
  const Workload network = load_model("torchvision/resnet18", {.batch_size = 4}).value();
  const Workload with = with_loss(network);
  ASSERT_EQ(with.ops.size(), network.ops.size() + 3);
  EXPECT_EQ(with.ops[network.ops.size()].name, "loss/log_softmax");
  EXPECT_EQ(with.tensors[with.outputs.front()].shape, Shape());
}

TEST(Loss, TakesProbabilitiesAsTheyAre) {
  Workload network = load_model("torchvision/resnet18", {.batch_size = 4}).value();
  network.ops.push_back({"prob", Softmax{}, network.outputs, {network.tensors.size()}});
  network.tensors.push_back({"prob", {4, 1000}});
  network.outputs = network.ops.back().outputs;
  EXPECT_EQ(with_loss(network).ops.size(), network.ops.size() + 2);
}

TEST(Loss, OfMapsIsNotKnown) {
  const Workload network = load_model("fcn_resnet50", {.batch_size = 1}).value();
  EXPECT_FALSE(has_cross_entropy(network));
  EXPECT_EQ(with_loss(network), network);
}

}  // namespace
}  // namespace rooftile
