#include "rooftile/learn/grey_box/grey_box.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "rooftile/base/text_file.hpp"
#include "rooftile/learn/compare_models.hpp"
#include "rooftile/learn/grey_box/columns.hpp"
#include "rooftile/learn/grey_box/curve.hpp"
#include "rooftile/learn/grey_box/physics.hpp"
#include "rooftile/regression/errors.hpp"
#include "rooftile/regression/fitted_json.hpp"
#include "rooftile/regression/split.hpp"
#include "rooftile/regression/trees.hpp"

namespace rooftile {
namespace {

std::vector<MeasuredTable> tables_of(const std::string& csv, const std::string& name) {
  auto table = parse_layer_table(csv, name, {.measurements = true});
  EXPECT_TRUE(table) << table.error().text();
  std::vector<MeasuredTable> tables;
  if (table) tables.emplace_back(name, std::move(*table));
  return tables;
}

// Products of random sizes on some GPUs; their times are set by the test.
std::vector<MeasuredTable> made_tables(const std::vector<std::string>& gpus, int rows) {
  std::mt19937 random(7);
  std::string csv = "op,gpu,pass,M,N,K,time_us\n";
  const auto size = [&](double low, double high) {
    const double share = static_cast<double>(random()) / static_cast<double>(std::mt19937::max());
    return static_cast<int>(low * std::pow(high / low, share));
  };
  for (int row = 0; row < rows; ++row) {
    csv += fmt::format("gemm,{},fwd,{},{},{},1\n", gpus[static_cast<std::size_t>(row) % gpus.size()], size(8, 512),
                       size(64, 4096), size(64, 4096));
  }
  return tables_of(csv, "made.csv");
}

double cell(const GreyBoxRows& rows, std::size_t row, const char* column) {
  return rows.table.values(row, *rows.table.find(column));
}

// A harness of 120 us, kernels that take half as long again as the analytic model says, longer for narrow products,
// and noise.
GreyBoxRows made_rows(const std::vector<MeasuredTable>& tables, double noise) {
  GreyBoxRows rows = *grey_box_rows(tables);
  std::mt19937 random(11);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    double scatter = 0;  // of twelve uniform numbers: nearly normal, and the same on every machine
    for (int i = 0; i < 12; ++i) scatter += static_cast<double>(random()) / static_cast<double>(std::mt19937::max());
    const double narrow = cell(rows, row, "batch") < 64 ? 1.3 : 1;
    rows.seconds[row] = (120e-6 + 1.5 * cell(rows, row, "fwd_s")) * narrow * std::exp(noise * (scatter - 6));
  }
  return rows;
}

std::vector<double> values_of(const std::vector<regression::Predicted>& predicted) {
  std::vector<double> values;
  for (const regression::Predicted& one : predicted) values.push_back(one.value);
  return values;
}

regression::Split half(const GreyBoxRows& rows) { return *regression::hold_out(rows.size(), 0.5, 3, rows.shapes); }

TEST(GreyBox, FindsHarnessFactorAndShape) {
  const auto tables = made_tables({"p100-pcie-16gb", "gtx-1080-ti"}, 600);
  const GreyBoxRows rows = made_rows(tables, 0);
  const regression::Split split = half(rows);
  const GreyBoxRows seen = rows_of(rows, split.training), unseen = rows_of(rows, split.validation);
  const auto model = fit_grey_box(seen, {.other_gpus = false});
  ASSERT_TRUE(model) << model.error().text();
  const auto predicted = predict_grey_box(*model, unseen);
  ASSERT_TRUE(predicted) << predicted.error().text();
  const regression::Errors errors = regression::errors_of(unseen.seconds, values_of(*predicted));
  EXPECT_LT(*errors.gmae, regression::has_xgboost() ? 0.03 : 0.12);
  std::vector<double> analytic;
  for (std::size_t row = 0; row < unseen.size(); ++row) analytic.push_back(cell(unseen, row, "analytic_s"));
  EXPECT_GT(*regression::errors_of(unseen.seconds, analytic).gmae, 0.8);
}

TEST(GreyBox, StaysWithTheAnalyticModelWhereRowsAreFew) {
  const auto tables = made_tables({"p100-pcie-16gb"}, 40);
  GreyBoxRows rows = *grey_box_rows(tables);
  for (std::size_t row = 0; row < rows.size(); ++row) rows.seconds[row] = cell(rows, row, "analytic_s");
  const auto model = fit_grey_box(rows_of(rows, {0, 1, 2}));
  ASSERT_TRUE(model) << model.error().text();
  const auto predicted = predict_grey_box(*model, rows);
  ASSERT_TRUE(predicted) << predicted.error().text();
  EXPECT_LT(*regression::errors_of(rows.seconds, values_of(*predicted)).gmae, 0.15);
  EXPECT_FALSE(predicted->front().low);  // three rows say nothing of the spread

  // One row that took five times as long moves the others by less than half.
  const std::vector<double> analytic = rows.seconds;
  rows.seconds[0] *= 5;
  const auto moved = fit_grey_box(rows_of(rows, {0}));
  ASSERT_TRUE(moved) << moved.error().text();
  const auto values = predict_grey_box(*moved, rows);
  ASSERT_TRUE(values) << values.error().text();
  EXPECT_LT(*regression::errors_of(analytic, values_of(*values)).gmae, 0.5);
}

TEST(GreyBox, TransfersToAGpuThatItHasNotSeen) {
  const auto tables = made_tables({"p100-pcie-16gb", "gtx-1080-ti", "k80"}, 600);
  const GreyBoxRows rows = made_rows(tables, 0);
  const auto splits = *regression::leave_one_group_out(rows.gpus);
  const GreyBoxRows seen = rows_of(rows, splits[2].training), unseen = rows_of(rows, splits[2].validation);
  ASSERT_EQ(unseen.gpus.front(), "k80");
  const auto model = fit_grey_box(seen, {.known_gpus = false});
  ASSERT_TRUE(model) << model.error().text();
  EXPECT_TRUE(knows(*model, seen, 0));
  EXPECT_FALSE(knows(*model, unseen, 0));
  const auto predicted = predict_grey_box(*model, unseen);
  ASSERT_TRUE(predicted) << predicted.error().text();
  EXPECT_LT(*regression::errors_of(unseen.seconds, values_of(*predicted)).gmae, 0.15);
}

TEST(GreyBox, ItsIntervalHoldsNineOfTenRows) {
  const auto tables = made_tables({"p100-pcie-16gb", "gtx-1080-ti"}, 1200);
  const GreyBoxRows rows = made_rows(tables, 0.1);
  const regression::Split split = half(rows);
  const GreyBoxRows unseen = rows_of(rows, split.validation);
  const auto model = fit_grey_box(rows_of(rows, split.training), {.other_gpus = false});
  ASSERT_TRUE(model) << model.error().text();
  const auto predicted = predict_grey_box(*model, unseen);
  ASSERT_TRUE(predicted) << predicted.error().text();
  double inside = 0;
  for (std::size_t row = 0; row < unseen.size(); ++row) {
    const regression::Predicted& one = (*predicted)[row];
    ASSERT_TRUE(one.low && one.high);
    if (*one.low <= unseen.seconds[row] && unseen.seconds[row] <= *one.high) ++inside;
  }
  EXPECT_NEAR(inside / static_cast<double>(unseen.size()), 0.9, 0.045);  // 600 rows: three deviations are 0.037
}

TEST(GreyBox, WarnsBeyondTheSizesOfTheFit) {
  const auto tables = made_tables({"p100-pcie-16gb"}, 100);
  const auto model = fit_grey_box(made_rows(tables, 0), {.other_gpus = false});
  ASSERT_TRUE(model) << model.error().text();
  const auto beyond = tables_of("op,gpu,pass,M,N,K\ngemm,p100-pcie-16gb,fwd,8192,256,256\n", "beyond.csv");
  const auto rows = grey_box_rows(beyond, {.measured = false});
  ASSERT_TRUE(rows) << rows.error().text();
  const auto predicted = predict_grey_box(*model, *rows);
  ASSERT_TRUE(predicted) << predicted.error().text();
  ASSERT_EQ(predicted->front().warnings.size(), 1);
  EXPECT_EQ(predicted->front().warnings.front().kind, regression::FitWarning::Kind::extrapolation);
  EXPECT_EQ(predicted->front().warnings.front().subject, "batch");
}

TEST(GreyBox, PredictsTheSameFromItsFile) {
  const auto tables = made_tables({"p100-pcie-16gb", "gtx-1080-ti"}, 200);
  const GreyBoxRows rows = made_rows(tables, 0.1);
  const auto model = fit_grey_box(rows, {.name = "made"});
  ASSERT_TRUE(model) << model.error().text();
  const auto read = regression::parse_fitted_json(regression::fitted_json(*model), "made.json");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(*read, *model);
  const auto once = predict_grey_box(*model, rows), again = predict_grey_box(*read, rows);
  ASSERT_TRUE(once && again);
  EXPECT_EQ(values_of(*once), values_of(*again));
}

TEST(GreyBox, SaysWhatItHasNotBeenFittedTo) {
  const auto tables = made_tables({"p100-pcie-16gb"}, 60);
  const auto model = fit_grey_box(made_rows(tables, 0), {.other_gpus = false});
  ASSERT_TRUE(model) << model.error().text();
  const auto conv = tables_of(
      "op,gpu,N,C,H,W,K,R,S,pad_h,pad_w,stride_h,stride_w\n"
      "conv,p100-pcie-16gb,8,16,14,14,32,3,3,1,1,1,1\n",
      "conv.csv");
  const auto rows = grey_box_rows(conv, {.measured = false});
  ASSERT_TRUE(rows) << rows.error().text();
  const auto predicted = predict_grey_box(*model, *rows);
  ASSERT_FALSE(predicted);
  EXPECT_NE(predicted.error().message.find("conv"), std::string::npos);
  regression::FittedModel other = *model;
  other.kind = "layers";
  EXPECT_FALSE(predict_grey_box(other, *rows));
}

// A part of which there are four rows has the harness of the one with 40.
TEST(GreyBox, APartOfFewRowsIsNearWhatAllPartsSay) {
  const auto tables = made_tables({"p100-pcie-16gb"}, 200);
  GreyBoxRows rows = *grey_box_rows(tables);
  std::vector<std::size_t> chosen;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    rows.seconds[row] = 400e-6 + cell(rows, row, "fwd_s");
    const bool few = row % 2 == 0;
    if (few) rows.parts[row] = "gemm fwd again";
    if (few ? row < 8 : row < 80) chosen.push_back(row);
  }
  const auto model = fit_grey_box(rows_of(rows, chosen), {.other_gpus = false});
  ASSERT_TRUE(model) << model.error().text();
  const GreyBoxRows others = rows_of(rows, where(rows.parts, "gemm fwd again"));
  const regression::Errors errors = regression::errors_of(others.seconds, physics_of(model->equations, others));
  EXPECT_LT(errors.median, 0.1);  // 50 % where a part stands alone
}

