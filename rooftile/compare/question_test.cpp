#include "rooftile/compare/question.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rooftile {
namespace {

using testing::HasSubstr;

ComparedRun run(const char* gpu, std::int64_t batch, double seconds, double usd_per_hour) {
  ComparedRun one;
  one.model = "net";
  one.gpu = gpu;
  one.precision = "fp16";
  one.batch_size = batch;
  one.time = Seconds(seconds);
  one.limit = "dram";
  one.memory = Bytes(1);
  one.capacity = Bytes(2);
  if (usd_per_hour > 0) one.price = GpuPrice{.rate = DollarsPerSecond(usd_per_hour / 3600)};
  return one;
}

Comparison three() {
  Comparison comparison;
  comparison.runs = {run("slow", 10, 0.1, 0.5), run("fast", 10, 0.01, 4), run("priceless", 10, 0.005, 0)};
  return comparison;
}

std::string answer(const std::string& text, const Comparison& comparison) {
  const auto sentences = answers(parse_question(text).value(), comparison);
  return sentences ? sentences->front() : sentences.error().text();
}

TEST(Question, IsReadFromASentence) {
  const Question cheapest = parse_question("What is the cheapest that trains this in 24 h?").value();
  EXPECT_EQ(cheapest.kind, Question::Kind::cheapest);
  EXPECT_EQ(cheapest.within, Seconds(86400));
  EXPECT_EQ(parse_question("cheapest within 3 days")->within, Seconds(3 * 86400.0));
  EXPECT_EQ(parse_question("cheapest within 90min")->within, Seconds(5400));
  EXPECT_EQ(parse_question("fastest under 2 USD an hour")->usd_per_hour, 2);
  EXPECT_EQ(parse_question("fastest under $2.50 USD/h")->usd_per_hour, 2.5);
  EXPECT_EQ(parse_question("Fastest under 500 USD")->budget, Dollars(500));
  const Question upgrade = parse_question("is it worth upgrading from t4 to rtx-4090, and for which models?").value();
  EXPECT_EQ(upgrade.kind, Question::Kind::upgrade);
  EXPECT_EQ(upgrade.from, "t4");
  EXPECT_EQ(upgrade.to, "rtx-4090");
  EXPECT_EQ(parse_question("which batch")->kind, Question::Kind::batch);
}

TEST(Question, WhatIsNoneIsOneLine) {
  EXPECT_THAT(parse_question("why").error().message, HasSubstr("'why': ask \"cheapest in 24 h\""));
  EXPECT_THAT(parse_question("").error().message, HasSubstr("ask"));
  EXPECT_THAT(parse_question("upgrade from t4").error().message, HasSubstr("from one GPU to another"));
  EXPECT_THAT(parse_question("cheapest in a while").error().message, HasSubstr("'a' is no time"));
  EXPECT_THAT(parse_question("fastest under -3 USD").error().message, HasSubstr("'-3' is no amount"));
}

TEST(Answers, NameTheBestTheNextAndWhatDoesNotCount) {
  EXPECT_EQ(
      answer("cheapest", three()),
      "fast at batch size 10 in fp16: 1000 samples/s, 1.11 USD a million samples at 4 USD/h; limited by dram. "
      "Next: slow at batch size 10 in fp16, 100 samples/s, 1.39 USD a million samples at 0.5 USD/h. Left out of 3 "
      "runs: 1 without a price.");
  EXPECT_THAT(answer("fastest", three()), HasSubstr("priceless at batch size 10"));
  EXPECT_THAT(answer("fastest under 1 USD an hour", three()), testing::StartsWith("slow at batch"));
  EXPECT_EQ(answer("fastest under 0.1 USD an hour", three()),
            "None of 3 runs: 1 without a price, 2 over the price of an hour.");
}

TEST(Answers, ABoundOnTheWholeNeedsItsSamples) {
  EXPECT_THAT(answer("cheapest in 1 h", three()), HasSubstr("needs --samples"));
  Comparison whole = three();
  for (ComparedRun& one : whole.runs) one.samples = 1e6;
  EXPECT_THAT(answer("cheapest in 1 h", whole), testing::StartsWith("fast at batch size 10 in fp16: 16.7 min"));
  EXPECT_THAT(answer("cheapest in 1 min", whole), HasSubstr("None of 3 runs: 1 without a price, 2 too slow"));
}

TEST(Answers, AnUpgradeIsWorthItWhereASampleCostsLess) {
  EXPECT_THAT(answer("upgrade from slow to fast", three()), HasSubstr("10.00 times as fast"));
  EXPECT_THAT(answer("upgrade from slow to fast", three()), HasSubstr("1.11 USD instead of 1.39 USD: worth it."));
  EXPECT_THAT(answer("upgrade from fast to slow", three()), HasSubstr("not worth it"));
  EXPECT_THAT(answer("upgrade from slow to priceless", three()), HasSubstr("no price of both is known"));
}

TEST(Answers, TheBatchIsTheSmallestThatIsFastEnough) {
  Comparison comparison;
  comparison.runs = {run("a", 1, 0.01, 1), run("a", 32, 0.033, 1), run("a", 256, 0.256, 1)};
  EXPECT_EQ(answer("which batch", comparison),
            "net on a: 32, 969.7 samples/s in 33 ms a batch; 256 brings 3.1 % more and takes 256 ms.");
}

}  // namespace
}  // namespace rooftile
