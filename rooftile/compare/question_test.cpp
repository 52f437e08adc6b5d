#include "rooftile/compare/question.hpp"

#include <memory>

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
  if (usd_per_hour > 0) {
    one.price = std::make_shared<const GpuPrice>(GpuPrice{.rate = DollarsPerSecond(usd_per_hour / 3600)});
  }
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
  EXPECT_EQ(parse_question("Which batch size is the fastest?")->kind, Question::Kind::batch);
}

TEST(Question, BoundsAreReadHoweverPeopleSayThem) {
  for (const char* text : {"fastest for less than 2 dollars per hour", "fastest at most 2 USD/h", "fastest below $2/hr",
                           "the fastest GPU for under 2usd an hour", "fastest up to $2 each hour",
                           "fastest for $2 USD/h", "fastest, no more than 2 US dollars a GPU-hour, please"}) {
    const auto question = parse_question(text);
    ASSERT_TRUE(question) << text << ": " << question.error().text();
    EXPECT_EQ(question->usd_per_hour, 2) << text;
    EXPECT_FALSE(question->budget) << text;
    EXPECT_FALSE(question->within) << text;
  }
  for (const char* text : {"cheapest by 24 h", "cheapest in less than 24h", "cheapest that takes at most 24 hours",
                           "cheapest in a day.", "cheapest within one day"}) {
    const auto question = parse_question(text);
    ASSERT_TRUE(question) << text << ": " << question.error().text();
    EXPECT_EQ(question->within, Seconds(86400)) << text;
  }
  const Question both = parse_question("cheapest for at most 500 dollars in total in 3 weeks").value();
  EXPECT_EQ(both.budget, Dollars(500));
  EXPECT_EQ(both.within, Seconds(21 * 86400.0));
}

TEST(Question, AWordThatMeansNothingIsNotPassedOver) {
  const auto message = [](const char* text) {
    const auto question = parse_question(text);
    return question ? std::string() : question.error().message;
  };
  EXPECT_EQ(
      message("cheapest by carbon"),
      "'carbon' is not understood; ask \"cheapest in 24 h\", \"fastest under 2 USD an hour\", \"fastest under 500 "
      "USD\", \"upgrade from X to Y\" or \"which batch\"");
  for (const auto& [text, word] : {std::pair("fastest over 2 USD/h", "'over' is not"),
                                   {"fastest at batch 8", "'at' is"},
                                   {"fastest without amd", "'without' is"},
                                   {"fastest under 2 USD a day", "'a day' is"},
                                   {"upgrade from t4 to l4 in 24 h", "'24' is"},
                                   {"fastest under 2 USD 3 h", "'3' is"},
                                   {"fastest and cheapest", "'cheapest' is"},
                                   {"fastest under 0.4 EUR/h", "'EUR/h' is"},
                                   {"fastest under 0.4 EUR an hour", "'EUR' is neither a time nor USD"},
                                   {"fastest under \u20ac2 an hour", "'\u20ac2' is no amount"},
                                   {"fastest for 2,5 USD", "',5' is neither"},
                                   {"fastest under 500", "500 of what?"},
                                   {"cheapest in ", "an amount is missing"},
                                   {"cheapest in 2 months", "'months' is neither"}}) {
    EXPECT_THAT(message(text), HasSubstr(word)) << text;
  }
}

TEST(Question, WhatIsNoneIsOneLine) {
  EXPECT_THAT(parse_question("why").error().message, HasSubstr("'why': ask \"cheapest in 24 h\""));
  EXPECT_THAT(parse_question("").error().message, HasSubstr("ask"));
  EXPECT_THAT(parse_question("upgrade from t4").error().message, HasSubstr("from one GPU to another"));
  EXPECT_THAT(parse_question("cheapest in a while").error().message, HasSubstr("'while' is not understood"));
  EXPECT_THAT(parse_question("fastest under -3 USD").error().message, HasSubstr("'-3' is no amount"));
}

TEST(Answers, NameTheBestTheNextAndWhatDoesNotCount) {
  EXPECT_EQ(
      answer("cheapest", three()),
      "fast at batch size 10 in fp16: 1000 samples/s, 1.11 USD per million samples at 4 USD/h; limited by dram. "
      "Next: slow at batch size 10 in fp16, 100 samples/s, 1.39 USD per million samples at 0.5 USD/h. Left out of 3 "
      "runs: 1 without a price.");
  EXPECT_THAT(answer("fastest", three()), HasSubstr("priceless at batch size 10"));
  EXPECT_THAT(answer("fastest under 1 USD an hour", three()), testing::StartsWith("slow at batch"));
  EXPECT_EQ(answer("fastest under 0.1 USD an hour", three()),
            "None of 3 runs: 1 without a price, 2 over the price of an hour.");
  EXPECT_EQ(answer("fastest", {}), "None: no GPU is left.");
}