// From nine rows on, if not of one shape.
TEST(GreyBox, FewRowsHaveAnIntervalToo) {
  const auto tables = made_tables({"p100-pcie-16gb"}, 400);
  const GreyBoxRows rows = made_rows(tables, 0.1);
  std::vector<std::size_t> few;
  for (std::size_t row = 0; row < 15; ++row) few.push_back(row);
  const auto model = fit_grey_box(rows_of(rows, few), {.other_gpus = false});
  ASSERT_TRUE(model) << model.error().text();
  const auto predicted = predict_grey_box(*model, rows);
  ASSERT_TRUE(predicted) << predicted.error().text();
  EXPECT_TRUE(predicted->front().low && predicted->front().high);
}

TEST(GreyBox, IsBetterTheMoreRowsItHas) {
  const auto tables = made_tables({"p100-pcie-16gb", "gtx-1080-ti"}, 800);
  const auto curve = grey_box_curve(made_rows(tables, 0.05), {.points = {10, 200, 5000}, .draws = 4});
  ASSERT_TRUE(curve) << curve.error().text();
  ASSERT_EQ(curve->size(), 4);  // 5,000 leave nothing to judge on
  for (std::size_t gpu = 0; gpu < 2; ++gpu) {
    const GreyBoxCurvePoint &few = (*curve)[2 * gpu], &many = (*curve)[2 * gpu + 1];
    EXPECT_EQ(few.gpu, gpu == 0 ? "gtx-1080-ti" : "p100-pcie-16gb");
    EXPECT_EQ(few.points, 10);
    EXPECT_EQ(many.rows, 400);
    ASSERT_EQ(many.draws.size(), 4);
    for (std::size_t draw = 0; draw < 4; ++draw) {
      EXPECT_LT(many.draws[draw].grey_box, few.draws[draw].grey_box);
      EXPECT_LT(many.draws[draw].grey_box, many.draws[draw].analytic);
    }
  }
  EXPECT_FALSE(grey_box_curve(made_rows(tables, 0), {.points = {5000}}));
}

