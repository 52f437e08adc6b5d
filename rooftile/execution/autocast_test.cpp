#include "rooftile/execution/autocast.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "rooftile/execution/launched.hpp"
#include "rooftile/workload/test_workload.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {
namespace {

// Image, weights of a convolution, a batch normalisation, a softmax and a product, as FP32.
Workload mixed_network() {
  Workload workload;
  workload.name = "network";
  workload.tensors = {{"image", {2, 3, 8, 8}},
                      {"filters", {4, 3, 3, 3}, DType::fp32, true},
                      {"map", {2, 4, 8, 8}},
                      {"scale", {4}, DType::fp32, true},
                      {"normal", {2, 4, 8, 8}},
                      {"flat", {2, 256}},
                      {"weights", {10, 256}, DType::fp32, true},
                      {"scores", {2, 10}},
                      {"chances", {2, 10}}};
  Conv conv{.batch = 2, .in_channels = 3, .out_channels = 4};
  conv.axes[1] = conv.axes[2] = {.in = 8, .filter = 3, .pad_begin = 1, .pad_end = 1};
  workload.ops = {{"conv", conv, {0, 1}, {2}},
                  {"bn", Normalize{}, {2, 3}, {4}},
                  {"flatten", View{"flatten"}, {4}, {5}},
                  {"fc", Gemm{.m = 2, .n = 10, .k = 256, .trans_b = true}, {5, 6}, {7}},
                  {"softmax", Softmax{}, {7}, {8}}};
  workload.inputs = {0};
  workload.outputs = {8};
  return workload;
}

DType result_type(const Workload& workload, const std::string& name) {
  return workload.tensors[op_named(workload, name).outputs[0]].dtype;
}

TEST(Autocast, ListsAreThoseOfPyTorch) {
  EXPECT_EQ(autocast_list(Conv{}), AutocastList::narrow);
  EXPECT_EQ(autocast_list(Attention{}), AutocastList::narrow);
  EXPECT_EQ(autocast_list(Normalize{.function = "layer"}), AutocastList::wide);
  EXPECT_EQ(autocast_list(Normalize{}), AutocastList::promote);
  EXPECT_EQ(autocast_list(Elementwise{.function = "exp"}), AutocastList::wide);
  EXPECT_EQ(autocast_list(Elementwise{.function = "gelu"}), AutocastList::promote);
  EXPECT_EQ(autocast_list(Reduce{.function = "mean"}), AutocastList::promote);
}

TEST(Autocast, ProductsAreNarrowAndSoftmaxWide) {
  const Workload run = autocast(mixed_network(), {DType::fp16});
  EXPECT_EQ(input_type(run, "conv"), DType::fp16);
  EXPECT_EQ(input_type(run, "conv", 1), DType::fp16);
  EXPECT_EQ(result_type(run, "bn"), DType::fp16);
  EXPECT_EQ(input_type(run, "bn", 1), DType::fp32);  // statistics and scales stay
  EXPECT_EQ(result_type(run, "fc"), DType::fp16);
  EXPECT_EQ(result_type(run, "softmax"), DType::fp32);
}

TEST(Autocast, PyTorchsSoftmaxWidensFp16AsItLoads) {
  EXPECT_EQ(input_type(autocast(mixed_network(), {DType::fp16}), "softmax"), DType::fp16);
  EXPECT_EQ(input_type(autocast(mixed_network(), {DType::bf16}), "softmax"), DType::fp32);
  const AutocastRules tensorflow{.narrow = DType::fp16, .widening_loads = false};
  EXPECT_EQ(input_type(autocast(mixed_network(), tensorflow), "softmax"), DType::fp32);
}

TEST(Autocast, NormsOfRowsStayNarrowIfAsked) {
  Workload workload = mixed_network();
  workload.ops[1] = {"norm", Normalize{.function = "layer"}, {2, 3}, {4}};
  EXPECT_EQ(result_type(autocast(workload, {DType::fp16}), "norm"), DType::fp32);
  const Workload run = autocast(workload, {.narrow = DType::fp16, .narrow_norms = true});
  EXPECT_EQ(result_type(run, "norm"), DType::fp16);
  EXPECT_EQ(input_type(run, "norm"), DType::fp16);
}

TEST(Autocast, CastsStandWhereTypesMeet) {
  const Workload run = autocast(mixed_network(), {DType::fp16});
  std::vector<std::string> casts;
  for (const Op& op : run.ops) {
    if (const auto* move = std::get_if<Move>(&op.kind); move != nullptr && move->function == "cast") {
      casts.push_back(op.name);
    }
  }
  EXPECT_EQ(casts, (std::vector<std::string>{"image.cast", "filters.cast", "weights.cast"}));
}

TEST(Autocast, AWeightThatTwoReadIsCastOnce) {
  Workload workload = mixed_network();
  workload.tensors.push_back({"again", {2, 10}});
  workload.ops.push_back({"fc2", Gemm{.m = 2, .n = 10, .k = 256, .trans_b = true}, {5, 6}, {9}});
  const Workload run = autocast(workload, {DType::bf16});
  EXPECT_EQ(op_named(run, "fc").inputs[1], op_named(run, "fc2").inputs[1]);
}

TEST(Autocast, AWideParameterWidensWhatItMultiplies) {  // ConvNeXt's scale of a layer
  Workload workload = mixed_network();
  workload.ops[1] = {"scale", Elementwise{.function = "mul"}, {2, 3}, {4}};
  EXPECT_EQ(result_type(autocast(workload, {DType::fp16}), "scale"), DType::fp32);
}

TEST(Launched, WithoutAutocastEverythingIsStoredInThePrecision) {
  const Workload run = launched(mixed_network(), {.precision = DType::bf16});
  for (const Tensor& tensor : run.tensors) EXPECT_EQ(tensor.dtype, DType::bf16) << tensor.name;
  EXPECT_EQ(run.ops.size(), mixed_network().ops.size());
}

}  // namespace
}  // namespace rooftile
