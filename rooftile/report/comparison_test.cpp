#include "rooftile/report/comparison.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "rooftile/report/json_schema.hpp"

namespace rooftile {
namespace {

using testing::HasSubstr;
using testing::Not;

ComparedRun run(const char* gpu, double seconds, double gib) {
  ComparedRun one;
  one.model = "net";
  one.gpu = gpu;
  one.precision = "fp16";
  one.limit = "dram";
  one.batch_size = 100;
  one.time = Seconds(seconds);
  one.memory = Bytes(gib * 1024 * 1024 * 1024);
  one.capacity = Bytes(24.0 * 1024 * 1024 * 1024);
  one.energy = Joules(50 * seconds);
  return one;
}

ComparisonReport two_runs() {
  ComparisonReport result;
  result.comparison.pass = "training";
  result.comparison.execution = "eager";
  result.comparison.runs = {run("fast", 0.1, 2), run("slow", 0.2, 41.5)};
  result.comparison.runs[0].price =
      GpuPrice{.rate = DollarsPerSecond(3.6 / 3600), .source = "given", .date = "2026-05-01", .old = true};
  result.comparison.runs[0].interval = Interval{Seconds(0.08), Seconds(0.125)};
  result.comparison.left_out = {"old: no peak rate of old for fp16 is known"};
  return result;
}

TEST(Comparison, CostsWhatTheTimeCosts) {
  // 100 samples in 0.1 s: a million in 1,000 s, at 0.001 USD a second.
  EXPECT_NEAR(two_runs().comparison.runs[0].per_million_samples()->value(), 1.0, 1e-12);
  EXPECT_FALSE(two_runs().comparison.runs[1].per_million_samples());
  EXPECT_NEAR(*two_runs().comparison.runs[0].watts(), 50, 1e-9);
}

TEST(Comparison, TheTableSaysWhatDoesNotFitAndWhatIsLeftOut) {
  const std::string text = comparison_table(two_runs());
  EXPECT_THAT(text, HasSubstr("training, eager\n"));
  EXPECT_THAT(text, HasSubstr("800 to 1,250"));
  EXPECT_THAT(text, HasSubstr("does not fit: 41.5 of 24 GiB"));
  EXPECT_THAT(text, HasSubstr("old: no peak rate of old for fp16 is known"));
  EXPECT_THAT(text, HasSubstr("3.6 *"));
  EXPECT_THAT(text, Not(HasSubstr("ratio")));
  EXPECT_THAT(comparison_table({}), HasSubstr("no GPU is left"));
}

TEST(Comparison, JsonFitsItsSchema) {
  const nlohmann::json json = nlohmann::json::parse(comparison_json(two_runs()));
  EXPECT_TRUE(fits_schema(json, "comparison-1.json"));
  EXPECT_EQ(json["runs"][1]["fits"], false);
  EXPECT_TRUE(json["runs"][1]["usd_per_hour"].is_null());
  EXPECT_EQ(json["runs"][0]["price_source"], "given");
  EXPECT_EQ(json["runs"][0]["price_date"], "2026-05-01");
}

TEST(Comparison, TableJsonAndPageNameTheOptimizer) {
  ComparisonReport of = two_runs();
  EXPECT_FALSE(nlohmann::json::parse(comparison_json(of)).contains("optimizer"));
  of.comparison.optimizer = "adamw";
  const nlohmann::json json = nlohmann::json::parse(comparison_json(of));
  EXPECT_EQ(json["optimizer"], "adamw");
  EXPECT_TRUE(fits_schema(json, "comparison-1.json"));
  EXPECT_THAT(comparison_table(of), HasSubstr("training, eager, adamw"));
  EXPECT_THAT(comparison_page(of), HasSubstr("training, eager, adamw"));
}

TEST(Comparison, CellsAreThoseOfTheCsv) {
  const ComparisonReport of = two_runs();
  EXPECT_EQ(comparison_cell(of.comparison.runs[0], "fits"), "true");
  EXPECT_EQ(comparison_cell(of.comparison.runs[1], "usd_per_hour"), "");
  EXPECT_EQ(comparison_cell(of.comparison.runs[0], "gpu"), "fast");
  const std::string csv = comparison_csv(of);
  EXPECT_EQ(csv.substr(0, 22), "model,gpu,batch_size,p");
  EXPECT_THAT(csv, HasSubstr("net,slow,100,fp16,0.2,"));
}

TEST(Comparison, TheTableHasWhatWasAskedFor) {
  ComparisonReport of = two_runs();
  of.answers = {"fast: it is."};
  of.boards = true;
  for (ComparedRun& one : of.comparison.runs) {
    one.samples = 1e6;
    one.grams_per_joule = 1e-4;
    one.largest_batch = 12;
  }
  of.comparison.runs[0].board = BoardPrice{Dollars(999), "resale", "", "2025-08"};
  const std::string text = comparison_table(of);
  EXPECT_THAT(text, testing::StartsWith("fast: it is.\n\n"));
  for (const char* part :
       {"all in", "16.7 min", "g CO2/1M", "board USD", "resale 2025", "pays after", "batch 12 does"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST(Comparison, TheChartIsTheOneThatTheRowsAllow) {
  ComparisonReport of = two_runs();
  EXPECT_EQ(comparison_svg(of), comparison_bars(of.comparison)) << "one price is no front";
  for (ComparedRun& one : of.comparison.runs) {
    one.price = GpuPrice{.rate = DollarsPerSecond(0.001)};
    one.memory = Bytes(1);
  }
  EXPECT_EQ(comparison_svg(of), comparison_scatter(of.comparison));
  EXPECT_THAT(comparison_svg(of), HasSubstr("USD a million samples"));
  of.comparison.runs.push_back(of.comparison.runs[0]);
  of.comparison.runs.back().batch_size = 200;
  EXPECT_EQ(comparison_svg(of), comparison_batches(of.comparison));
  EXPECT_NO_THROW(comparison_svg({}));
}

TEST(Comparison, ThePageIsSafeWhateverTheNames) {
  ComparisonReport of = two_runs();
  of.comparison.runs[0].model = "<script>alert(1)</script>\"";
  of.comparison.left_out = {"<b>"};
  const std::string page = comparison_page(of);
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, Not(HasSubstr("<b>")));
  EXPECT_THAT(page, HasSubstr("data-value=\"fast\""));
}

}  // namespace
}  // namespace rooftile
