#include "rooftile/learn/constants/held_out.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/validate/estimate_row.hpp"

namespace rooftile {
namespace {

// Convolutions of two GPUs with times near what the starting constants predict; those of the T4 times `t4_factor`.
MeasuredTable table_of(double t4_factor, const std::string& path = "t.csv", const std::string& flag = "",
                       const std::string& framework = "lib") {
  std::string csv = "gpu,framework,N,C,H,W,K,R,S,pad_h,pad_w,stride_h,stride_w,time_us,flag\n";
  for (const char* gpu : {"titan-xp", "t4"}) {
    for (const int channels : {64, 128, 256, 512}) {
      for (const int size : {7, 14, 28}) {
        const double macs = 16.0 * channels * channels * size * size;
        const double micros = 20 + macs / 4e6;
        csv += fmt::format("{},{},16,{},{},{},{},1,1,0,0,1,1,{},{}\n", gpu, framework, channels, size, size, channels,
                           gpu[1] == '4' ? micros * t4_factor : micros, flag);
      }
    }
  }
  return {path, *parse_layer_table(csv, path, {.measurements = true})};
}

CalibrateOptions quick() { return {.evaluations = 60}; }

const Calibration& calibration_of(const HeldOut& held, std::size_t row) {
  return held.calibrations[held.of_row[0][row].value()];
}

TEST(HeldOut, AGpuLeftOutHasNoSayInItsConstants) {
  const auto held = hold_out({table_of(1)}, Tier::none, quick());
  const auto slower = hold_out({table_of(3)}, Tier::none, quick());
  ASSERT_TRUE(held);
  ASSERT_TRUE(slower);
  const Gpu t4 = *find_gpu("t4");
  const std::size_t t4_row = 12, titan_row = 0;
  const auto constants = [&](const HeldOut& result, std::size_t row) {
    return find_entry(calibration_of(result, row), KernelFamily::conv_simt, t4).entry->constants;
  };
  EXPECT_EQ(constants(*held, t4_row), constants(*slower, t4_row));
  EXPECT_NE(constants(*held, titan_row), constants(*slower, titan_row));
}

TEST(HeldOut, RowsOfAShapeAreHeldOutTogether) {
  const auto held = hold_out({table_of(1)}, Tier::own, quick());
  ASSERT_TRUE(held);
  for (std::size_t row = 0; row < 12; ++row) EXPECT_EQ(held->of_row[0][row], held->of_row[0][row + 12]);
  EXPECT_GT(held->calibrations.size(), 1U);
}

TEST(HeldOut, EntriesOfAGpuSayWhichBoardItIs) {
  const auto held = hold_out({table_of(1)}, Tier::own, quick());
  ASSERT_TRUE(held);
  const Gpu t4 = *find_gpu("t4");
  const FoundEntry found = find_entry(calibration_of(*held, 12), KernelFamily::conv_simt, t4);
  ASSERT_EQ(found.match, Match::gpu);
  ASSERT_TRUE(found.entry->board);
  EXPECT_EQ(found.entry->board->sms, t4.sm_count);
}

TEST(HeldOut, OneGpuCannotBeLeftOut) {
  const MeasuredTable table = table_of(1);
  CalibrateOptions options = quick();
  options.rows.keep = [](std::size_t, std::size_t row) { return row < 12; };
  const auto held = hold_out({table}, Tier::none, options);
  ASSERT_FALSE(held);
  EXPECT_EQ(held.error().message, "tier none needs rows of at least two GPUs");
}

TEST(HeldOut, ASourceIsScoredWhereAnotherMeasuredTheGpu) {
  CalibrateOptions options = quick();
  options.rows.keep = [](std::size_t table, std::size_t row) { return table == 0 || row >= 12; };  // of the second: T4
  const auto held = hold_out({table_of(1, "a/conv.csv"), table_of(3, "b/conv.csv")}, Tier::source, options);
  ASSERT_TRUE(held) << held.error().text();
  EXPECT_EQ(held->of_row[0][0], std::nullopt) << "nobody else measured the TITAN Xp";
  EXPECT_EQ(held->of_row[1][0], std::nullopt) << "takes no part";
  ASSERT_TRUE(held->of_row[0][12] && held->of_row[1][12]);
  EXPECT_NE(*held->of_row[0][12], *held->of_row[1][12]);
  EXPECT_EQ(held->calibrations.size(), 2U);
  const Gpu t4 = *find_gpu("t4");  // either calibration has the other source's rows of it, and its alone are asked for
  const auto match = [&](std::size_t row_of_table) {
    return find_entry(held->calibrations[*held->of_row[row_of_table][12]], KernelFamily::conv_simt, t4).match;
  };
  EXPECT_EQ(match(0), Match::gpu);
  EXPECT_EQ(match(1), Match::gpu);
  for (const Calibration& calibration : held->calibrations) {
    const FoundEntry other = find_entry(calibration, KernelFamily::conv_simt, *find_gpu("titan-xp"));
    EXPECT_NE(other.match, Match::gpu);
  }
}

TEST(HeldOut, FlaggedRowsAreNoSourceOfOthers) {
  const auto held = hold_out({table_of(1, "a/conv.csv"), table_of(1, "b/conv.csv", "odd")}, Tier::source, quick());
  ASSERT_TRUE(held) << held.error().text();
  EXPECT_EQ(held->of_row[0][0], std::nullopt) << "no fit takes the rows of the other source";
  EXPECT_TRUE(held->of_row[1][0].has_value()) << "to stand beside a figure";
}

TEST(HeldOut, TheLargestThirdIsScoredByTheRest) {
  const auto held = hold_out({table_of(1)}, Tier::size, quick());
  ASSERT_TRUE(held) << held.error().text();
  EXPECT_EQ(held->calibrations.size(), 1U);
  EXPECT_EQ(held->of_row[0][0], std::nullopt);  // 64 channels, 7 x 7
  EXPECT_EQ(held->of_row[0][11], 0U);           // 512 channels, 28 x 28
  const auto scored =
      std::count_if(held->of_row[0].begin(), held->of_row[0].end(), [](auto row) { return row.has_value(); });
  EXPECT_GE(scored, 6);
  EXPECT_LE(scored, 8);
}

TEST(HeldOut, OneSourceCannotBeLeftOut) {
  const auto held = hold_out({table_of(1)}, Tier::source, quick());
  ASSERT_FALSE(held);
  EXPECT_EQ(held.error().message, "tier source needs rows of at least two sources");
}

TEST(Calibrate, FitsWhatTheTablesSay) {
  const auto report = calibrate({table_of(1)}, {.evaluations = 600});
  ASSERT_TRUE(report);
  const Gpu titan = *find_gpu("titan-xp");
  const FoundEntry found = find_entry(report->calibration, KernelFamily::conv_simt, titan);
  EXPECT_EQ(found.match, Match::gpu);
  EXPECT_LT(found.entry->gmae, 0.25);
  EXPECT_FALSE(found.entry->spread.has_value());  // of 12 rows nothing is said of tails
  EXPECT_NE(find_harness(report->calibration, KernelFamily::conv_simt, "lib", "v100-sxm2-16gb", "nvidia"), nullptr);
  ASSERT_EQ(report->calibration.foreign_spreads.size(), 1U);
  EXPECT_GT(report->calibration.foreign_spreads.front().spread.value().common, 1);
}

TEST(Calibrate, FitsHaveTheIntervalsOfTheirEntries) {
  const auto report = calibrate({table_of(1), table_of(1.1, "u.csv")}, quick());
  ASSERT_TRUE(report);
  const auto& entries = report->calibration.entries;
  ASSERT_EQ(report->fits.size(), entries.size());
  std::size_t intervals = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    EXPECT_EQ(report->fits[i].entry.spread.has_value(), entries[i].spread.has_value());
    intervals += entries[i].spread ? 1 : 0;
  }
  EXPECT_EQ(intervals, 2U);  // of the two GPUs
}

TEST(Calibrate, IntervalsOfAnotherHarnessAreWhatSourcesLeftOutAreOffBy) {
  const auto harness_of = [](double factor, bool unknown) {
    CalibrateOptions options = quick();
    options.unknown_gpus = false;
    options.unknown_harnesses = unknown;
    const auto report = calibrate({table_of(1, "a/conv.csv"), table_of(factor, "b/conv.csv")}, options);
    const auto& spreads = report.value().calibration.foreign_spreads;
    return spreads.empty() ? 1 : spreads.front().harness;
  };
  EXPECT_EQ(harness_of(1, false), 1);
  EXPECT_GT(harness_of(1, true), 1);
  EXPECT_GT(harness_of(3, true), 1.5 * harness_of(1, true));
}

// Two sources of the T4, a third of the TITAN Xp. The second's framework is called by nobody else, or by the third,
// too.
TEST(Calibrate, AFrameworkThatOthersCallWidensIntervalsByNoMoreThanAnUnknownOne) {
  const auto foreign_of = [](const std::string& framework) {
    CalibrateOptions options = quick();
    options.unknown_gpus = false;
    options.rows.keep = [](std::size_t table, std::size_t row) { return (table == 2) == (row < 12); };
    const auto report = calibrate({table_of(1, "a/conv.csv", "", "one"), table_of(3, "b/conv.csv", "", "two"),
                                   table_of(1, "c/conv.csv", "", framework)},
                                  options);
    return report.value().calibration.foreign_spreads.front();
  };
  const ForeignSpread alone = foreign_of("three"), called = foreign_of("two");
  EXPECT_GT(alone.unknown_harness, alone.harness);
  EXPECT_GT(called.harness, alone.harness) << "it is off by as much, though its name is known";
  EXPECT_GE(called.unknown_harness, called.harness);
}

}  // namespace
}  // namespace rooftile