// Rows that say nothing of sizes leave the physics.
TEST(GreyBox, TakesRowsOfOneOrTwoShapes) {
  for (const int shapes : {1, 2}) {
    for (const int gpus : {1, 2}) {
      std::string csv = "op,gpu,pass,M,N,K,time_us\n";
      for (int row = 0; row < 60; ++row) {
        const char* gpu = row / 2 % gpus == 0 ? "t4" : "k80";
        csv += fmt::format("gemm,{},fwd,{},256,256,{}\n", gpu, 64 << (row % shapes), 100 + row % 7);
      }
      const auto tables = tables_of(csv, "made.csv");
      const GreyBoxRows rows = *grey_box_rows(tables);
      const auto model = fit_grey_box(rows);
      ASSERT_TRUE(model) << shapes << " shapes, " << gpus << " GPUs: " << model.error().text();
      const auto predicted = predict_grey_box(*model, rows);
      ASSERT_TRUE(predicted) << predicted.error().text();
      EXPECT_LT(regression::errors_of(rows.seconds, values_of(*predicted)).mape, 0.1);
    }
  }
}

TEST(GreyBox, SaysThatAFileIsNoGreyBox) {
  const auto tables = made_tables({"p100-pcie-16gb"}, 60);
  const GreyBoxRows rows = made_rows(tables, 0);
  const auto model = fit_grey_box(rows, {.other_gpus = false});
  ASSERT_TRUE(model) << model.error().text();
  const auto equation = [](regression::FittedModel& changed, const std::string& name) -> regression::FittedEquation& {
    return *std::find_if(changed.equations.begin(), changed.equations.end(),
                         [&](const regression::FittedEquation& one) { return one.name.starts_with(name); });
  };
  const auto message = [&](const auto& change) {
    regression::FittedModel changed = *model;
    change(equation(changed, "physics "), equation(changed, "gemm"));
    const auto predicted = predict_grey_box(changed, rows);
    return predicted ? std::string() : predicted.error().message;
  };
  using Equation = regression::FittedEquation;
  EXPECT_EQ(message([](Equation&, Equation&) {}), "");
  const std::string physics = "'physics gemm fwd on p100-pcie-16gb' is no sum";
  EXPECT_TRUE(message([](Equation& one, Equation&) { one.terms[0].term.clear(); }).starts_with(physics));
  EXPECT_TRUE(message([](Equation& one, Equation&) { one.terms[0].term[0].column = "none"; }).starts_with(physics));
  EXPECT_TRUE(message([](Equation& one, Equation&) { one.terms[0].term[0].power = 2; }).starts_with(physics));
  EXPECT_TRUE(message([](Equation& one, Equation&) { one.terms[0].coefficient = -1; }).starts_with(physics));
  EXPECT_TRUE(message([](Equation& one, Equation&) { one.ranges[0].column = "none"; }).starts_with(physics));
  EXPECT_TRUE(message([](Equation& one, Equation&) { one.ranges[0].low = 0; }).starts_with(physics));
  EXPECT_TRUE(message([](Equation& one, Equation&) { one.ranges.clear(); }).starts_with(physics));
  const std::string mean = "'gemm' is no geometric mean of physics_s, ridge_s, corrected_s, trees_s";
  EXPECT_EQ(message([](Equation&, Equation& value) { value.terms.clear(); }), mean);
  EXPECT_EQ(message([](Equation&, Equation& value) { value.terms[0].coefficient = 2; }), mean);
  EXPECT_EQ(message([](Equation&, Equation& value) { value.terms[0].term[0].column = "call"; }), mean);
  EXPECT_EQ(message([](Equation&, Equation& value) { value.target.log = false; }), mean);
}

