#include "rooftile/learn/networks/network_fit.hpp"

#include <filesystem>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/base/text_file.hpp"
#include "rooftile/learn/networks/network_published.hpp"

namespace rooftile {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

constexpr const char* kHeader = "op,model,gpu,gpus,precision,pass,batch,iterations,time_us\n";

RunRows rows_of_csv(const std::string& csv, bool analytic = false) {
  const MeasuredTable table("t.csv", *parse_layer_table(csv, "t.csv", {.measurements = true}));
  return *run_rows({table}, {.analytic = analytic});
}

NetworkFitOptions beyond(const char* condition, Way way) {
  NetworkFitOptions options;
  options.split = SplitKind::extrapolation;
  options.beyond = *Filter::parse(condition);
  options.ways = {way};
  return options;
}

double coefficient(const NetworkVerdict& verdict, const std::string& term) {
  for (const regression::FittedTerm& one : verdict.fit.equation.terms) {
    if (regression::text_of(one.term) == term) return one.coefficient;
  }
  ADD_FAILURE() << "no term " << term;
  return 0;
}

TEST(FitNetworks, AffineInBatchAndIterationsGoesOnBeyondTheFit) {
  // 2 s + iterations (0.01 s + 0.5 ms a sample).
  std::string csv = kHeader;
  for (const int batch : {8, 16, 32, 64, 128, 256}) {
    for (const int iterations : {100, 300, 500}) {
      csv += fmt::format("network,some,titan-xp,1,fp32,step,{},{},{}\n", batch, iterations,
                         1e6 * (2 + iterations * (0.01 + 0.0005 * batch)));
    }
  }
  const auto fit = fit_networks(rows_of_csv(csv), beyond("batch_size > 64", Way::affine));
  ASSERT_TRUE(fit) << fit.error().text();
  ASSERT_THAT(fit->groups, SizeIs(1));
  const NetworkGroup& group = fit->groups.front();
  EXPECT_EQ(group.training, 12U);
  EXPECT_EQ(group.validation, 6U);
  const NetworkVerdict& verdict = group.verdicts.front();
  EXPECT_NEAR(coefficient(verdict, "1"), 2, 1e-9);
  EXPECT_NEAR(coefficient(verdict, "iterations"), 0.01, 1e-11);
  EXPECT_NEAR(coefficient(verdict, "iterations*batch_size"), 0.0005, 1e-12);
  EXPECT_LT(verdict.validation.mape, 1e-9);
  ASSERT_FALSE(verdict.beyond.empty());
  EXPECT_THAT(verdict.beyond.front().text(), HasSubstr("batch_size is 256, outside the 8 to 64 of the fit"));
}

// A data-parallel step: 0.1 s of arithmetic and 0.03 s for gradients that cross each link.
std::string weak_scaling(const char* model, double step, double ring) {
  std::string csv;
  for (const int gpus : {1, 2, 4, 8}) {
    csv += fmt::format("network,{},titan-xp,{},fp32,step,{},1,{}\n", model, gpus, 32 * gpus,
                       1e6 * (step + ring * (1 - 1.0 / gpus)));
  }
  return csv;
}

TEST(FitNetworks, CommunicationAlongARingIsFoundFromTwoGpus) {
  const std::string csv = kHeader + weak_scaling("one", 0.1, 0.03) + weak_scaling("two", 0.2, 0.01);
  NetworkFitOptions options = beyond("gpus > 2", Way::physics);
  options.by = {"model"};
  const auto fit = fit_networks(rows_of_csv(csv), options);
  ASSERT_TRUE(fit) << fit.error().text();
  ASSERT_THAT(fit->groups, SizeIs(2));
  EXPECT_EQ(fit->groups[1].key.front(), "two");
  for (const NetworkGroup& group : fit->groups) {
    EXPECT_EQ(group.training, 2U);
    EXPECT_LT(group.verdicts.front().validation.mape, 1e-6);
  }
  EXPECT_NEAR(coefficient(fit->groups[0].verdicts.front(), "ring"), 0.03, 1e-6);
  ASSERT_THAT(fit->totals, SizeIs(1));
  EXPECT_EQ(fit->totals.front().groups, 2U);
  EXPECT_EQ(fit->totals.front().validation.rows, 4U);
}

TEST(FitNetworks, HeldOutRowsHaveNoSayInTheFit) {
  const auto coefficients = [](double factor) {
    std::string csv = kHeader;
    for (const int batch : {8, 16, 32, 64, 128}) {
      const double time = 1e3 * (5 + batch) * (batch > 32 ? factor : 1);
      csv += fmt::format("network,some,titan-xp,1,fp32,fwd,{},1,{}\n", batch, time);
    }
    const auto fit = fit_networks(rows_of_csv(csv), beyond("batch > 32", Way::affine));
    return fit->groups.front().verdicts.front().fit.equation;
  };
  EXPECT_EQ(coefficients(1), coefficients(3));
}

TEST(FitNetworks, PublishedWayFindsTheTermThatMadeTheData) {
  // time = 0.5 s x iterations / gpus.
  std::string csv = kHeader;
  for (const int gpus : {1, 2, 4, 8}) {
    for (const int iterations : {100, 200, 400, 800}) {
      csv += fmt::format("network,some,titan-xp,{},fp32,step,64,{},{}\n", gpus, iterations, 5e5 * iterations / gpus);
    }
  }
  const auto fit = fit_networks(rows_of_csv(csv), beyond("gpus > 4", Way::alphabet));
  ASSERT_TRUE(fit) << fit.error().text();
  EXPECT_LT(fit->totals.front().validation.mape, 0.01);
}

TEST(FitNetworks, EveryWayLearnsFromTheWorkOfANetwork) {
  // 1 ms, 1.3 of the arithmetic at peak and 1.1 of the bytes at full bandwidth.
  std::string csv = kHeader;
  const auto add = [&](const char* model, double micros) {
    csv += fmt::format("network,{},titan-xp,1,fp32,fwd,16,1,{}\n", model, micros);
  };
  const std::vector<const char*> models = {"resnet18", "resnet34", "resnet50", "resnet101", "resnet152", "resnet200"};
  for (const char* model : models) add(model, 1);
  const RunRows work = rows_of_csv(csv);
  csv = kHeader;
  for (std::size_t i = 0; i < models.size(); ++i) {
    const Numbers& numbers = work.rows[i].numbers;
    add(models[i], 1e6 * (1e-3 + 1.3 * numbers.at("compute_s") + 1.1 * numbers.at("memory_s")));
  }
  const auto fit = fit_networks(rows_of_csv(csv, true), beyond("depth > 101", Way::physics));
  ASSERT_TRUE(fit) << fit.error().text();
  const NetworkVerdict& verdict = fit->groups.front().verdicts.front();
  EXPECT_NEAR(coefficient(verdict, "compute_s"), 1.3, 1e-4);
  EXPECT_NEAR(coefficient(verdict, "memory_s"), 1.1, 1e-4);
  EXPECT_LT(verdict.validation.mape, 1e-5);
}

TEST(FitNetworks, SplitsOfAllKindsJudgeUnseenRows) {
  std::string csv = kHeader;
  for (int batch = 1; batch <= 40; ++batch) {
    csv += fmt::format("network,some,titan-xp,1,fp32,fwd,{},1,{}\n", batch, 1e3 * (5 + batch));
  }
  NetworkFitOptions options;
  options.ways = {Way::affine};
  options.split = SplitKind::k_fold;
  const auto folds = fit_networks(rows_of_csv(csv), options);
  ASSERT_TRUE(folds);
  EXPECT_EQ(folds->totals.front().validation.rows, 40U);
  EXPECT_EQ(folds->groups.front().verdicts.front().fit.equation.figures.rows, 40U);
  options.split = SplitKind::hold_out;
  const auto held = fit_networks(rows_of_csv(csv), options);
  ASSERT_TRUE(held);
  EXPECT_EQ(held->totals.front().validation.rows, 8U);
  EXPECT_EQ(held->groups.front().training, 32U);
}

TEST(FitNetworks, AModelSaysOnWhichRowsItWasFitted) {
  const std::string csv = kHeader + weak_scaling("one", 0.1, 0.03) + weak_scaling("two", 0.2, 0.01);
  NetworkFitOptions options = beyond("gpus > 2", Way::physics);
  options.by = {"model"};
  const auto fit = fit_networks(rows_of_csv(csv), options);
  ASSERT_TRUE(fit);
  const regression::FittedModel model = fitted_model(*fit, "physics");
  EXPECT_EQ(model.kind, "network");
  EXPECT_EQ(model.fitted_on.rows, 4U);
  EXPECT_THAT(model.fitted_on.gpus, testing::ElementsAre("titan-xp"));
  EXPECT_EQ(model.fitted_on.split, "gpus > 2 held out");
  ASSERT_NE(model.find("two"), nullptr);
  EXPECT_EQ(model.find("three"), nullptr);
}

// Twice the peak rate at the same bandwidth: a network that nobody described has its work in proportion to the batch.
TEST(FitNetworks, AFasterGpuFollowsFromItsPower) {
  std::string csv = kHeader;
  for (const char* gpu : {"p4", "t4", "titan-xp", "v100-sxm2-16gb"}) {
    for (const int batch : {16, 32, 64}) csv += fmt::format("network,some,{},1,fp32,step,{},1,1\n", gpu, batch);
  }
  const RunRows work = rows_of_csv(csv);
  csv = kHeader;
  for (const RunRow& row : work.rows) {
    const double batch = row.numbers.at("batch_size");
    const double time = 1e-3 + 1e10 * batch / row.numbers.at("power") + 2e8 * batch / row.numbers.at("bandwidth");
    csv += fmt::format("network,some,{},1,fp32,step,{},1,{}\n", row.cell("gpu"), batch, 1e6 * time);
  }
  const auto fit = fit_networks(rows_of_csv(csv), beyond("gpu = v100-sxm2-16gb", Way::physics));
  ASSERT_TRUE(fit) << fit.error().text();
  EXPECT_EQ(fit->groups.front().training, 9U);
  EXPECT_LT(fit->totals.front().validation.mape, 1e-6);
}

TEST(FitNetworks, WaysThatDoNotApplySayWhy) {
  std::string csv = kHeader;
  for (const int gpus : {1, 2, 4}) csv += fmt::format("network,some,titan-xp,{},fp32,fwd,32,1,1000\n", gpus);
  NetworkFitOptions options = beyond("gpus > 2", Way::analytic);
  const auto fit = fit_networks(rows_of_csv(csv, true), options);
  ASSERT_TRUE(fit);
  ASSERT_THAT(fit->groups.front().left_out, SizeIs(1));
  EXPECT_EQ(fit->groups.front().left_out.front().where, "analytic");
  EXPECT_THAT(fit->groups.front().left_out.front().message, HasSubstr("not every row has an analytic prediction"));
}

TEST(FitNetworks, ColumnsMustBeThereAndSplitsHaveTwoSides) {
  const RunRows rows = rows_of_csv(std::string(kHeader) + "network,some,titan-xp,1,fp32,fwd,32,1,1000\n");
  const auto unknown = fit_networks(rows, beyond("batch_sise > 3", Way::affine));
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().text(), HasSubstr("did you mean 'batch_size'?"));
  const auto one_side = fit_networks(rows, beyond("batch_size > 64", Way::affine));
  ASSERT_FALSE(one_side);
  EXPECT_THAT(one_side.error().text(), HasSubstr("batch_size > 64"));
}

