#include "rooftile/learn/factors/few_points.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "rooftile/learn/constants/fit.hpp"
#include "rooftile/learn/factors/few_points_made.hpp"

namespace rooftile {
namespace {

constexpr std::size_t kClock = 0, kConv = kSharedFactors;

std::vector<Point> every(const std::vector<Point>& points, std::size_t step) {
  std::vector<Point> some;
  for (std::size_t i = 0; i < points.size(); i += step) some.push_back(points[i]);
  return some;
}

FewPoints fitted(const std::vector<Point>& points) {
  FactorModel model(builtin_calibration(), points.front().row->gpu);
  return *fit_few_points(points, model, shipped_factor_prior());
}

double gmae_under(const std::vector<Point>& points, const GpuFactors& factors) {
  FactorModel model(builtin_calibration(), factors.gpu);
  std::vector<double> residuals;
  for (const Point& point : points) residuals.push_back(std::log(point.measured / *model.time(*point.row, factors)));
  return gmae_of(residuals);
}

double gmae_before(const std::vector<Point>& points) { return gmae_under(points, {.gpu = points.front().row->gpu}); }

double gmae_after(const std::vector<Point>& points, const FewPoints& fitted) {
  return gmae_under(points, factors_of(fitted, points.front().row->gpu));
}

TEST(FewPoints, FindTheFactorsThatMadeTheTimes) {
  const LayerTable table = shapes("k80");
  FactorLogs truth{};
  truth[kClock] = -0.15;
  truth[1] = 0.1;
  truth[kConv] = -0.1;
  const std::vector<Point> all = made(table, truth);
  const FewPoints found = fitted(every(all, 2));
  for (std::size_t i = 0; i < kFactors; ++i) {
    EXPECT_NEAR(found.likeliest[i], truth[i], 2.5 * found.deviation[i]) << factor_name(i);
  }
  EXPECT_GT(gmae_before(all), 0.1);
  EXPECT_LT(gmae_after(all, found), 0.03);  // half of the rows are new
}

TEST(FewPoints, FiveOfASlowerBoardTakeMostOfTheErrorAway) {
  const LayerTable table = shapes("k80");
  FactorLogs truth{};
  truth[kClock] = -0.6;
  const std::vector<Point> all = made(table, truth, 0.03);
  const FewPoints five = fitted(every(all, 12));
  EXPECT_EQ(five.before.size(), 5U);
  EXPECT_LT(gmae_after(all, five), 0.67 * gmae_before(all));
}

TEST(FewPoints, ALaunchOverheadThatNobodyKnowsIsFound) {
  const LayerTable table = shapes("k80", "");
  FactorLogs truth{};
  truth[2] = std::log(30.0);
  const FewPoints found = fitted(made(table, truth));
  EXPECT_NEAR(found.likeliest[2], truth[2], 0.2);
}

TEST(FewPoints, ThatAreAsPredictedChangeNothing) {
  const LayerTable table = shapes("t4");
  const FewPoints same = fitted(every(made(table, {}), 12));
  EXPECT_EQ(same.share, 0);
  EXPECT_EQ(same.logs, FactorLogs{});
  EXPECT_TRUE(same.calls.empty());
}

TEST(FewPoints, OneOddRowCarriesNothing) {
  const LayerTable table = shapes("t4");
  std::vector<Point> points = every(made(table, {}), 8);
  points[3].measured *= 20;
  EXPECT_LT(gmae_after(made(table, {}), fitted(points)), 0.02);
}

// The times of small calls are other than predicted, those of large ones are not: no factor does that.
TEST(FewPoints, ChangeCallsLikeThemMoreThanOthers) {
  const LayerTable table = shapes("t4");
  std::vector<Point> small = made(table, {}), large;
  std::sort(small.begin(), small.end(), [](const Point& a, const Point& b) { return a.measured < b.measured; });
  large.assign(small.end() - 20, small.end());
  small.resize(20);
  for (Point& point : small) point.measured *= 1.5;
  std::vector<Point> points = every(small, 4);
  for (const Point& point : every(large, 4)) points.push_back(point);
  const FewPoints found = fitted(points);
  EXPECT_LT(gmae_after(small, found), 0.7 * gmae_before(small));
  EXPECT_LT(gmae_after(large, found), 0.1);
}

// Draws of five from rows that scatter, every twentieth of them four times as slow: none may cost more than a little,
// and nineteen in twenty nothing.
TEST(FewPoints, SeldomHurtWhereRowsAreOdd) {
  const LayerTable table = shapes("t4");
  std::vector<Point> all = made(table, {}, 0.1);
  for (std::size_t i = 0; i < all.size(); i += 20) all[i].measured *= 4;
  std::mt19937 random(5);
  std::size_t worse = 0;
  constexpr std::size_t kDraws = 100;
  for (std::size_t draw = 0; draw < kDraws; ++draw) {
    std::shuffle(all.begin(), all.end(), random);
    const FewPoints found = fitted({all.begin(), all.begin() + 5});
    const std::vector<Point> rest(all.begin() + 5, all.end());
    if (gmae_after(rest, found) > gmae_before(rest) + 1e-5) ++worse;
    EXPECT_LT(gmae_after(rest, found), gmae_before(rest) + 0.1);
  }
  EXPECT_LE(worse, kDraws / 20);
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
  ASSERT_GT(found.share, 0);
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
    const LayerEstimate layer = *model.estimate(*point.row, factors_of(found, "k80"));
    ++rows;
    const double residual = std::log(point.measured / layer.time);
    if (std::abs(residual) <= found.interval[static_cast<std::size_t>(*layer.family)]) ++inside;
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
  ASSERT_FALSE(found.calls.empty());
  EXPECT_NEAR(layer->time / *model.time(table.rows[0], factors_of(found, "k80")), 1, 1e-2);
  EXPECT_NEAR(*layer->time_high / layer->time, std::exp(found.interval[0]), 1e-3);
}

// A time that no clock gives: its interval would be wider than a calibration can say.
TEST(FewPoints, CalibrationOfAnAbsurdTimeCanBeRead) {
  const LayerTable table = shapes("t4");
  std::vector<Point> points = every(made(table, {}), 12);
  for (Point& point : points) point.measured *= 2;
  points[2].measured = Seconds(1e294);
  const FewPoints found = fitted(points);
  ASSERT_GT(found.share, 0);
  const auto read = parse_calibration(write_calibration(calibration_of(found, "t4", "t.csv", "")), "t4.toml");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_NEAR(read->factors.front().of(KernelFamily::conv_simt).spread->high, std::exp(6.9), 1);
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

}  // namespace
}  // namespace rooftile
