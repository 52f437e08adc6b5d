#include "rooftile/learn/fitted_validation.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/learn/builtin_fitted.hpp"
#include "rooftile/learn/grey_box/grey_box.hpp"
#include "rooftile/learn/networks/network_fit.hpp"

namespace rooftile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

std::vector<MeasuredTable> tables_of(const std::string& csv) {
  std::vector<MeasuredTable> tables;
  tables.emplace_back("t.csv", *parse_layer_table(csv, "t.csv", {.keep_unsupported = true, .measurements = true}));
  return tables;
}

constexpr const char* kRuns = "op,model,gpu,gpus,precision,pass,batch,time_us,flag\n";

// 10 ms and 1 ms a sample on one GPU, twice that on the other.
std::string runs() {
  std::string csv = kRuns;
  for (const int batch : {8, 16, 32, 64}) {
    csv += fmt::format("network,alexnet,titan-xp,1,fp32,fwd,{},{},\n", batch, 1e4 + 1e3 * batch);
    csv += fmt::format("network,alexnet,t4,1,fp32,fwd,{},{},\n", batch, 2e4 + 2e3 * batch);
  }
  return csv;
}

regression::FittedModel model_of_runs() {
  NetworkFitOptions options;
  options.by = {"gpu"};
  options.split = SplitKind::none;
  options.ways = {Way::affine};
  return fitted_model(*fit_networks(*run_rows(tables_of(runs()), {}), options), "affine");
}

TEST(ValidateFitted, RunsAreJudgedByTheEquationOfTheirGroup) {
  std::string csv = kRuns;
  csv += "network,alexnet,titan-xp,1,fp32,fwd,24,34000,\n";         // as the fit says
  csv += "network,alexnet,t4,1,fp32,fwd,24,34000,\n";               // half of what the fit says
  csv += "network,alexnet,t4,1,fp32,fwd,256,1,clock locked low\n";  // flagged
  csv += "network,alexnet,p100-pcie-16gb,1,fp32,fwd,24,1,\n";       // of no group
  const auto result = validate_fitted(model_of_runs(), tables_of(csv), {.by = {"gpu"}});
  ASSERT_TRUE(result) << result.error().text();
  const Validation& validation = result->validation;
  ASSERT_THAT(validation.groups, SizeIs(2));
  EXPECT_THAT(validation.groups[0].key, ElementsAre("t4"));
  EXPECT_NEAR(validation.groups[0].score.ratio, 2, 1e-6);
  EXPECT_NEAR(validation.groups[1].score.ratio, 1, 1e-6);
  EXPECT_EQ(validation.overall.front().score.rows, 2U);
  ASSERT_THAT(validation.left_out, SizeIs(2));
  EXPECT_EQ(validation.left_out[0].reason, "flagged");
  EXPECT_THAT(validation.left_out[1].reason, HasSubstr("no group of gpu p100-pcie-16gb"));
  EXPECT_EQ(result->rows.front().place, "t.csv:2");
  EXPECT_FALSE(result->rows.front().beyond);

  const auto flagged = validate_fitted(model_of_runs(), tables_of(csv), {.flagged = true});
  EXPECT_EQ(flagged->validation.overall.front().score.rows, 3U);
  EXPECT_TRUE(flagged->rows.back().beyond);
  const auto filtered =
      validate_fitted(model_of_runs(), tables_of(csv), {.where = *Filter::parse("gpu = t4 and power > 1e12")});
  EXPECT_EQ(filtered->validation.overall.front().score.rows, 1U);
}

TEST(ValidateFitted, LayersOfNetworksAreJudgedByThePublishedLines) {
  const std::string csv =
      "op,model,gpu,framework,precision,pass,batch,image_size,layer,type,K,R,stride_h,pad_h,time_us,flag\n"
      "network_layer,small,m6000,Caffe,fp32,fwd,8,32,conv1,convolution,16,3,1,1,240,\n"
      "network_layer,small,m6000,Caffe,fp32,fwd,8,32,odd1,unheard_of,,,,,10,\n";
  const auto result = validate_fitted(*find_fitted("gianniti-m6000"), tables_of(csv), {.by = {"model", "pass"}});
  ASSERT_TRUE(result) << result.error().text();
  ASSERT_THAT(result->rows, SizeIs(1));
  EXPECT_THAT(result->rows.front().row.key, ElementsAre("small", "fwd"));
  // 0.183 ms and 3.43e-10 ms of each of 3x3x3x16 operations at 32x32 positions of 8 images.
  EXPECT_NEAR(result->rows.front().row.values.predicted, 0.183e-3 + 3.43e-13 * 432 * 1024 * 8, 1e-9);
  ASSERT_THAT(result->validation.left_out, SizeIs(1));
  EXPECT_EQ(result->validation.left_out.front().rows, 1U);
}

