#include "rooftile/report/comparison.hpp"

#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "rooftile/base/test_json_schema.hpp"

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
  result.comparison.runs[0].price = std::make_shared<const GpuPrice>(GpuPrice{.rate = DollarsPerSecond(3.6 / 3600),
                                                                              .source = "given",
                                                                              .date = "2026-05-01",
                                                                              .tables = {"a table@1"},
                                                                              .old = true});
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
  EXPECT_EQ(json["runs"][0]["price"]["tables"][0], "a table@1");
  EXPECT_TRUE(json["runs"][1]["price"].is_null());
  EXPECT_FALSE(json.contains("grid"));
  ComparisonReport of = two_runs();
  of.comparison.grid = Grid{.grams_per_kwh = 56, .country = "france", .source = "a report", .year = 2023};
  const nlohmann::json grid = nlohmann::json::parse(comparison_json(of));
  EXPECT_TRUE(fits_schema(grid, "comparison-1.json"));
  EXPECT_EQ(grid["grid"]["source"], "a report");
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

TEST(Comparison, ManyRowsOfCsvKeepTheirOrder) {
  const ComparisonReport of = two_runs();
  ComparisonReport many = of;
  many.comparison.runs.clear();
  std::string expected = comparison_csv(many);
  for (std::int64_t i = 1; i <= 1201; ++i) {
    ComparedRun& run = many.comparison.runs.emplace_back(of.comparison.runs[0]);
    run.batch_size = i;
    ComparisonReport one = of;
    one.comparison.runs = {run};
    const std::string csv = comparison_csv(one);
    expected += csv.substr(csv.find('\n') + 1);
  }
  EXPECT_EQ(comparison_csv(many), expected);
}

