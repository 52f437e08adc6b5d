#include "rooftile/report/fit_network.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
  EXPECT_THAT(text, HasSubstr("batch_size is 256, outside of the 8 to 64 of the fit"));
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

}  // namespace
}  // namespace rooftile
