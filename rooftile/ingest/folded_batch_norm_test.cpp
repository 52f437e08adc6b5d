#include "rooftile/ingest/folded_batch_norm.hpp"

#include <string>

#include <gtest/gtest.h>

#include "rooftile/ingest/model.hpp"
#include "rooftile/ops/builder.hpp"

namespace rooftile {
namespace {

// Residual blocks of biased convolutions, as an exporter leaves them.
Workload folded(int blocks, bool residual) {
  WorkloadBuilder builder("folded");
  TensorId x = builder.input({.name = "x", .shape = Shape{2, 8, 16, 16}}).value();
  for (int i = 0; i < blocks; ++i) {
    Conv conv{.batch = 2, .in_channels = 8, .out_channels = 8, .bias = true};
    conv.axes[1] = conv.axes[2] = {.in = 16, .filter = 3, .pad_begin = 1, .pad_end = 1};
    const std::string name = "conv" + std::to_string(i);
    const TensorId y = builder.add({.name = name, .kind = conv, .inputs = {x}}).value().front();
    if (!residual) {
      x = y;
      continue;
    }
    x = builder.add({.name = "add" + std::to_string(i), .kind = Elementwise{.function = "add"}, .inputs = {x, y}})
            .value()
            .front();
  }
  return builder.finish().value();
}

TEST(FoldedBatchNorm, IsSeenWhereANetworkCouldNotTrainWithout) {
  EXPECT_TRUE(has_folded_batch_norms(folded(8, true)));
  EXPECT_FALSE(has_folded_batch_norms(folded(8, false)));
  EXPECT_FALSE(has_folded_batch_norms(load_model("vgg16").value()));
  EXPECT_FALSE(has_folded_batch_norms(load_model("resnet50").value()));
  EXPECT_FALSE(has_folded_batch_norms(load_model("convnext_tiny").value()));
}

TEST(FoldedBatchNorm, ComesBackInPlaceOfEachBias) {
  const Workload workload = folded(9, true);
  const Workload restored = restore_batch_norms(workload);
  EXPECT_TRUE(validate(restored)) << validate(restored).error().text();
  EXPECT_EQ(restored.ops.size(), workload.ops.size() + 9);
  EXPECT_FALSE(has_folded_batch_norms(restored));
  EXPECT_EQ(restored.outputs, workload.outputs);
}

double parameters(const Workload& workload) {
  double count = 0;
  for (const Tensor& tensor : workload.tensors) count += tensor.constant ? elements(tensor.shape) : 0;
  return count;
}

TEST(FoldedBatchNorm, FoldsTheNormsOfConvolutions) {
  const Workload resnet = load_model("resnet50").value();
  const Workload folded = fold_batch_norms(resnet).value();
  ASSERT_TRUE(validate(folded)) << validate(folded).error().text();
  EXPECT_EQ(folded.ops.size(), resnet.ops.size() - 53);
  EXPECT_EQ(folded.tensors[folded.outputs.front()], resnet.tensors[resnet.outputs.front()]);
  EXPECT_EQ(parameters(resnet) - parameters(folded), 3 * 26560) << "four of a channel become a bias";
  EXPECT_TRUE(has_folded_batch_norms(folded));
  EXPECT_EQ(load_model("resnet50", {.batch_norms = BatchNorms::folded}).value().ops.size(), folded.ops.size());
}

// Before its convolutions, as in DenseNet, a norm cannot be folded.
TEST(FoldedBatchNorm, LeavesOtherNorms) {
  const Workload densenet = load_model("densenet161").value();
  const Workload folded = fold_batch_norms(densenet).value();
  ASSERT_TRUE(validate(folded)) << validate(folded).error().text();
  EXPECT_GT(folded.ops.size(), densenet.ops.size() - 90);
}

TEST(FoldedBatchNorm, ThereMustBeSome) {
  for (const char* model : {"vgg16", "llama2_7b"}) {
    const auto folded = load_model(model, {.batch_norms = BatchNorms::folded});
    ASSERT_FALSE(folded) << model;
    EXPECT_EQ(folded.error().text(), model + std::string(": has no batch norms to fold into convolutions"));
  }
}

}  // namespace
}  // namespace rooftile