TEST(PublishedErrors, AreThoseOfTheSeedsTables) {
  std::size_t values = 0;
  for (const PublishedErrors& one : published_errors()) values += one.mape.size();
  EXPECT_EQ(values, 4U * 14 + 12 + 6 * 3 + 4 + 12);
  EXPECT_EQ(published_kind("gpus"), "number of GPUs");
  EXPECT_EQ(published_kind("image_size"), "");
}

// Tables that others measured.
RunRows measured(const std::string& file, const char* where, bool flagged = false) {
  const std::string path = "../shared/measurements/" + file;
  auto table = parse_layer_table(*read_text_file(path), path, {.keep_unsupported = true, .measurements = true});
  RunRowsOptions options;
  options.where = *Filter::parse(where);
  options.flagged = flagged;
  return *run_rows({MeasuredTable(path, std::move(*table))}, options);
}

bool tables_are_here() { return std::filesystem::exists("../shared/measurements"); }

double mape(const NetworkFit& fit, const std::string& way) {
  for (const NetworkTotal& total : fit.totals) {
    if (total.way == way) return total.validation.mape;
  }
  ADD_FAILURE() << "no way " << way;
  return 1;
}

// Titan X (Pascal), Torch7 with two versions of cuDNN and without, three passes: each deeper ResNet within 15 %. Fitted
// to ResNet-18, 34 and 50; measured here 4.6 % (physics) and 3.0 % (analytic).
TEST(MeasuredNetworks, DeeperResnetsFollowFromShallowOnes) {
  if (!tables_are_here()) GTEST_SKIP() << "no ../shared/measurements";
  const RunRows rows = measured("cnn_benchmarks/network.csv", "modules > 0", true);
  NetworkFitOptions options = beyond("depth > 50", Way::physics);
  options.ways.push_back(Way::analytic);
  options.by = {"framework", "pass"};
  const auto fit = fit_networks(rows, options);
  ASSERT_TRUE(fit) << fit.error().text();
  EXPECT_THAT(fit->groups, SizeIs(9));
  EXPECT_EQ(fit->totals.front().validation.rows, 27U);
  for (const NetworkGroup& group : fit->groups) {
    EXPECT_LT(group.verdicts[0].validation.mape, 0.15) << group.key[0] << ' ' << group.key[1];
    EXPECT_LT(group.verdicts[1].validation.mape, 0.15) << group.key[0] << ' ' << group.key[1];
  }
  EXPECT_LT(mape(*fit, "physics"), 0.06);
  EXPECT_LT(mape(*fit, "analytic"), 0.05);
}