TEST(ValidateFitted, AGreyBoxJudgesConvolutionsAndCountsTheRest) {
  std::string csv = "op,gpu,pass,N,C,H,W,K,R,S,pad_h,pad_w,stride_h,stride_w,kind,rows,columns,time_us\n";
  for (const int batch : {8, 16, 32, 64}) {
    csv += fmt::format("conv,titan-xp,fwd,{},64,28,28,64,3,3,1,1,1,1,,,,{}\n", batch, 100 + 10 * batch);
  }
  const auto model = fit_grey_box(*grey_box_rows(tables_of(csv)), {.name = "box"});
  ASSERT_TRUE(model) << model.error().text();
  csv += "stream,titan-xp,fwd,,,,,,,,,,,,softmax,64,1000,5\n";
  csv += "conv,titan-xp,fwd,8,64,28,28,64,3,3,1,1,1,1,,,,\n";
  const auto result = validate_fitted(*model, tables_of(csv), {});
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(result->validation.overall.front().score.rows, 4U);
  ASSERT_THAT(result->validation.left_out, SizeIs(2));
  EXPECT_THAT(result->validation.left_out[0].reason, HasSubstr("stream rows"));
  EXPECT_EQ(result->validation.left_out[1].reason, "without a time");
  EXPECT_THAT(validate_fitted(*model, tables_of(csv), {.where = *Filter::parse("op = stream")}).error().message,
              HasSubstr("stream rows"));
}

// Of a pass or an operation that the fit had not there is only the analytic model, which is not what is judged.
TEST(ValidateFitted, AGreyBoxLeavesOutPassesAndOperationsOfNoRowOfItsFit) {
  const std::string header = "op,gpu,pass,N,C,H,W,K,R,S,pad_h,pad_w,stride_h,stride_w,M,time_us\n";
  std::string csv = header;
  for (const int batch : {8, 16, 32, 64}) {
    csv += fmt::format("conv,titan-xp,fwd,{},64,28,28,64,3,3,1,1,1,1,,{}\n", batch, 100 + 10 * batch);
  }
  const auto model = fit_grey_box(*grey_box_rows(tables_of(csv)), {.name = "box"});
  ASSERT_TRUE(model) << model.error().text();
  const std::string others =
      "conv,titan-xp,bwd,8,64,28,28,64,3,3,1,1,1,1,,300\n"
      "conv,titan-xp,bwd,16,64,28,28,64,3,3,1,1,1,1,,500\n"
      "gemm,titan-xp,fwd,64,64,,,64,,,,,,,64,20\n";
  std::string both = csv;
  both += others;
  const auto result = validate_fitted(*model, tables_of(both), {});
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(result->validation.overall.front().score.rows, 4U);
  ASSERT_THAT(result->validation.left_out, SizeIs(2));
  EXPECT_EQ(result->validation.left_out[0].reason, "conv bwd rows, which the fit did not include");
  EXPECT_EQ(result->validation.left_out[0].rows, 2U);
  EXPECT_EQ(result->validation.left_out[1].reason, "gemm fwd rows, which the fit did not include");
  const auto none = validate_fitted(*model, tables_of(header + others), {});
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("no row to compare; left out: conv bwd rows"));
}

TEST(ValidateFitted, RunsOfAPassThatTheFitHadNotAreLeftOut) {
  std::string csv = kRuns;
  csv += "network,alexnet,titan-xp,1,fp32,fwd,24,34000,\n";
  csv += "network,alexnet,titan-xp,1,fp32,step,24,34000,\n";
  const auto result = validate_fitted(model_of_runs(), tables_of(csv), {});
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_THAT(result->rows, SizeIs(1));
  ASSERT_THAT(result->validation.left_out, SizeIs(1));
  EXPECT_EQ(result->validation.left_out.front().reason, "step rows, which the fit did not include");

  auto silent = model_of_runs();  // a fit that does not say its passes
  silent.fitted_on.passes.clear();
  EXPECT_THAT(validate_fitted(silent, tables_of(csv), {})->rows, SizeIs(2));
}

