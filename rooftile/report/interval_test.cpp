#include "rooftile/report/interval.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "rooftile/report/report.hpp"

namespace rooftile {
namespace {

using nlohmann::json;
using testing::HasSubstr;

LayerEstimate layer(Method method, double ms, double low, double high) {
  constexpr double kMilli = 1e-3;
  LayerEstimate result;
  result.name = "layer";
  result.op = "conv";
  result.method = method;
  result.time = Seconds(ms * kMilli);
  result.cases[result.bottleneck] = result.time;
  if (low > 0) result.time_low = Seconds(low * kMilli);
  if (high > 0) result.time_high = Seconds(high * kMilli);
  return result;
}

Prediction of(const std::vector<LayerEstimate>& layers) {
  Prediction prediction;
  prediction.layers = layers;
  for (const LayerEstimate& each : layers) prediction.time += each.time;
  return prediction;
}

TEST(Interval, OneUnitAndThreeDigits) {
  EXPECT_EQ(print(Seconds(0.2855), std::nullopt), "285.5 ms");
  EXPECT_EQ(print(Seconds(0.2855), Interval{Seconds(0.2612), Seconds(0.3099)}), "285.5 ms (261 to 310)");
  EXPECT_EQ(print(Seconds(9.5e-6), Interval{Seconds(8.766e-6), Seconds(11e-6)}), "9.5 us (8.77 to 11)");
  EXPECT_EQ(print(Seconds(0.99), Interval{Seconds(0.9), Seconds(1.2345)}), "990 ms (900 to 1,235)");
  EXPECT_EQ(print(Seconds(2), Interval{Seconds(0), Seconds(3)}), "2 s (0 to 3)");
}

// Errors of 10 to 13 and 20 to 21 in 35 ms, nothing of them common: their squares add up.
TEST(Interval, OfAPredictionJoinsTheErrorsOfItsLayers) {
  const Prediction prediction =
      of({layer(Method::rooftile, 10, 8, 13), layer(Method::rooftile, 20, 18, 21), layer(Method::stream, 5, 0, 0)});
  const auto interval = interval_of(prediction);
  ASSERT_TRUE(interval);
  const auto error = [](double first, double second) {
    return std::hypot(10 * std::log(first / 10), 20 * std::log(second / 20)) / 35;
  };
  EXPECT_NEAR(interval->low.value(), 0.035 * std::exp(-error(8, 18)), 1e-12);
  EXPECT_NEAR(interval->high.value(), 0.035 * std::exp(error(13, 21)), 1e-12);
  EXPECT_THAT(table_report(prediction), HasSubstr("35 ms (32.1 to 37.9)"));
  EXPECT_THAT(table_report(prediction), HasSubstr("90 %, from the errors of 2 layers"));
  const json report = json::parse(json_report(std::vector{prediction}));
  EXPECT_NEAR(report["time_low_s"].get<double>(), interval->low.value(), 1e-9);
  EXPECT_DOUBLE_EQ(report["layers"][0]["time_high_s"].get<double>(), 0.013);
  EXPECT_FALSE(report["layers"][2].contains("time_low_s"));
}

TEST(Interval, WhatLayersShareAddsUpAndEqualLayersAreOne) {
  const auto of_common = [](double common, double second) {
    Prediction prediction = of({layer(Method::rooftile, 10, 8, 13), layer(Method::rooftile, second, 8, 13)});
    for (LayerEstimate& one : prediction.layers) one.common_error = common;
    return interval_of(prediction)->high / prediction.time;
  };
  EXPECT_NEAR(of_common(1, 10), 1.3, 1e-12) << "equal layers";
  EXPECT_LT(of_common(1, 10.5), 1.3);
  EXPECT_NEAR(of_common(1.3, 10.0001), 1.3, 1e-4) << "all of it is common";
}

TEST(Interval, NoneWhereNoLayerHasOne) {
  const Prediction prediction = of({layer(Method::roofline, 10, 0, 0), layer(Method::stream, 5, 0, 0)});
  EXPECT_FALSE(interval_of(prediction));
  EXPECT_THAT(table_report(prediction), HasSubstr("interval      none: method delta has none\n"));
  EXPECT_FALSE(json::parse(json_report(std::vector{prediction})).contains("time_low_s"));
}

TEST(Interval, WhatHasNoneSaysWhy) {
  Prediction prediction = of({layer(Method::rooftile, 10, 8, 13), layer(Method::rooftile, 30, 0, 0)});
  prediction.method = "rooftile";
  prediction.layers[1].family = KernelFamily::conv_simt;
  prediction.layers[1].no_interval = NoInterval::precision;
  EXPECT_EQ(why_no_interval(prediction),
            "layers taking 75 % of the time have none: the conv_simt constants were fitted at other precisions");
  prediction.layers[0].time *= 4;
  EXPECT_EQ(why_no_interval(prediction), "");
  EXPECT_THAT(table_report(prediction), HasSubstr("one (the conv_simt constants were fitted"));
}

TEST(Interval, CasesOfTheMethod) {
  const auto cases = [](Method method) {
    return json::parse(json_report(std::vector{of({layer(method, 1, 0, 0)})}))["layers"][0]["cases_s"];
  };
  EXPECT_TRUE(cases(Method::rooftile).contains("power"));
  EXPECT_TRUE(cases(Method::rooftile).contains("launch"));
  EXPECT_TRUE(cases(Method::stream).contains("launch"));
  EXPECT_FALSE(cases(Method::stream).contains("power"));
  EXPECT_EQ(cases(Method::delta).size(), 6U);
}

}  // namespace
}  // namespace rooftile