// V100 and A100 systems, eight networks, two precisions each. NCF is left out, as the table's provenance asks for.
// Measured here 7.7 % from 1 and 2 GPUs to 4 and 8, 10.1 % from 1, 2 and 4 to 8.
TEST(MeasuredNetworks, EightGpusFollowFromFewer) {
  if (!tables_are_here()) GTEST_SKIP() << "no ../shared/measurements";
  const RunRows rows = measured("lambda/network.csv", "model != ncf");
  EXPECT_EQ(rows.duplicates, 154U);
  for (const char* condition : {"gpus > 2", "gpus > 4"}) {
    NetworkFitOptions options = beyond(condition, Way::physics);
    options.by = {"gpu", "precision", "model"};
    const auto fit = fit_networks(rows, options);
    ASSERT_TRUE(fit) << fit.error().text();
    EXPECT_THAT(fit->groups, SizeIs(32));
    EXPECT_LT(mape(*fit, "physics"), 0.12) << condition;
  }
}

// Dense layers of a TensorFlow session on a 1080 Ti and a P100: batches above 32 from those up to it. Measured here
// 10.1 %.
TEST(MeasuredNetworks, LargerBatchesOfDenseLayersFollowFromSmallerOnes) {
  if (!tables_are_here()) GTEST_SKIP() << "no ../shared/measurements";
  const RunRows rows = measured("justus2018/gemm.csv", "gpu != k80");
  NetworkFitOptions options = beyond("batch_size > 32", Way::physics);
  options.by = {"gpu", "pass"};
  const auto fit = fit_networks(rows, options);
  ASSERT_TRUE(fit) << fit.error().text();
  EXPECT_EQ(fit->totals.front().validation.rows, 1001U);
  EXPECT_LT(mape(*fit, "physics"), 0.12);
}

// Convolutions of the same kind of session on a P100, whose shapes are random: only trees on the analytic prediction
// get below 15 %. Measured here 13.7 %; the published way 83 %.
TEST(MeasuredNetworks, LargerBatchesOfConvolutionsFollowWithTrees) {
  if (!tables_are_here()) GTEST_SKIP() << "no ../shared/measurements";
  if (!regression::has_xgboost()) GTEST_SKIP() << "XGBoost is not installed";
  const RunRows rows = measured("justus2018/conv.csv", "gpu = p100-pcie-16gb and pass = step");
  NetworkFitOptions options = beyond("batch_size > 32", Way::trees);
  options.way.level = 0;  // no interval: a fifth of the time
  const auto fit = fit_networks(rows, options);
  ASSERT_TRUE(fit) << fit.error().text();
  EXPECT_EQ(fit->totals.front().validation.rows, 439U);
  EXPECT_LT(mape(*fit, "trees"), 0.15);
}

}  // namespace
}  // namespace rooftile
