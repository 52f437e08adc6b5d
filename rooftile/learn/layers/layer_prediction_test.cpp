#include "rooftile/learn/layers/layer_prediction.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/learn/builtin_fitted.hpp"
#include "rooftile/learn/layers/layer_model.hpp"
#include "rooftile/zoo/test_network.hpp"
#include "rooftile/zoo/zoo.hpp"

namespace rooftile {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

regression::FittedModel published() { return find_fitted("gianniti-m6000").value(); }

const FittedLayerTime* find(const LayersPrediction& prediction, std::string_view name, LayerDirection direction) {
  for (const FittedLayerTime& layer : prediction.layers) {
    if (layer.name == name && layer.direction == direction) return &layer;
  }
  return nullptr;
}

TEST(BuiltinFitted, EveryFileReads) {
  for (const std::string& name : fitted_names()) {
    const auto model = find_fitted(name);
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->name, name);
  }
  EXPECT_THAT(find_fitted("gianniti-m600").error().message, HasSubstr("gianniti-m6000"));
}

// By hand with the coefficients of the slides, in ms.
TEST(LayerPrediction, LayersOfAlexnetOnTheM6000) {
  const auto prediction = predict_by_layers(published(), zoo_network("alexnet", 64), Phase::fwd_bwd);
  ASSERT_TRUE(prediction) << prediction.error().message;
  EXPECT_EQ(prediction->gpu, "m6000");
  constexpr double kMilli = 1e-3;
  const auto time = [&](const char* name, LayerDirection direction) {
    return find(*prediction, name, direction)->time.value();
  };
  // conv1: 105415200 and 211120800 operations an image
  EXPECT_NEAR(time("conv1", LayerDirection::forward), (0.183 + 3.43e-10 * 105415200 * 64) * kMilli, 1e-12);
  EXPECT_NEAR(time("conv1", LayerDirection::backward), (0.315 + 3.65e-10 * 211120800 * 64) * kMilli, 1e-12);
  EXPECT_NEAR(time("norm1", LayerDirection::backward), (0.101 + 6.87e-9 * 2335300 * 64) * kMilli, 1e-12);
  EXPECT_NEAR(time("pool1", LayerDirection::forward), (0.0144 + 1.45e-8 * 629856 * 64) * kMilli, 1e-12);
  EXPECT_NEAR(time("relu1", LayerDirection::backward), (0.0118 + 1.33e-8 * 1161600 * 64) * kMilli, 1e-12);
  EXPECT_NE(find(*prediction, "drop6", LayerDirection::forward), nullptr);
  Seconds sum;
  for (const FittedLayerTime& layer : prediction->layers) sum += layer.time;
  EXPECT_EQ(prediction->time, sum);
}

TEST(LayerPrediction, WhatHasNoCoefficientsIsListed) {
  const auto inference = predict_by_layers(published(), zoo_network("alexnet", 1));
  ASSERT_TRUE(inference);
  EXPECT_THAT(inference->left_out, ElementsAre(Skipped{"prob", "softmax"}));
  EXPECT_EQ(find(*inference, "drop6", LayerDirection::forward), nullptr);
  const auto training = predict_by_layers(published(), zoo_network("googlenet", 1), Phase::step);
  ASSERT_TRUE(training);
  EXPECT_THAT(training->left_out, Contains(Skipped{"3a/output bwd", "concat"}));
  EXPECT_THAT(training->left_out, Contains(Skipped{"weights", "update"}));
}

TEST(LayerPrediction, WhatItCannotBeFor) {
  EXPECT_THAT(predict_by_layers(published(), zoo_network("alexnet", 1), Phase::bwd_data).error().message,
              HasSubstr("pass bwd"));
  regression::FittedModel model = published();
  model.kind = "network";
  EXPECT_THAT(predict_by_layers(model, zoo_network("alexnet", 1)).error().message, HasSubstr("kind 'network'"));
  model = published();
  model.fitted_on.gpus.clear();
  EXPECT_THAT(predict_by_layers(model, zoo_network("alexnet", 1)).error().message, HasSubstr("one GPU"));
  // No layer of it: that is no time of 0 s.
  model = published();
  for (regression::FittedEquation& equation : model.equations) equation.name = "of nothing";
  EXPECT_THAT(predict_by_layers(model, zoo_network("alexnet", 1)).error().message,
              HasSubstr("covers no layer of this network"));
}

TEST(LayerPrediction, TimesThatAreAllBelowZeroAreNamedAsSuch) {
  regression::FittedModel model = published();
  for (regression::FittedEquation& equation : model.equations) {
    for (auto& term : equation.terms) term.coefficient = -1e-12;
  }
  EXPECT_THAT(predict_by_layers(model, zoo_network("alexnet", 1)).error().message,
              HasSubstr("every layer that it covers a time of zero or less"));
}

TEST(LayerPrediction, ATimeBelowZeroIsInNoSum) {
  regression::FittedModel model = published();
  for (regression::FittedEquation& equation : model.equations) {
    if (equation.name == "pool S>1 forward") equation.terms[0].coefficient = -1;
  }
  const auto prediction = predict_by_layers(model, zoo_network("vgg16", 1));
  ASSERT_TRUE(prediction);
  EXPECT_THAT(prediction->left_out, Contains(Skipped{"pool1", "pool S>1 of a time below zero"}));
  EXPECT_EQ(find(*prediction, "pool1", LayerDirection::forward), nullptr);
}

}  // namespace
}  // namespace rooftile