TEST(Answers, OfEachNetworkThereIsOne) {
  Comparison two = three();
  for (ComparedRun& one : two.runs) one.model = "small";
  two.runs.push_back(run("slow", 10, 100, 0.5));  // "net", whose samples take longer
  two.runs.push_back(run("priceless", 10, 50, 0));
  EXPECT_THAT(answers(parse_question("cheapest").value(), two).value(),
              testing::ElementsAre(testing::StartsWith("small: fast at batch size 10 in fp16: "),
                                   testing::StartsWith("net: slow at batch size 10 in fp16: ")));
  EXPECT_THAT(answers(parse_question("fastest under 0.1 USD/h").value(), two)->back(),
              testing::StartsWith("net: none of 2 runs: "));
}

TEST(Answers, ABoundOnTheWholeNeedsItsSamples) {
  EXPECT_THAT(answer("cheapest in 1 h", three()), HasSubstr("needs --samples"));
  Comparison whole = three();
  for (ComparedRun& one : whole.runs) one.samples = 1e6;
  EXPECT_THAT(answer("cheapest in 1 h", whole), testing::StartsWith("fast at batch size 10 in fp16: 16.7 min"));
  EXPECT_THAT(answer("cheapest in 1 min", whole), HasSubstr("None of 3 runs: 1 without a price, 2 too slow"));
}

TEST(Answers, AnUpgradeIsWorthItWhereASampleCostsLess) {
  EXPECT_THAT(
      answer("upgrade from slow to fast", three()),
      HasSubstr(
          "10.00 times as fast (1000 instead of 100 samples/s at batch size 10 in fp16; fast is limited by dram)"));
  EXPECT_THAT(answer("upgrade from slow to fast", three()), HasSubstr("1.11 USD instead of 1.39 USD: worth it."));
  EXPECT_THAT(answer("upgrade from fast to slow", three()), HasSubstr("not worth it"));
  EXPECT_THAT(answer("upgrade from slow to priceless", three()), HasSubstr("no price of both is known"));
  Comparison other = three();
  other.runs[1].precision = "bf16";
  EXPECT_THAT(answer("upgrade from slow to fast", other),
              HasSubstr("1000 samples/s at batch size 10 in bf16 instead of 100 at batch size 10 in fp16"));
}

TEST(Answers, AnUpgradeSaysWhatDoesNotFit) {
  Comparison large = three();
  large.runs[0].memory = Bytes(48.0 * 1024 * 1024 * 1024);
  large.runs[0].capacity = Bytes(24.0 * 1024 * 1024 * 1024);
  large.runs[0].largest_batch = 4;
  EXPECT_EQ(
      answer("upgrade from slow to fast", large),
      "net: does not fit slow: 48 of 24 GiB, batch 4 does; fast at batch size 10 in fp16: 1000 samples/s, 1.11 USD "
      "per million samples at 4 USD/h.");
  EXPECT_EQ(answer("upgrade from fast to slow", large), "net: does not fit slow: 48 of 24 GiB, batch 4 does.");
  EXPECT_EQ(answer("upgrade from slow to none", large),
            "net: does not run on none, and does not fit slow: 48 of 24 GiB, batch 4 does.");
}

TEST(Answers, TheBatchIsTheSmallestThatIsFastEnough) {
  Comparison comparison;
  comparison.runs = {run("a", 1, 0.01, 1), run("a", 32, 0.033, 1), run("a", 256, 0.256, 1)};
  EXPECT_EQ(answer("which batch", comparison),
            "net on a in fp16: 32, 969.7 samples/s in 33 ms a batch; 256 brings 3.1 % more and takes 256 ms.");
  for (ComparedRun& one : comparison.runs) one.precision = one.batch_size == 256 ? "fp16" : "fp32";
  EXPECT_THAT(answers(parse_question("which batch").value(), comparison).value(),
              testing::ElementsAre(testing::StartsWith("net on a in fp16: 256, "),
                                   testing::StartsWith("net on a in fp32: 32, ")));
}

}  // namespace
}  // namespace rooftile
