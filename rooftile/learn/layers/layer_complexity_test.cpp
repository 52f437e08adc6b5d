#include "rooftile/learn/layers/layer_complexity.hpp"

#include <variant>

#include <gtest/gtest.h>

#include "rooftile/zoo/test_network.hpp"
#include "rooftile/zoo/zoo.hpp"

namespace rooftile {
namespace {

std::optional<LayerComplexity> of_op(const Workload& workload, std::string_view name) {
  for (const Op& op : workload.ops) {
    if (op.name == name) return complexity_of(workload, op);
  }
  ADD_FAILURE() << "no op " << name;
  return {};
}

// By hand, for a batch of 2.
TEST(LayerComplexity, LayersOfAlexnet) {
  const Workload net = zoo_network("alexnet", 2);
  // 11 x 11 x 3 = 363 taps and channels, 96 filters, 55 x 55 = 3025 positions: 363 x 96 x 3025 x 2; (726 + 1) x …
  EXPECT_EQ(of_op(net, "conv1"), (LayerComplexity{LayerCategory::conv_fc, 210830400, 422241600}));
  // (5 x 96 + 5 - 2) x 3025 x 2; (8 x 96 + 5 - 1) x 3025 x 2
  EXPECT_EQ(of_op(net, "norm1"), (LayerComplexity{LayerCategory::norm, 2922150, 4670600}));
  // 9 x 96 x 27 x 27 x 2; 10 x …
  EXPECT_EQ(of_op(net, "pool1"), (LayerComplexity{LayerCategory::pool_strided, 1259712, 1399680}));
  // 3 x 96 x 3025 x 2; 4 x …
  EXPECT_EQ(of_op(net, "relu1"), (LayerComplexity{LayerCategory::activation, 1742400, 2323200}));
  // 256 x 6 x 6 = 9216 inputs, 4096 outputs
  EXPECT_EQ(of_op(net, "fc6"), (LayerComplexity{LayerCategory::conv_fc, 75497472, 150994944}));
  EXPECT_EQ(of_op(net, "drop6"), (LayerComplexity{LayerCategory::activation, 24576, 32768}));
  // (4 x 1000 - 1) x 2; (1000 + 1) x 2
  EXPECT_EQ(of_op(net, "prob"), (LayerComplexity{LayerCategory::loss, 7998, 2002}));
  EXPECT_EQ(of_op(net, "flatten"), std::nullopt);
}

TEST(LayerComplexity, StridesOfPools) {
  const Workload net = zoo_network("googlenet", 1);
  EXPECT_EQ(of_op(net, "3a/pool")->category, LayerCategory::pool_stride_1);
  EXPECT_EQ(of_op(net, "pool5/7x7_s1")->category, LayerCategory::pool_stride_1);
  EXPECT_EQ(of_op(net, "pool1/3x3_s2")->category, LayerCategory::pool_strided);
  EXPECT_EQ(of_op(net, "pool4/3x3_s2")->category, LayerCategory::pool_strided);
  EXPECT_EQ(of_op(net, "3a/output"), std::nullopt);  // a concatenation
  const Workload vgg = zoo_network("vgg16", 1);
  for (const char* pool : {"pool1", "pool2", "pool3", "pool4", "pool5"}) {
    EXPECT_EQ(of_op(vgg, pool)->category, LayerCategory::pool_strided) << pool;
  }
}

TEST(LayerComplexity, GroupsDivideTheChannels) {
  Conv conv{.batch = 3, .in_channels = 8, .out_channels = 4, .groups = 2};
  conv.axes[1] = {.in = 5, .filter = 2};
  conv.axes[2] = {.in = 5, .filter = 3};
  // 6 taps x 4 channels x 4 filters x 4 x 3 positions x 3
  EXPECT_EQ(complexity_of(conv), (LayerComplexity{LayerCategory::conv_fc, 3456, 7056}));
}

TEST(LayerComplexity, ProductsAreFullyConnected) {
  EXPECT_EQ(complexity_of(Gemm{.batch = 2, .m = 3, .n = 5, .k = 7}),
            (LayerComplexity{LayerCategory::conv_fc, 210, 420}));
}

TEST(LayerComplexity, BatchNormalisationHasNoFormula) {
  const Workload net = zoo_network("resnet18", 1);
  std::size_t norms = 0;
  for (const Op& op : net.ops) {
    if (!std::holds_alternative<Normalize>(op.kind)) continue;
    ++norms;
    EXPECT_EQ(complexity_of(net, op), std::nullopt) << op.name;
  }
  EXPECT_GT(norms, 0);
}

}  // namespace
}  // namespace rooftile