// They are judged, for one may hold a GPU out, but not as rows of the fit.
TEST(ValidateFitted, RowsOfOtherGpusAndPrecisionsAreBeyondTheFit) {
  auto runs_model = model_of_runs();
  std::erase_if(runs_model.equations, [](const auto& equation) { return equation.group.front().cell != "titan-xp"; });
  ASSERT_THAT(runs_model.equations, SizeIs(1));
  runs_model.equations.front().group.clear();  // of any GPU
  std::string csv = kRuns;
  csv += "network,alexnet,titan-xp,1,fp32,fwd,24,34000,\n";
  csv += "network,alexnet,k80,1,fp32,fwd,24,34000,\n";
  csv += "network,alexnet,titan-xp,1,fp16,fwd,24,34000,\n";
  const auto runs_result = validate_fitted(runs_model, tables_of(csv), {});
  ASSERT_TRUE(runs_result) << runs_result.error().text();
  ASSERT_THAT(runs_result->rows, SizeIs(3));
  EXPECT_FALSE(runs_result->rows[0].beyond);
  EXPECT_TRUE(runs_result->rows[1].beyond);
  EXPECT_TRUE(runs_result->rows[2].beyond);
  EXPECT_EQ(runs_result->other_gpus.rows, 1U);
  EXPECT_THAT(runs_result->other_gpus.names, ElementsAre("k80"));
  EXPECT_THAT(runs_result->other_precisions.names, ElementsAre("fp16"));

  const std::string convs =
      "op,gpu,precision,pass,N,C,H,W,K,R,S,pad_h,pad_w,stride_h,stride_w,time_us\n"
      "conv,m6000,fp32,fwd,8,64,28,28,64,3,3,1,1,1,1,300\n"
      "conv,t4,fp16,fwd,8,64,28,28,64,3,3,1,1,1,1,300\n";
  const auto layers = validate_fitted(*find_fitted("gianniti-m6000"), tables_of(convs), {});
  ASSERT_TRUE(layers) << layers.error().text();
  ASSERT_THAT(layers->rows, SizeIs(2));
  EXPECT_TRUE(layers->rows[1].beyond);
  EXPECT_EQ(layers->other_gpus.rows, 1U);
  EXPECT_EQ(layers->other_precisions.rows, 1U);

  std::string measured = "op,gpu,precision,pass,N,C,H,W,K,R,S,pad_h,pad_w,stride_h,stride_w,time_us\n";
  for (const int batch : {8, 16, 32, 64}) {
    measured += fmt::format("conv,t4,fp32,fwd,{},64,28,28,64,3,3,1,1,1,1,{}\n", batch, 100 + 10 * batch);
  }
  const auto box = fit_grey_box(*grey_box_rows(tables_of(measured)), {.name = "box"});
  ASSERT_TRUE(box) << box.error().text();
  measured += "conv,titan-xp,fp32,fwd,8,64,28,28,64,3,3,1,1,1,1,300\n";
  const auto judged = validate_fitted(*box, tables_of(measured), {});
  ASSERT_TRUE(judged) << judged.error().text();
  EXPECT_THAT(judged->other_gpus.names, ElementsAre("titan-xp"));
  EXPECT_TRUE(judged->rows.back().beyond);
}

TEST(ValidateFitted, NoRowsAreNothingToCompareWhateverTheKind) {
  regression::FittedModel grey_box;
  grey_box.kind = kGreyBoxKind;
  for (const regression::FittedModel& model : {model_of_runs(), *find_fitted("gianniti-m6000"), grey_box}) {
    const auto result = validate_fitted(model, tables_of(kRuns), {});
    ASSERT_FALSE(result) << model.kind;
    EXPECT_EQ(result.error().message, "no row to compare") << model.kind;
  }
}

TEST(ValidateFitted, UnknownColumnsAndKindsAreErrors) {
  EXPECT_THAT(validate_fitted(model_of_runs(), tables_of(runs()), {.by = {"gup"}}).error().text(), HasSubstr("gpu"));
  EXPECT_THAT(validate_fitted(*find_fitted("gianniti-m6000"), tables_of(runs()), {.by = {"gup"}}).error().text(),
              HasSubstr("--by"));
  auto odd = model_of_runs();
  odd.kind = "odd";
  EXPECT_THAT(validate_fitted(odd, tables_of(runs()), {}).error().message, HasSubstr("kind 'odd'"));
}

}  // namespace
}  // namespace rooftile
