#include "rooftile/learn/layers/layer_model.hpp"

#include <cmath>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rooftile {
namespace {

using testing::HasSubstr;

LayerSample sample(LayerCategory category, LayerDirection direction, double complexity, double time) {
  LayerSample one;
  one.category = category;
  one.direction = direction;
  one.complexity = complexity;
  one.time = Seconds(time);
  one.gpu = "t4";
  return one;
}

double coefficient(const LayerModelFit& fit, const char* equation, std::size_t term) {
  return fit.model.find(equation)->terms.at(term).coefficient;
}

TEST(LayerModel, FindsTheLinesThatMadeTheTimes) {
  std::vector<LayerSample> samples;
  for (const double c : {1e6, 2e7, 3e8, 4e9}) {
    samples.push_back(sample(LayerCategory::conv_fc, LayerDirection::forward, c, 1e-4 + 2e-12 * c));
    samples.push_back(sample(LayerCategory::conv_fc, LayerDirection::backward, c, 3e-4 + 5e-12 * c));
    samples.push_back(sample(LayerCategory::norm, LayerDirection::forward, c, 7e-5 + 1e-11 * c));
  }
  const auto fit = fit_layers(samples);
  ASSERT_TRUE(fit) << fit.error().message;
  EXPECT_EQ(fit->model.equations.size(), 3);
  EXPECT_NEAR(coefficient(*fit, "conv/fc forward", 0), 1e-4, 1e-13);
  EXPECT_NEAR(coefficient(*fit, "conv/fc forward", 1), 2e-12, 1e-21);
  EXPECT_NEAR(coefficient(*fit, "conv/fc backward", 0), 3e-4, 1e-13);
  EXPECT_NEAR(coefficient(*fit, "norm forward", 1), 1e-11, 1e-20);
  const auto score = score_layers(fit->model, samples);
  ASSERT_TRUE(score);
  EXPECT_LT(score->errors.mape, 1e-9);
  EXPECT_NEAR(score->predicted / score->measured, 1, 1e-9);
}

// The fit is of absolute errors, as published: noise of 1 us in every time.
TEST(LayerModel, NoiseIsWithinTheStandardErrors) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> noise(0, 1e-6);
  std::size_t inside = 0;
  constexpr std::size_t kTrials = 200;
  for (std::size_t trial = 0; trial < kTrials; ++trial) {
    std::vector<LayerSample> samples;
    for (int i = 1; i <= 30; ++i) {
      const double c = 1e7 * i;
      samples.push_back(
          sample(LayerCategory::activation, LayerDirection::forward, c, 5e-5 + 1e-12 * c + noise(random)));
    }
    const auto fit = fit_layers(samples);
    ASSERT_TRUE(fit);
    const regression::FittedTerm& slope = fit->model.equations.at(0).terms.at(1);
    inside += std::abs(slope.coefficient - 1e-12) < 2.05 * *slope.standard_error ? 1 : 0;  // t of 28 degrees, 95 %
  }
  EXPECT_NEAR(static_cast<double>(inside) / kTrials, 0.95, 0.045);  // three standard deviations of the share
}

TEST(LayerModel, HeldOutSamplesAreNotSeen) {
  std::vector<LayerSample> samples;
  for (const double c : {1e6, 2e6, 3e6}) {
    samples.push_back(sample(LayerCategory::conv_fc, LayerDirection::forward, c, 1e-9 * c));
  }
  samples.push_back(sample(LayerCategory::conv_fc, LayerDirection::forward, 1e9, 55));
  samples.back().held_out = true;
  const auto fit = fit_layers(samples);
  ASSERT_TRUE(fit);
  EXPECT_NEAR(coefficient(*fit, "conv/fc forward", 1), 1e-9, 1e-15);
  EXPECT_EQ(fit->model.fitted_on.rows, 3);
}

TEST(LayerModel, CategoriesWithoutAModelAreCounted) {
  std::vector<LayerSample> samples;
  for (const double c : {1e6, 2e6, 3e6}) {
    samples.push_back(sample(LayerCategory::conv_fc, LayerDirection::forward, c, 1e-9 * c));
  }
  samples.push_back(sample(LayerCategory::norm, LayerDirection::forward, 1e6, 1));
  const auto fit = fit_layers(samples);
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->too_few, std::vector<std::string>{"norm forward"});
  EXPECT_EQ(score_layers(fit->model, samples)->without_model, 1);
}

TEST(LayerModel, OneGpuAndSomething) {
  std::vector<LayerSample> samples = {sample(LayerCategory::conv_fc, LayerDirection::forward, 1, 1),
                                      sample(LayerCategory::conv_fc, LayerDirection::forward, 2, 2)};
  samples[1].gpu = "k80";
  EXPECT_THAT(fit_layers(samples).error().message, HasSubstr("--where \"gpu = k80\""));
  EXPECT_THAT(fit_layers({}).error().message, HasSubstr("nothing to fit"));
}

}  // namespace
}  // namespace rooftile
