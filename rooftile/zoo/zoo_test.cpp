#include "rooftile/zoo/zoo.hpp"

#include <set>
#include <string>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/ops/work.hpp"
#include "rooftile/workload/conv_geometry.hpp"
#include "rooftile/workload/test_workload.hpp"
#include "rooftile/zoo/test_network.hpp"

namespace rooftile {
namespace {

Shape output_of(const Workload& workload, const std::string& name) {
  return workload.tensors[op_named(workload, name).outputs.front()].shape;
}

// Input and output channels, input height and width, filter, stride and padding.
using Configuration = std::array<std::int64_t, 8>;

std::set<Configuration> configurations(const Workload& workload) {
  std::set<Configuration> unique;
  for (const Op& op : workload.ops) {
    if (const auto* conv = std::get_if<Conv>(&op.kind)) {
      const ConvAxis& height = conv->axes[1];
      const ConvAxis& width = conv->axes[2];
      unique.insert({conv->in_channels, conv->out_channels, height.in, width.in, height.filter, width.filter,
                     width.stride, width.pad_begin});
    }
  }
  return unique;
}

double weight_count(const Workload& workload) {
  double total = 0;
  for (const Tensor& tensor : workload.tensors) total += tensor.constant ? elements(tensor.shape) : 0;
  return total;
}

double multiply_accumulates(const Workload& workload) {
  double total = 0;
  for (const Op& op : workload.ops) {
    if (const auto* conv = std::get_if<Conv>(&op.kind)) total += macs(*conv);
    if (const auto* gemm = std::get_if<Gemm>(&op.kind)) {
      total += static_cast<double>(gemm->batch) * static_cast<double>(gemm->m * gemm->n * gemm->k);
    }
  }
  return total;
}

TEST(Zoo, IsValidAtAnyBatchSize) {
  for (const ZooEntry& entry : zoo()) {
    for (const std::int64_t batch : {1, 3, 256}) {
      const Workload workload = entry.build(batch);
      const auto valid = validate(workload);
      EXPECT_TRUE(valid.has_value()) << entry.name << ": " << valid.error().text();
      EXPECT_EQ(workload.name, entry.name);
      EXPECT_EQ(workload.batch_size, batch);
      ASSERT_GE(workload.outputs.size(), 1u);
      const bool projects = entry.transformer && entry.transformer->head == TransformerHead::projection;
      if (entry.image_size == 224 && !entry.seq_len && !projects) {
        EXPECT_EQ(workload.tensors[workload.outputs.front()].shape, (Shape{batch, 1000}));
      }
    }
  }
}

// The limits are validate()'s; building must only not overflow on the way to it.
TEST(Zoo, LeavesAbsurdBatchSizesToValidate) {
  for (const ZooEntry& entry : zoo()) {
    if (entry.name == "a3c" || entry.name == "ncf" || entry.name == "dlrm") continue;  // so small that they may
    EXPECT_FALSE(validate(entry.build(kMaxDimension)).has_value()) << entry.name;
  }
}

TEST(Zoo, LayerCounts) {
  EXPECT_EQ(count<Conv>(zoo_network("alexnet")), 5u);
  EXPECT_EQ(count<Conv>(zoo_network("vgg16")), 13u);
  EXPECT_EQ(count<Conv>(zoo_network("googlenet")), 57u);
  EXPECT_EQ(count<Conv>(zoo_network("resnet152")), 155u);  // 1 + 50 blocks of 3 + 4 projections
  EXPECT_EQ(count<Gemm>(zoo_network("alexnet")), 3u);
  EXPECT_EQ(count<Gemm>(zoo_network("vgg16")), 3u);
  EXPECT_EQ(count<Gemm>(zoo_network("googlenet")), 1u);
  EXPECT_EQ(count<Gemm>(zoo_network("resnet152")), 1u);
}

// MACs as the authors publish them (ResNets, VGG-19), torchvision's model table for DenseNet-161 (7.73 G); ResNet-200's
// is the sum over its table.
TEST(Zoo, FurtherNetworks) {
  constexpr double kGiga = 1e9, kNear = 0.02;
  EXPECT_NEAR(multiply_accumulates(zoo_network("resnet34")) / kGiga, 3.66, kNear);
  EXPECT_NEAR(multiply_accumulates(zoo_network("resnet101")) / kGiga, 7.80, kNear);
  EXPECT_NEAR(multiply_accumulates(zoo_network("resnet200")) / kGiga, 15.0, 0.1);
  EXPECT_NEAR(multiply_accumulates(zoo_network("vgg19")) / kGiga, 19.63, kNear);
  EXPECT_NEAR(multiply_accumulates(zoo_network("densenet161")) / kGiga, 7.73, kNear);
  EXPECT_EQ(count<Conv>(zoo_network("resnet200")), 1u + 66 * 3 + 4);
  EXPECT_EQ(count<Conv>(zoo_network("densenet161")), 160u);
}

// Weights in millions as published: BERT large 335 without its heads, GPT-2 124 and 774, OPT 1.3 B, GPT-3 2.7 B.
TEST(Zoo, TransformersHaveTheirWeights) {
  const auto millions = [](const char* name) {
    double count = 0;
    for (const Tensor& tensor : zoo_network(name).tensors) {
      if (tensor.constant) count += elements(tensor.shape);
    }
    return count / 1e6;
  };
  EXPECT_NEAR(millions("bert_base"), 109.5, 0.2);
  EXPECT_NEAR(millions("bert_large"), 335.1, 0.3);
  EXPECT_NEAR(millions("gpt2"), 124.4, 0.2);
  EXPECT_NEAR(millions("gpt2_large"), 774.0, 0.5);
  EXPECT_NEAR(millions("opt_13"), 1315.8, 2);
  EXPECT_NEAR(millions("gpt3_27"), 2651.6, 5);
}

// A block multiplies 12 hidden^2 weights, and twice the positions with each other.
TEST(Zoo, ABertBlockByHand) {
  const double tokens = 2.0 * 128, hidden = 1024, layers = 24;
  const Workload bert = [] {
    for (const ZooEntry& entry : zoo()) {
      if (entry.name == "bert_large") return entry.builder({.batch_size = 2, .seq_len = 128});
    }
    return Workload{};
  }();
  EXPECT_EQ(multiply_accumulates(bert),
            layers * (tokens * 12 * hidden * hidden + 2 * tokens * 128 * hidden) + 2 * hidden * hidden);
}

// The paper evaluates each configuration of a network once; summed over the four these are 83.
TEST(Zoo, UniqueConvolutions) {
  EXPECT_EQ(configurations(zoo_network("alexnet")).size(), 5u);
  EXPECT_EQ(configurations(zoo_network("vgg16")).size(), 9u);
  EXPECT_EQ(configurations(zoo_network("googlenet")).size(), 49u);
  EXPECT_EQ(configurations(zoo_network("resnet152")).size(), 20u);
  std::size_t unique = 0;
  for (const ZooEntry& entry : delta_networks()) unique += configurations(entry.build(256)).size();
  EXPECT_EQ(unique, 83u);
}

// Parameters of the published networks: AlexNet without groups as a sum over its layers (the original's groups would
// save 1.4 million), VGG-16 from table 2 of its paper (138 million), the others from their layer tables.
TEST(Zoo, Weights) {
  EXPECT_EQ(weight_count(zoo_network("alexnet")),
            34944 + 614656 + 885120 + 1327488 + 884992 + 37752832 + 16781312 + 4097000);
  EXPECT_EQ(weight_count(zoo_network("vgg16")), 138357544);
  EXPECT_EQ(weight_count(zoo_network("googlenet")), 6998552);
  EXPECT_EQ(weight_count(zoo_network("resnet152")), 60192808 + 2 * 75712);  // and mean and variance of 75712 channels
}

// He et al., table 1: 11.3 x 10^9 multiply-adds for ResNet-152; Szegedy et al.: about 1.5 billion for GoogLeNet;
// Simonyan and Zisserman's configuration D has 15.5 x 10^9.
TEST(Zoo, MultiplyAccumulates) {
  EXPECT_NEAR(multiply_accumulates(zoo_network("resnet152")), 11.3e9, 0.05e9);
  EXPECT_NEAR(multiply_accumulates(zoo_network("googlenet")), 1.58e9, 0.05e9);
  EXPECT_NEAR(multiply_accumulates(zoo_network("vgg16")), 15.47e9, 0.01e9);
}

// DeLTA's Eq 2 gives 4.18 for this layer, and its L1 bound comes from the 96 filters.
TEST(Zoo, AlexNetFirstLayer) {
  const Workload workload = zoo_network("alexnet", 256);
  EXPECT_EQ(output_of(workload, "conv1"), (Shape{256, 96, 55, 55}));
  const auto& conv = std::get<Conv>(op_named(workload, "conv1").kind);
  const double padded_width = static_cast<double>(padded(conv.axes[2]));
  EXPECT_NEAR(padded_width * 4 / (padded_width - 11 + 1), 4.18, 0.005);
  EXPECT_EQ(conv.groups, 1);
}

TEST(Zoo, FeatureMaps) {
  const Workload alexnet = zoo_network("alexnet");
  EXPECT_EQ(output_of(alexnet, "conv2"), (Shape{1, 256, 27, 27}));
  EXPECT_EQ(output_of(alexnet, "conv5"), (Shape{1, 256, 13, 13}));
  EXPECT_EQ(output_of(alexnet, "flatten"), (Shape{1, 9216}));
  const Workload vgg16 = zoo_network("vgg16");
  EXPECT_EQ(output_of(vgg16, "conv5_3"), (Shape{1, 512, 14, 14}));
  EXPECT_EQ(output_of(vgg16, "flatten"), (Shape{1, 25088}));
  const Workload googlenet = zoo_network("googlenet");
  EXPECT_EQ(output_of(googlenet, "3a/output"), (Shape{1, 256, 28, 28}));
  EXPECT_EQ(output_of(googlenet, "4e/5x5"), (Shape{1, 128, 14, 14}));
  EXPECT_EQ(output_of(googlenet, "5b/output"), (Shape{1, 1024, 7, 7}));
  const Workload resnet152 = zoo_network("resnet152");
  EXPECT_EQ(output_of(resnet152, "pool1"), (Shape{1, 64, 56, 56}));
  EXPECT_EQ(output_of(resnet152, "conv3_1/1x1a"), (Shape{1, 128, 28, 28}));  // the stride is in the first 1x1
  EXPECT_EQ(output_of(resnet152, "conv5_3/relu"), (Shape{1, 2048, 7, 7}));
}

TEST(Zoo, NormalisesWhereTheOriginalDoes) {
  EXPECT_EQ(count<Normalize>(zoo_network("alexnet")), 2u);
  EXPECT_EQ(count<Normalize>(zoo_network("vgg16")), 0u);
  EXPECT_EQ(count<Normalize>(zoo_network("googlenet")), 2u);
  EXPECT_EQ(count<Normalize>(zoo_network("resnet152")), 155u);
}

}  // namespace
}  // namespace rooftile
