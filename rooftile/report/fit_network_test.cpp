#include "rooftile/report/fit_network.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "rooftile/base/test_json_schema.hpp"

namespace rooftile {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// 10 ms + 1 ms a sample, in two groups; one row twice.
RunRows rows() {
  std::string csv = "op,model,gpu,precision,pass,batch,framework,time_us\n";
  for (const char* framework : {"one", "two"}) {
    for (const int batch : {8, 16, 24, 32, 48, 64, 128, 256}) {
      csv += fmt::format("network,some,titan-xp,fp32,fwd,{},{},{}\n", batch, framework, 1000 * (10 + batch));
    }
  }
  csv += "network,some,titan-xp,fp32,fwd,8,one,18000\n";
  const MeasuredTable table("t.csv", *parse_layer_table(csv, "t.csv", {.measurements = true}));
  return *run_rows({table}, {.analytic = false});
}

NetworkFitOptions beyond(const char* condition) {
  NetworkFitOptions options;
  options.split = SplitKind::extrapolation;
  options.beyond = *Filter::parse(condition);
  options.by = {"framework"};
  options.ways = {Way::affine, Way::analytic};
  return options;
}

TEST(NetworkFitReport, SaysRowsErrorsAndCoefficientsWithWarnings) {
  const auto fit = fit_networks(rows(), beyond("batch_size > 64"));
  ASSERT_TRUE(fit) << fit.error().text();
  const std::string text = network_fit_report(*fit, rows(), true);
  EXPECT_THAT(text, HasSubstr("16 rows, 1 repeated and counted once; batch_size > 64 held out"));
  EXPECT_THAT(text, HasSubstr("standard error"));
  EXPECT_THAT(text, HasSubstr("batch_size is 256, outside the 8 to 64 of the fit"));
  EXPECT_THAT(text, HasSubstr("one: analytic left out: not every row has an analytic prediction"));
  EXPECT_THAT(text, HasSubstr("affine           2      12         4  0.0 %"));
}

TEST(NetworkFitReport, SetsPublishedErrorsOfTheSameExtrapolationBeside) {
  const auto fit = fit_networks(rows(), beyond("batch_size > 64"));
  ASSERT_TRUE(fit);
  EXPECT_THAT(network_fit_report(*fit, rows(), false),
              AllOf(HasSubstr("batch size, ResNet-50, PyTorch: MAPE 0.8 % to 20.6 %"), HasSubstr("is not public"),
                    Not(HasSubstr("inner modules"))));
  NetworkFitOptions folds = beyond("batch_size > 64");
  folds.split = SplitKind::k_fold;
  folds.beyond.reset();
  EXPECT_THAT(network_fit_report(*fit_networks(rows(), folds), rows(), false), Not(HasSubstr("Published")));
}

TEST(NetworkFitReport, JsonHasEveryFitAndThePlotEveryRowHeldOut) {
  const auto fit = fit_networks(rows(), beyond("batch_size > 64"));
  ASSERT_TRUE(fit);
  const auto json = nlohmann::json::parse(network_fit_json(*fit, rows()));
  EXPECT_TRUE(fits_schema(json, "network-fit-1.json"));
  auto other = json;
  other["groups"][0]["ways"][0]["held_out"].erase("mape");
  EXPECT_FALSE(fits_schema(other, "network-fit-1.json"));
  EXPECT_EQ(json["repeated"], 1);
  ASSERT_EQ(json["groups"].size(), 2U);
  const auto& group = json["groups"][0];
  EXPECT_EQ(group["key"]["framework"], "one");
  EXPECT_EQ(group["ways"][0]["equation"]["terms"][1]["term"], "batch_size");
  EXPECT_NEAR(group["ways"][0]["equation"]["terms"][1]["coefficient"].get<double>(), 1e-3, 1e-12);
  EXPECT_EQ(group["ways"][0]["held_out"]["rows"], 2);
  EXPECT_EQ(group["left_out"][0]["way"], "analytic");
  EXPECT_EQ(json["overall"][0]["held_out"]["rows"], 4);

  const FittedPoints points = fitted_points(*fit);
  EXPECT_EQ(points.title, "batch_size > 64 held out");
  EXPECT_THAT(points.measured, testing::Pointwise(testing::DoubleEq(), {0.138, 0.266, 0.138, 0.266}));
  EXPECT_EQ(points.groups.back(), "two");
}

}  // namespace
}  // namespace rooftile