// One GPU ran forward, the other backward: leaving either out leaves nothing to fit to.
TEST(GreyBox, IsComparedWhereSplitsLeaveNothingToFitTo) {
  std::string csv = "op,gpu,pass,M,N,K,time_us\n";
  for (int row = 0; row < 60; ++row) {
    csv += fmt::format("gemm,{},{},{},{},256,{}\n", row % 2 == 0 ? "t4" : "k80", row % 2 == 0 ? "fwd" : "bwd",
                       8 + 16 * row, 64 + row % 9, 100 + row);
  }
  const auto tables = tables_of(csv, "made.csv");
  const auto comparison = compare_models(*grey_box_rows(tables), {});
  ASSERT_TRUE(comparison) << comparison.error().text();
  EXPECT_EQ(comparison->left_out, 60);
  for (const ModelScore& score : comparison->scores) EXPECT_EQ(score.split, "5 folds by shape");
}

// The public rows; none where the tables are not here.
std::vector<MeasuredTable> justus_tables() {
  std::vector<MeasuredTable> tables;
  for (const char* name : {"conv.csv", "gemm.csv"}) {
    const std::string path = std::string("../shared/measurements/justus2018/") + name;
    const auto text = read_text_file(path);
    if (!text) return {};
    auto table = parse_layer_table(*text, path, {.measurements = true});
    if (table) tables.emplace_back(path, std::move(*table));
  }
  return tables;
}

