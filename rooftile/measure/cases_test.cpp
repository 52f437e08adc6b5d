#include "rooftile/measure/cases.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <gtest/gtest.h>

#include "rooftile/measure/layer_columns.hpp"
#include "rooftile/zoo/test_network.hpp"
#include "rooftile/zoo/zoo.hpp"

namespace rooftile::measure {
namespace {

std::size_t count_of(const std::vector<LayerCase>& cases, std::size_t op) {
  return static_cast<std::size_t>(
      std::count_if(cases.begin(), cases.end(), [&](const LayerCase& layer) { return layer.op.index() == op; }));
}

TEST(Cases, EachShapeOfANetworkOnce) {
  const auto layers = layers_of(zoo_network("alexnet", 8));
  EXPECT_EQ(count_of(layers, 0), 5);  // of five convolutions
  EXPECT_EQ(count_of(layers, 1), 3);  // and three fully connected layers
  EXPECT_EQ(layers.front().layer.substr(0, 8), "alexnet ");
  EXPECT_FALSE(std::get<Conv>(layers.front().op).bias);
  // VGG-16 has 13 convolutions; 3-2, 4-2, 5-1 … repeat shapes: 9 are different.
  EXPECT_EQ(count_of(layers_of(zoo_network("vgg16", 8)), 0), 9);
}

TEST(Cases, TransformersHaveNormsAndSoftmax) {
  std::set<StreamKind> kinds;
  for (const LayerCase& layer : layers_of(zoo_network("bert_base", 8))) {
    if (const auto* stream = std::get_if<StreamLayer>(&layer.op)) {
      kinds.insert(stream->kind);
      EXPECT_GT(stream->rows, 1);
    }
  }
  EXPECT_TRUE(kinds.count(StreamKind::layernorm) && kinds.count(StreamKind::softmax) && kinds.count(StreamKind::gelu));
}

TEST(Cases, OnlyWaysThatMakeSense) {
  CaseChoice choice;
  choice.precisions = {DType::fp32, DType::tf32, DType::fp8};
  choice.passes = {Pass::fwd, Pass::bwd_data};
  choice.layouts = {Layout::nchw, Layout::nhwc};
  choice.algorithms = {"", "winograd"};
  const LayerCase conv{Conv(), DType::fp32, Pass::fwd, Layout::nchw, "", ""};
  const LayerCase gemm{Gemm(), DType::fp32, Pass::fwd, Layout::nchw, "", ""};
  const LayerCase stream{StreamLayer(), DType::fp32, Pass::fwd, Layout::nchw, "", ""};
  EXPECT_EQ(cases_of({conv}, choice).size(), 2 * 2 * 2 * 2);  // fp32 and tf32
  EXPECT_EQ(cases_of({gemm}, choice).size(), 2 * 2 + 1);      // fp8 has no gradient
  EXPECT_EQ(cases_of({stream}, choice).size(), 1);            // forward in fp32
}

TEST(Cases, TablesGiveTheirRows) {
  const auto table = cases_of_table(
      "op,M,N,K,model,precision,pass,layout,algorithm,layer,C,H,W,R,S,pad_h,pad_w,stride_h,stride_w,kind,gpus,bytes\n"
      "gemm,1,2,3,,bf16,bwd,,,fc,,,,,,,,,,,,\n"
      "network,,,,resnet50,,,,,,,,,,,,,,,,,\n"
      "collective,,,,,,,,,,,,,,,,,,,all_reduce,8,512\n"
      "kernel,,,,,,,,,,,,,,,,,,,,,\n"
      "conv,,8,4,,fp16,,nhwc,winograd,,3,9,9,3,3,1,1,1,1,,,\n",
      "t.csv");
  ASSERT_TRUE(table.has_value()) << table.error().text();
  EXPECT_EQ(table->left_out, 3);
  ASSERT_EQ(table->cases.size(), 3);  // both gradients of the first
  EXPECT_EQ(table->cases[0].pass, Pass::bwd_data);
  EXPECT_EQ(table->cases[1].pass, Pass::bwd_weight);
  EXPECT_EQ(table->cases[1].layer, "fc");
  EXPECT_EQ(table->cases[2].layout, Layout::nhwc);
  EXPECT_EQ(table->cases[2].algorithm, "winograd");
  EXPECT_EQ(table->cases[2].layer, "t.csv:6");
}

TEST(Cases, TableErrorsNameThePlace) {
  const auto text = [](std::string_view csv) { return cases_of_table(csv, "t.csv").error().text(); };
  EXPECT_EQ(text("op,M,N,K,layout\ngemm,1,2,3,hwcn\n"),
            "t.csv:2, column layout: unknown layout 'hwcn'; one of nchw, nhwc");
  EXPECT_EQ(text("M,N,K\n1,x,3\n"), "t.csv:2, column N: 'x' is not a whole number");
}

TEST(Cases, TheDefaultSetIsBalanced) {
  const auto cases = default_cases();
  EXPECT_GT(cases.size(), 400);
  EXPECT_LT(cases.size(), 700);  // at half a second each, in half of the ten minutes
  for (std::size_t op = 0; op < kTables.size(); ++op) EXPECT_GT(count_of(cases, op), 15) << kTables[op];
  std::set<DType> precisions;
  std::set<Pass> passes;
  for (const LayerCase& layer : cases) precisions.insert(layer.precision), passes.insert(layer.pass);
  EXPECT_EQ(precisions.size(), 6);
  EXPECT_EQ(passes.size(), 3);
}

TEST(Cases, QuickTakesSomeOfEach) {
  const auto few = quick(default_cases());
  for (std::size_t op = 0; op < kTables.size(); ++op) EXPECT_EQ(count_of(few, op), 6) << kTables[op];
}

}  // namespace
}  // namespace rooftile::measure
