#include "rooftile/predict/alike.hpp"

#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/predict/predict.hpp"

namespace rooftile {
namespace {

// Tensors 0 and 1 are alike, 2 is wider, 3 a weight.
Workload four_tensors() {
  Workload workload;
  workload.tensors = {{.name = "x", .shape = {64, 128}},
                      {.name = "y", .shape = {64, 128}},
                      {.name = "wide", .shape = {64, 256}},
                      {.name = "weight", .shape = {64, 128}, .dtype = DType::fp32, .constant = true}};
  return workload;
}

Op add(const char* name, TensorId a, TensorId b, TensorId result) {
  return {.name = name, .kind = Elementwise{.function = "add"}, .inputs = {a, b}, .outputs = {result}};
}

TEST(Alike, NamesDoNotMatterShapesAndKindsDo) {
  Workload workload = four_tensors();
  workload.ops = {add("a", 0, 1, 1), add("b", 1, 0, 0), add("c", 2, 2, 2), add("d", 0, 1, 1)};
  workload.ops[3].kind = Elementwise{.function = "mul"};
  EXPECT_EQ(first_alike(workload), (std::vector<std::size_t>{0, 0, 2, 3}));
}

TEST(Alike, WeightsAndTheSameTensorTwiceAreApart) {
  Workload workload = four_tensors();
  workload.ops = {add("a", 0, 1, 1), add("twice", 0, 0, 1), add("weight", 0, 3, 1)};
  EXPECT_EQ(first_alike(workload), (std::vector<std::size_t>{0, 1, 2}));
}

TEST(Alike, LayersThatAreAlikeKeepTheirNames) {
  Workload workload = four_tensors();
  workload.ops = {add("a", 0, 1, 1), add("b", 1, 0, 0)};
  const auto prediction = predict(workload, find_gpu("t4").value(), {.method = Method::rooftile});
  ASSERT_TRUE(prediction) << prediction.error().message;
  ASSERT_EQ(prediction->layers.size(), 2U);
  EXPECT_EQ(prediction->layers[1].name, "b");
  LayerEstimate renamed = prediction->layers[0];
  EXPECT_EQ(renamed.name, "a");
  EXPECT_EQ(renamed.time, prediction->layers[1].time);
  EXPECT_EQ(renamed.flops, prediction->layers[1].flops);
}

}  // namespace
}  // namespace rooftile
