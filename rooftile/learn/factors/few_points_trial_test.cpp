#include "rooftile/learn/factors/few_points_trial.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "rooftile/learn/factors/few_points_choice.hpp"
#include "rooftile/learn/factors/few_points_made.hpp"

namespace rooftile {
namespace {

constexpr std::size_t kClockFactor = 0, kConvFactor = kSharedFactors;

LinearPoint row_at(double micros, KernelFamily family) {
  LinearPoint row;
  row.family = family;
  row.slope[kSharedFactors + static_cast<std::size_t>(family)] = -1;
  row.place.micros = micros;
  return row;
}

// Twenty calls alike, one far off, and one of another family: one of the twenty tells most, then the ones that it says
// nothing of, and never two of the twenty before them.
TEST(MostTelling, RowsAreThoseThatStandForMany) {
  std::vector<LinearPoint> rows;
  rows.push_back(row_at(1, KernelFamily::conv_simt));
  rows.push_back(row_at(5, KernelFamily::tensor));
  for (int i = 0; i < 20; ++i) rows.push_back(row_at(5e4 + i, KernelFamily::conv_simt));
  std::vector<std::size_t> pool;
  for (std::size_t i = 0; i < rows.size(); ++i) pool.push_back(i);
  const std::vector<ChosenRow> chosen = most_telling(rows, pool, 3, shipped_factor_prior());
  ASSERT_EQ(chosen.size(), 3U);
  EXPECT_GE(chosen[0].row, 2U);
  EXPECT_LT(chosen[0].left, 0.5);
  EXPECT_LT(chosen[1].left, chosen[0].left);
  const std::vector<ChosenRow> of_two = most_telling(rows, {0, 1}, 5, shipped_factor_prior());
  EXPECT_EQ(of_two.size(), 2U);
}

TEST(MostTelling, TimesPlayNoPart) {
  std::vector<LinearPoint> rows;
  for (int i = 0; i < 10; ++i) rows.push_back(row_at(std::pow(3, i), KernelFamily::gemm_simt));
  std::vector<std::size_t> pool = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  const std::vector<ChosenRow> before = most_telling(rows, pool, 3, shipped_factor_prior());
  for (LinearPoint& row : rows) row.residual = row.place.micros;
  const std::vector<ChosenRow> after = most_telling(rows, pool, 3, shipped_factor_prior());
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(before[i].row, after[i].row);
}

// GPUs whose convolutions differ by `deviation`, and rows that scatter by `noise`.
std::vector<FactorEvidence> made_gpus(double deviation, double noise) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  std::vector<FactorEvidence> gpus(20);
  for (FactorEvidence& gpu : gpus) {
    gpu.at[kConvFactor] = deviation * normal(random);
    for (int i = 0; i < 100; ++i) {
      LinearPoint row;
      row.slope[kConvFactor] = -1;
      row.place.micros = std::exp(7.0 * i);  // nothing that rows alike share
      row.residual = noise * normal(random);
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
    EXPECT_NEAR(prior.deviation[kConvFactor] / deviation, 1, 0.35);
    EXPECT_NEAR(std::hypot(prior.shared, prior.noise), 0.1, 0.01);
    EXPECT_NEAR(prior.tail, 1.645, 0.1);
  }
}

MeasuredTable slower_k80() {
  LayerTable table = shapes("k80");
  FactorLogs truth{};
  truth[kClockFactor] = -0.5;
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
  for (const FewPointsDraw& draw : trials->trials[0].draws) EXPECT_GT(taken_away(draw, 4), 0.3);
}

FewPointsTrial trial_of(const std::string& gpu, const std::vector<std::size_t>& worse_below) {
  FewPointsTrial trial;
  trial.gpu = gpu;
  trial.points = 5;
  for (const std::size_t below : worse_below) {
    FewPointsDraw draw;
    draw.before = 0.2;
    for (std::size_t c = 0; c < kCautions.size(); ++c) draw.outcomes[c].after = c < below ? 0.3 : 0.1;
    trial.draws.push_back(draw);
  }
  return trial;
}

TEST(FewPointsTrial, CautionIsTheLeastThatIsRightOnOtherGpus) {
  const std::vector<FewPointsTrial> trials = {trial_of("a", {3, 3}), trial_of("b", {5, 0}), trial_of("c", {1, 1})};
  EXPECT_EQ(least_caution(trials, 5, "b"), 3U);
  EXPECT_EQ(least_caution(trials, 5, ""), 5U);
  EXPECT_EQ(least_caution(trials, 7, ""), 0U);  // no draw, no harm
}

TEST(FewPointsTrial, ChoosesPointsAsWellAsItDrawsThem) {
  FewPointsTrialOptions options;
  options.left_out = false;
  options.chosen = true;
  options.draws = 5;
  const std::vector<MeasuredTable> tables = {slower_k80()};
  const auto trials = try_few_points(tables, options);
  ASSERT_TRUE(trials) << trials.error().text();
  for (const FewPointsDraw& draw : trials->trials[0].draws) EXPECT_GT(taken_away(draw, 4), 0.3);
}

TEST(FewPointsTrial, NeedsRowsEnough) {
  FewPointsTrialOptions options;
  options.left_out = false;
  options.least_rows = 100;
  const std::vector<MeasuredTable> tables = {slower_k80()};
  EXPECT_EQ(try_few_points(tables, options).error().message, "no GPU has enough rows to draw points from");
}

}  // namespace
}  // namespace rooftile
