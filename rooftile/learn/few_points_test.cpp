#include "rooftile/learn/few_points.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "rooftile/learn/few_points_trial.hpp"

namespace rooftile {
namespace {

constexpr std::size_t kClock = 0, kConv = kSharedFactors;

// Convolutions and GEMMs of many sizes on a GPU, without times.
LayerTable shapes(const std::string& gpu) {
  std::string csv = "op,gpu,N,C,H,W,K,R,S,pad_h,pad_w,stride_h,stride_w,M,time_us\n";
  for (const int channels : {32, 64, 128, 256, 512}) {
    for (const int size : {7, 14, 28, 56}) {
      for (const int batch : {4, 32}) {
        csv += fmt::format("conv,{},{},{},{},{},{},3,3,1,1,1,1,,1\n", gpu, batch, channels, size, size, channels);
      }
      csv += fmt::format("gemm,{},{},,,,{},,,,,,,{},1\n", gpu, 16 * size, 8 * channels, 4 * channels);
    }
  }
  return *parse_layer_table(csv, "t.csv", {.measurements = true});
}

// The rows of `table` with the times of `truth`, each off by its own draw of a deviation `noise`.
std::vector<Point> made(const LayerTable& table, const FactorLogs& truth, double noise = 0) {
  FactorModel model(builtin_calibration(), table.rows.front().gpu);
  std::mt19937 random(7);
  std::normal_distribution<double> normal(0, noise > 0 ? noise : 1);
  std::vector<Point> points;
  for (const LayerRow& row : table.rows) {
    const Seconds time = *model.time(row, truth);
    points.push_back({&row, noise > 0 ? time * std::exp(normal(random)) : time});
  }
  return points;
}

std::vector<Point> every(const std::vector<Point>& points, std::size_t step) {
  std::vector<Point> some;
  for (std::size_t i = 0; i < points.size(); i += step) some.push_back(points[i]);
  return some;
}

FewPoints fitted(const std::vector<Point>& points) {
  FactorModel model(builtin_calibration(), points.front().row->gpu);
  return *fit_few_points(points, model, shipped_factor_prior());
}

double gmae_under(const std::vector<Point>& points, const FactorLogs& logs) {
  FactorModel model(builtin_calibration(), points.front().row->gpu);
  std::vector<double> residuals;
  for (const Point& point : points) residuals.push_back(std::log(point.measured / *model.time(*point.row, logs)));
  return gmae_of(residuals);
}

TEST(FewPoints, FindTheFactorsThatMadeTheTimes) {
  const LayerTable table = shapes("k80");
  FactorLogs truth{};
  truth[kClock] = -0.15;
  truth[1] = 0.1;
  truth[kConv] = -0.1;
  const std::vector<Point> all = made(table, truth);
  EXPECT_GT(gmae_under(all, {}), 0.1);
  EXPECT_LT(gmae_under(all, fitted(all).likeliest), 0.03);
  EXPECT_LT(gmae_under(all, fitted(all).logs), 0.05);
}

TEST(FewPoints, FiveOfASlowerBoardTakeMostOfTheErrorAway) {
  const LayerTable table = shapes("k80");
  FactorLogs truth{};
  truth[kClock] = -0.6;
  const std::vector<Point> all = made(table, truth, 0.03);
  const FewPoints five = fitted(every(all, 12));
  EXPECT_EQ(five.before.size(), 5U);
  EXPECT_LT(gmae_under(all, five.logs), 0.67 * gmae_under(all, {}));
}

TEST(FewPoints, ALaunchOverheadThatNobodyKnowsIsFound) {
  const LayerTable table = shapes("k80");
  FactorLogs truth{};
  truth[2] = std::log(30.0);
  const FewPoints found = fitted(made(table, truth));
  EXPECT_NEAR(found.likeliest[2], truth[2], 0.2);
}

TEST(FewPoints, ThatAreAsPredictedChangeNothing) {
  const LayerTable table = shapes("t4");
  const FewPoints same = fitted(every(made(table, {}), 12));
  EXPECT_EQ(same.caution, 0);
  EXPECT_EQ(same.logs, FactorLogs{});
}

TEST(FewPoints, OneOddRowCarriesNothing) {
  const LayerTable table = shapes("t4");
  std::vector<Point> points = every(made(table, {}), 8);
  points[3].measured *= 20;
  EXPECT_LT(gmae_under(made(table, {}), fitted(points).logs), 0.02);
}

TEST(FewPoints, DoNotMoveAFamilyOfWhichThereIsNone) {
  const LayerTable table = shapes("k80");
  FactorLogs truth{};
  truth[kConv] = -0.5;
  const FewPoints found = fitted(made(table, truth));
  EXPECT_EQ(found.logs[kFactors - 1], 0);
  EXPECT_EQ(found.interval[static_cast<std::size_t>(KernelFamily::tensor)], 0);
  EXPECT_DOUBLE_EQ(found.deviation[kFactors - 1], found.prior[kFactors - 1]);
}

// Long calls, far slower than predicted: what their times hardly depend on stays as it was.
TEST(FewPoints, DoNotMoveAFactorOfWhichTheyTellLittle) {
  const LayerTable table = shapes("k80");
  std::vector<Point> points = made(table, {});
  std::sort(points.begin(), points.end(), [](const Point& a, const Point& b) { return a.measured > b.measured; });
  points.resize(8);
  for (Point& point : points) point.measured *= 5;
  const FewPoints found = fitted(points);
  ASSERT_GT(found.caution, 0);
  EXPECT_LT(found.logs[kConv], 0);
  bool held = false;
  for (std::size_t i = 0; i < kFactors; ++i) {
    if (found.told(i) >= kLeastTold) continue;
    EXPECT_EQ(found.logs[i], 0) << factor_name(i);
    held = held || found.likeliest[i] != 0;
  }
  EXPECT_TRUE(held);
}

TEST(FewPoints, IntervalHoldsNineOfTenOtherRows) {
  const LayerTable table = shapes("k80");
  FactorLogs truth{};
  truth[kConv] = -0.3;
  const std::vector<Point> all = made(table, truth, 0.15);
  const FewPoints found = fitted(every(all, 4));
  FactorModel model(builtin_calibration(), "k80");
  std::size_t inside = 0, rows = 0;
  for (const Point& point : all) {
    const LinearPoint row = *linearise(point, model, found.logs);
    ++rows;
    if (std::abs(row.residual) <= found.interval[static_cast<std::size_t>(row.family)]) ++inside;
  }
  EXPECT_GE(static_cast<double>(inside), 0.8 * static_cast<double>(rows));
}

TEST(FewPoints, CalibrationAppliesWhatWasFitted) {
  const LayerTable table = shapes("k80");
  FactorLogs truth{};
  truth[kClock] = -0.3;
  const std::vector<Point> all = made(table, truth);
  const FewPoints found = fitted(all);
  const Calibration written = calibration_of(found, "k80", "t.csv", "");
  const auto read = parse_calibration(write_calibration(written), "k80.toml");
  ASSERT_TRUE(read) << read.error().text();
  const Calibration applied = completed(*read);
  FactorModel model(builtin_calibration(), "k80");
  GpuCache gpus;
  const auto layer = estimate_row(table.rows[0], {.method = Method::rooftile, .calibration = &applied}, gpus);
  EXPECT_NEAR(layer->time / *model.time(table.rows[0], found.logs), 1, 1e-3);
  EXPECT_NEAR(*layer->time_high / layer->time, std::exp(found.interval[0]), 1e-3);
}

TEST(FewPoints, CrossValidationLeavesEachPointOut) {
  const LayerTable table = shapes("t4");
  std::vector<Point> points = every(made(table, {}), 12);
  points[2].measured *= 2;
  FactorModel model(builtin_calibration(), "t4");
  const auto crossed = cross_validated(points, model, shipped_factor_prior());
  ASSERT_TRUE(crossed);
  EXPECT_NEAR((*crossed)[2], std::log(2.0), 1e-9);  // the others are as predicted
}

// GPUs whose convolutions differ by `deviation`, and rows that scatter by `noise`.
std::vector<FactorEvidence> made_gpus(double deviation, double noise) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  std::vector<FactorEvidence> gpus(20);
  for (FactorEvidence& gpu : gpus) {
    const double factor = deviation * normal(random);
    for (int i = 0; i < 100; ++i) {
      LinearPoint row;
      row.slope[kConv] = -1;
      row.residual = -factor + noise * normal(random);
      gpu.rows.push_back(row);
    }
  }
  return gpus;
}

TEST(FactorPrior, IsWhatTheGpusDifferBy) {
  for (const double deviation : {0.08, 0.4}) {
    const std::vector<FactorEvidence> gpus = made_gpus(deviation, 0.1);
    std::vector<const FactorEvidence*> all;
    for (const FactorEvidence& gpu : gpus) all.push_back(&gpu);
    const FactorPrior prior = learn_factor_prior(all);
    EXPECT_NEAR(prior.deviation[kConv] / deviation, 1, 0.35);
    EXPECT_NEAR(prior.noise[0], 0.1, 0.01);
    EXPECT_NEAR(prior.tail, 1.645, 0.1);
  }
}

MeasuredTable slower_k80() {
  LayerTable table = shapes("k80");
  FactorLogs truth{};
  truth[kClock] = -0.5;
  const std::vector<Point> points = made(table, truth, 0.05);
  for (std::size_t i = 0; i < points.size(); ++i) table.rows[i].measured.time = points[i].measured;
  return {"k80.csv", std::move(table)};
}

TEST(FewPointsTrial, ScoresTheRowsThatWereNotDrawn) {
  FewPointsTrialOptions options;
  options.left_out = false;
  options.draws = 10;
  const std::vector<MeasuredTable> tables = {slower_k80()};
  const auto trials = try_few_points(tables, options);
  ASSERT_TRUE(trials) << trials.error().text();
  ASSERT_EQ(trials->trials.size(), 1U);
  EXPECT_EQ(trials->trials[0].rows, 60U);
  ASSERT_EQ(trials->trials[0].draws.size(), 10U);
  for (const FewPointsDraw& draw : trials->trials[0].draws) EXPECT_GT(taken_away(draw), 0.3);
}

TEST(FewPointsTrial, NeedsRowsEnough) {
  FewPointsTrialOptions options;
  options.left_out = false;
  options.least_rows = 100;
  const std::vector<MeasuredTable> tables = {slower_k80()};
  EXPECT_EQ(try_few_points(tables, options).error().message, "no GPU has rows enough to draw points from");
}

}  // namespace
}  // namespace rooftile
