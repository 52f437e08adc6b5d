#include "rooftile/report/explain_launch.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/base/units_text.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/predict/refined.hpp"
#include "rooftile/report/report.hpp"

namespace rooftile {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr double kExact = 1e-12;

struct Explained {
  Gpu gpu = find_gpu("titan-xp").value();
  PredictOptions options;
  LayerEstimate layer;
};

// 32 x 128 x 28 x 28 with 3x3 filters to 96 channels.
Explained explained_launch(Pass pass, const std::string& algorithm = "implicit_gemm",
                           const Calibration* calibration = nullptr) {
  Conv conv;
  conv.batch = 32;
  conv.in_channels = 128;
  conv.out_channels = 96;
  conv.axes[1] = conv.axes[2] = {.in = 28, .filter = 3, .pad_begin = 1, .pad_end = 1};
  Explained result;
  result.options = {.method = Method::rooftile, .pass = pass, .calibration = calibration};
  result.options.plan.algorithm = algorithm;
  result.layer = estimate(conv, result.gpu, result.options);
  result.layer.name = "conv1";
  return result;
}

double norm(double power, std::initializer_list<double> terms) {
  double sum = 0;
  for (const double term : terms) sum += std::pow(term, power);
  return std::pow(sum, 1 / power);
}

// The words of the report are the formulas of the model: a change of one that forgets the other ends here.
TEST(ExplainLaunch, TheFormulasInWordsGiveTheTime) {
  for (const Pass pass : {Pass::fwd, Pass::bwd_data, Pass::bwd_weight}) {
    for (const char* algorithm : {"implicit_gemm", "winograd", "winograd_nonfused"}) {
      const Explained it = explained_launch(pass, algorithm);
      const GpuRates rates = refined_model(RefinedOp::conv, it.gpu, it.options)->rates;
      ASSERT_EQ(rates.family, KernelFamily::conv_simt);
      const LaunchPlan& plan = first_plan<RefinedKernel>(it.layer)->plan;
      for (std::size_t i = 0; i < plan.count(); ++i) {
        const Launch launch = plan.launch(i);
        if (launch.ctas == 0) continue;
        const LaunchParts parts = launch_parts(launch, rates);
        const double together = norm(4, {parts.sms.value(), parts.whole.l2.value(), parts.whole.dram.value()});
        EXPECT_NEAR(parts.before_power.value() / together, 1, kExact);
        const double time = norm(8, {together, parts.whole.power.value()}) + parts.whole.atomics.value();
        EXPECT_NEAR(parts.whole.time.value() / time, 1, kExact);

        const double full = std::floor(launch.ctas / (launch.resident * rates.sms));
        const double last = std::ceil((launch.ctas - full * launch.resident * rates.sms) / rates.sms);
        EXPECT_NEAR(parts.whole.compute / (parts.cta * (full * launch.resident + last)), 1, kExact);
        const double power = parts.joules / rates.power.value() - rates.constants[ConvConstant::power_window] * 1e-6;
        EXPECT_NEAR(parts.whole.power.value(), std::max(0.0, power), kExact);
      }
    }
  }
}

TEST(ExplainLaunch, TheSameForGemms) {
  const Gpu gpu = find_gpu("v100-sxm2-16gb").value();
  for (const DType precision : {DType::fp32, DType::fp16}) {
    PredictOptions options{.method = Method::rooftile, .precision = precision};
    options.plan.split_k = 1;
    const LayerEstimate layer = estimate(Gemm{.m = 1024, .n = 768, .k = 3072}, gpu, options);
    const GpuRates rates = refined_model(RefinedOp::gemm, gpu, options)->rates;
    const Launch& launch = first_plan<RefinedKernel>(layer)->plan.main;
    const GemmParts parts = gemm_parts(launch, rates);
    if (rates.family == KernelFamily::tensor) {
      const double time = norm(4, {parts.sms.value(), parts.whole.dram.value()}) + parts.whole.atomics.value();
      EXPECT_NEAR(parts.before_power.value() / time, 1, kExact);
      EXPECT_GE(parts.whole.time, parts.before_power);
    } else {
      const double together = norm(4, {parts.sms.value(), parts.whole.l2.value(), parts.whole.dram.value()});
      constexpr double kClock = 1e-4;  // a clock without a cap is 0.9999 of its boost
      EXPECT_NEAR(parts.before_power.value() / together, 1, kClock);
      EXPECT_GE(parts.whole.time, parts.before_power);
    }
    EXPECT_THAT(explain_report(layer, gpu, options), HasSubstr("Constants of "));
  }
}

TEST(ExplainLaunch, ConstantsThatCountAndNoOthers) {
  const Explained it = explained_launch(Pass::fwd);
  const RefinedModel model = *refined_model(RefinedOp::conv, it.gpu, it.options);
  const Section section = constants_section("Constants", first_plan<RefinedKernel>(it.layer)->plan, model.rates);
  std::vector<std::string> names;
  for (const Section::Row& row : section.rows) names.push_back(row.cells.front().text);
  EXPECT_THAT(names, Contains("l2_efficiency"));
  EXPECT_THAT(names, Not(Contains("winograd_efficiency")));
  EXPECT_THAT(names, Not(Contains("atomics")));
  EXPECT_THAT(section.rows.front().cells[3].text, HasSubstr("% time"));
}

TEST(ExplainRefined, MarksThePlanOfThePrediction) {
  for (const char* algorithm : {"implicit_gemm", "winograd_nonfused"}) {
    for (const Pass pass : {Pass::fwd, Pass::bwd_data, Pass::bwd_weight}) {
      const Explained it = explained_launch(pass, algorithm);
      const std::string text = explain_report(it.layer, it.gpu, it.options);
      const std::string plans = text.substr(text.find("Plans"), text.find("Kernel 1") - text.find("Plans"));
      EXPECT_EQ(std::count(plans.begin(), plans.end(), '*'), 2) << plans;  // the title and one row
      EXPECT_THAT(plans, HasSubstr(algorithm));
      EXPECT_THAT(text, HasSubstr(fmt::format("limited by {}", name_of(it.layer.bottleneck))));
      EXPECT_THAT(text, HasSubstr(fmt::format("{} *", name_of(it.layer.bottleneck))));
      EXPECT_THAT(text, HasSubstr(print(it.layer.time)));
    }
  }
}

TEST(ExplainRefined, SaysWhereTheConstantsWereFitted) {
  EXPECT_THAT(explain_report(explained_launch(Pass::fwd).layer, find_gpu("titan-xp").value(),
                             {.method = Method::rooftile, .calibration = nullptr}),
              HasSubstr("Constants of "));
  Calibration calibration;
  EXPECT_THAT(explain_report(explained_launch(Pass::fwd, "implicit_gemm", &calibration).layer,
                             find_gpu("titan-xp").value(), {.method = Method::rooftile, .calibration = &calibration}),
              HasSubstr("starting values"));
  CalibrationEntry entry;
  entry.constants = unfitted_constants(entry.family);
  entry.scope = "titan-xp";
  entry.data = "a table";
  entry.date = "2026-01-02";
  entry.rows = 77;
  entry.gmae = 0.05;
  entry.spread = Spread{0.9, 1.2};
  calibration.entries = {entry};
  const Explained it = explained_launch(Pass::fwd, "implicit_gemm", &calibration);
  const std::string text = explain_report(it.layer, it.gpu, it.options);
  EXPECT_THAT(text, HasSubstr("fitted to titan-xp itself"));
  EXPECT_THAT(text, HasSubstr("77 rows of a table; 2026-01-02"));
  EXPECT_THAT(text, HasSubstr("5.0 %"));
  EXPECT_THAT(text, HasSubstr("x 0.9 to 1.2"));
}

}  // namespace
}  // namespace rooftile