TEST(Comparison, TheTableHasWhatWasAskedFor) {
  ComparisonReport of = two_runs();
  of.answers = {"fast: it is."};
  of.boards = true;
  for (ComparedRun& one : of.comparison.runs) {
    one.samples = 1e5;
    one.epochs = 10;
    one.grams_per_joule = 1e-4;
    one.largest_batch = 12;
  }
  of.comparison.runs[0].board = std::make_shared<const BoardPrice>(BoardPrice{Dollars(999), "resale", "", "2025-08"});
  const std::string text = comparison_table(of);
  EXPECT_THAT(text, testing::StartsWith("fast: it is.\n\n"));
  for (const char* part : {"USD/epoch", "all in", "16.7 min", "J/sample", "g CO2/1M", "board USD", "resale 2025",
                           "pays after", "batch 12 does"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST(Comparison, TheChartIsTheOneThatTheRowsAllow) {
  Comparison of = two_runs().comparison;
  EXPECT_EQ(fitting_chart(of), ComparisonChart::bars) << "one price is no front";
  for (ComparedRun& one : of.runs) {
    one.price = std::make_shared<const GpuPrice>(GpuPrice{.rate = DollarsPerSecond(0.001)});
    one.memory = Bytes(1);
  }
  EXPECT_EQ(fitting_chart(of), ComparisonChart::scatter);
  EXPECT_THAT(comparison_chart(of, ComparisonChart::scatter), HasSubstr("USD per million samples"));
  of.runs.push_back(of.runs[0]);
  of.runs.back().precision = "fp32";
  EXPECT_EQ(fitting_chart(of), ComparisonChart::scatter) << "another precision is no curve";
  of.runs.back().batch_size = 200;
  EXPECT_EQ(fitting_chart(of), ComparisonChart::batches);
}

TEST(Comparison, ACurveGoesThroughTheBestPrecisionOfEachBatch) {
  Comparison of = two_runs().comparison;
  of.runs = {run("a", 0.1, 2), run("a", 0.15, 2)};
  of.runs[0].precision = "fp32";
  of.runs[1].batch_size = 200;
  const std::string curves = comparison_chart(of, ComparisonChart::batches);
  EXPECT_THAT(curves, HasSubstr(">a<"));
  EXPECT_THAT(curves, HasSubstr("a x 100, fp32"));
  EXPECT_THAT(curves, HasSubstr("a x 200, fp16"));
  for (const char* batch : {">100<", ">200<"}) EXPECT_THAT(curves, HasSubstr(batch)) << "on the axis";
}

TEST(Comparison, ChartsTellPrecisionsApart) {
  Comparison of = two_runs().comparison;
  of.runs = {run("a", 0.1, 2), run("a", 0.3, 2), run("a", 0.15, 2), run("a", 0.5, 2)};
  for (const std::size_t i : {1, 3}) of.runs[i].precision = "fp32";
  for (const std::size_t i : {2, 3}) of.runs[i].batch_size = 200;
  for (ComparedRun& one : of.runs)
    one.price = std::make_shared<const GpuPrice>(GpuPrice{.rate = DollarsPerSecond(0.001)});
  const std::string curves = comparison_chart(of, ComparisonChart::batches);
  EXPECT_THAT(curves, HasSubstr(">a, fp16<"));
  EXPECT_THAT(curves, HasSubstr(">a, fp32<"));
  for (const ComparisonChart chart : {ComparisonChart::bars, ComparisonChart::scatter}) {
    EXPECT_THAT(comparison_chart(of, chart), HasSubstr("a x 100, fp16"));
    EXPECT_THAT(comparison_chart(of, chart), HasSubstr("a x 200, fp32"));
  }
  of.runs.pop_back();
  of.runs.erase(of.runs.begin() + 1);
  EXPECT_THAT(comparison_chart(of, ComparisonChart::batches), Not(HasSubstr("a, fp16")));
}

TEST(Comparison, AnEmptyChartSaysWhyItWouldBe) {
  using enum ComparisonChart;
  Comparison of = two_runs().comparison;
  for (const ComparisonChart chart : {scatter, bars, batches}) {
    EXPECT_EQ(nothing_to_draw(of, chart), "");
    EXPECT_EQ(nothing_to_draw({}, chart), "there is no run to draw");
    EXPECT_NO_THROW(comparison_chart({}, chart));
  }
  of.runs[0].price.reset();
  EXPECT_EQ(nothing_to_draw(of, scatter), "no price is known of a GPU whose memory is enough");
  EXPECT_EQ(nothing_to_draw(of, batches), "");
  of.runs[0].memory = Bytes(1e15);
  EXPECT_EQ(nothing_to_draw(of, scatter), "no run fits its GPU's memory");
  EXPECT_EQ(nothing_to_draw(of, batches), "no run fits its GPU's memory");
  EXPECT_EQ(nothing_to_draw(of, bars), "");
  EXPECT_THAT(comparison_page({}), Not(HasSubstr("<svg")));
}

TEST(Comparison, ThePageShowsWhatTheTableDoesAndWhereThePriceIsFrom) {
  ComparisonReport of = two_runs();
  of.comparison.runs[1].largest_batch = 57;
  of.comparison.grid = Grid{.grams_per_kwh = 56, .country = "france", .source = "a report", .year = 2023};
  for (ComparedRun& one : of.comparison.runs) one.grams_per_joule = 1e-4;
  const std::string page = comparison_page(of);
  EXPECT_THAT(page, HasSubstr("does not fit: 41.5 of 24 GiB, batch 57 does"));
  EXPECT_THAT(page, HasSubstr(">800 to 1,250<"));
  EXPECT_THAT(page, HasSubstr("<button>J/sample</button>"));
  EXPECT_THAT(page, HasSubstr("<td data-value=\"0.1\">100 ms</td>"));
  EXPECT_THAT(page, HasSubstr("56 g of CO2 per kWh of france in 2023 (a report)"));
  EXPECT_THAT(page, HasSubstr("<li>fast, USD/h: given</li>"));
}

TEST(Comparison, LongNamesLeaveRoomForTheFigures) {
  ComparisonReport of = two_runs();
  for (ComparedRun& one : of.comparison.runs) one.model = "begin" + std::string(200, 'm') + "end";
  const std::string page = comparison_page(of);
  EXPECT_THAT(page, Not(HasSubstr(">" + of.comparison.runs.front().model + "<")));
  EXPECT_THAT(page, HasSubstr("mmmend<"));
}

TEST(Comparison, OnPaperThePageShowsAllColumns) {
  const std::string page = comparison_page(two_runs());
  const std::string paper = page.substr(page.find("@media print"));
  EXPECT_THAT(paper, HasSubstr("size: landscape"));
  EXPECT_THAT(paper, HasSubstr(".wide { overflow: visible; }"));
  EXPECT_THAT(paper, HasSubstr("white-space: normal"));
}

TEST(Comparison, AnswersAndReasonsStayWithinThePage) {
  ComparisonReport of = two_runs();
  of.answers = {std::string(60, 'a') + " " + std::string(19, 'b') + " " + std::string(60, 'c') + " " +
                std::string(17, 'd') + " " + std::string(19, 'e')};
  of.comparison.left_out = {"old: " + of.answers.front(), "old: another network, another reason"};
  constexpr std::size_t kWidth = 80;
  const std::string text = comparison_table(of, kWidth);
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    EXPECT_LE(text.find('\n', at) - at, kWidth) << text.substr(at, kWidth);
  }
  EXPECT_THAT(text, HasSubstr("left out    1 GPU\n")) << "for two reasons";
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