TEST(GreyBox, WinsOnMeasuredRowsItHasNotSeen) {
  const auto tables = justus_tables();
  if (tables.size() < 2) GTEST_SKIP() << "no ../shared/measurements";
  if (!regression::has_xgboost()) GTEST_SKIP() << "no XGBoost";
  constexpr std::size_t kEvery = 6;
  const auto rows = grey_box_rows(tables, {.keep = [](std::size_t, std::size_t row) { return row % kEvery == 0; }});
  ASSERT_TRUE(rows) << rows.error().text();
  CompareOptions options;
  options.folds = 3;
  options.bounds = {{.column = "batch", .comparison = ">", .value = 32}};
  const auto comparison = compare_models(*rows, options);
  ASSERT_TRUE(comparison) << comparison.error().text();
  ASSERT_EQ(comparison->scores.size(), 5 * 3 * kLearnedModels);  // splits, operations and all, models
  for (const ModelScore& score : comparison->scores) {
    if (score.model != LearnedModel::grey_box) continue;
    if (score.split == "3 folds by shape") {
      EXPECT_LT(score.errors.median, 0.15) << score.operation;
      EXPECT_NEAR(score.inside, 0.9, 0.03) << score.operation;
    }
    if (!score.operation.empty()) continue;
    for (const ModelScore& other : comparison->scores) {
      if (other.split != score.split || !other.operation.empty() || other.model == score.model) continue;
      EXPECT_LT(score.errors.median, other.errors.median) << score.split << ", " << name_of(other.model);
      EXPECT_LT(score.errors.mape, other.errors.mape) << score.split << ", " << name_of(other.model);
    }
  }
}

}  // namespace
}  // namespace rooftile
