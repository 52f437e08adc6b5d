#include "rooftile/validate/filter.hpp"

#include <map>
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace rooftile {
namespace {

using testing::HasSubstr;

bool holds(const std::string& condition) {
  static const std::map<std::string, std::string> kRow = {{"gpu", "t4"},     {"K", "64"},  {"time_us", "1.5e2"},
                                                          {"kernel", "a b"}, {"flag", ""}, {"not_a_number", "nan"}};
  const auto filter = Filter::parse(condition);
  EXPECT_TRUE(filter.has_value()) << condition << ": " << filter.error().text();
  return filter && filter->matches([](const std::string& column) -> std::string_view {
    const auto found = kRow.find(column);
    return found == kRow.end() ? std::string_view() : found->second;
  });
}

std::string error_of(const std::string& condition) {
  const auto filter = Filter::parse(condition);
  return filter ? "no error" : filter.error().text();
}

TEST(Filter, ComparesNumbersAndText) {
  for (const char* yes : {"gpu = t4", "gpu == t4", "gpu != v100", "K = 64.0", "K >= 64", "K<=64", "K > 63", "K < 1e3",
                          "time_us = 150", "kernel = 'a b'", "kernel = \"a b\"", "flag = ''", "missing = ''"}) {
    EXPECT_TRUE(holds(yes)) << yes;
  }
  for (const char* no : {"gpu = T4", "gpu < 5", "gpu > 5", "K > 64", "K = sixty", "K != 64", "flag > 0", "missing < 1",
                         "not_a_number < 1", "not_a_number >= 1"}) {
    EXPECT_FALSE(holds(no)) << no;
  }
}

TEST(Filter, NumbersMayHaveUnits) {
  for (const char* yes : {"time_us = 150us", "time_us < 1 ms", "time_us < 1ms and K < 1k",
                          "(time_us < 1 ms) and K < 1 k", "time_us < '1 ms'", "kernel != 3d"}) {
    EXPECT_TRUE(holds(yes)) << yes;
  }
  for (const char* no : {"time_us > 1 ms", "K >= 1k"}) EXPECT_FALSE(holds(no)) << no;
  EXPECT_THAT(error_of("K = 1 and time_us < 10 W"), HasSubstr("character 21: '10 W' has a wrong or unknown unit"));
  EXPECT_THAT(error_of("time_us = 10W"), HasSubstr("'10W' has a wrong or unknown unit"));
}

// Which would hold for no row.
TEST(Filter, AnOrderNeedsANumber) {
  EXPECT_EQ(error_of("K < sixty"), "character 5: <, <=, > and >= take a number, not 'sixty'");
  EXPECT_EQ(error_of("K >= 10ms"), "character 6: <, <=, > and >= take a number, not '10ms'");
}

TEST(Filter, AColumnAloneHoldsUnlessItSaysNo) {
  const auto holds_for = [](const char* cell, const char* condition) {
    return Filter::parse(condition)->matches([&](const std::string& column) { return column == "fits" ? cell : "3"; });
  };
  for (const char* yes : {"1", "yes", "true", "t4"}) EXPECT_TRUE(holds_for(yes, "fits")) << yes;
  for (const char* no : {"", "0", "no", "No", "false"}) EXPECT_FALSE(holds_for(no, "fits")) << no;
  EXPECT_TRUE(holds_for("1", "fits and K < 4"));
  EXPECT_TRUE(holds_for("0", "not fits and (K < 4)"));
  EXPECT_TRUE(holds_for("1", "(K > 4 or fits)"));
}

TEST(Filter, NotBindsTighterThanAndThanOr) {
  EXPECT_TRUE(holds("gpu = t4 or gpu = x and gpu = y"));
  EXPECT_FALSE(holds("(gpu = t4 or gpu = x) and gpu = y"));
  EXPECT_TRUE(holds("not gpu = x and K = 64"));
  EXPECT_FALSE(holds("not (gpu = x or K = 64)"));
  EXPECT_TRUE(holds("NOT not gpu = t4 AND (K = 64)"));
}

// gpu is t4; what K is, nobody knows yet.
TEST(Filter, KnownCellsMayDecide) {
  const auto may_match = [](const std::string& condition) {
    return Filter::parse(condition)->may_match([](const std::string& column) -> std::optional<std::string_view> {
      return column == "gpu" ? std::optional<std::string_view>("t4") : std::nullopt;
    });
  };
  for (const char* yes : {"gpu = t4", "gpu = t4 and K = 1", "K = 1 and K = 2", "gpu = v100 or K = 1", "not gpu = v100",
                          "not (gpu = t4 and K = 1)", "not K = 1 and gpu != v100"}) {
    EXPECT_TRUE(may_match(yes)) << yes;
  }
  for (const char* no : {"gpu = v100", "gpu = v100 and K = 1", "K = 1 and gpu = v100", "not gpu = t4",
                         "not (gpu = t4 or K = 1)", "gpu = v100 or not gpu = t4", "(K = 1 or K = 2) and gpu != t4"}) {
    EXPECT_FALSE(may_match(no)) << no;
  }
}

TEST(Filter, ErrorsPointAtTheSpot) {
  EXPECT_EQ(error_of(""), "character 1: expected a column, but the condition ends");
  EXPECT_EQ(error_of("gpu t4"), "character 5: expected =, !=, <, <=, > or >=, not 't4'");
  EXPECT_EQ(error_of("gpu ="), "character 6: expected a number, a word or quoted text, but the condition ends");
  EXPECT_EQ(error_of("gpu = t4 K = 3"), "character 10: expected 'and', 'or' or the end, not 'K = 3'");
  EXPECT_EQ(error_of("gpu = t4 and"), "character 13: expected a column, but the condition ends");
  EXPECT_EQ(error_of("and = 3"), "character 1: expected a column, not 'and = 3'");
  EXPECT_EQ(error_of("(gpu = t4"), "character 10: expected ')', but the condition ends");
  EXPECT_EQ(error_of("gpu = t4)"), "character 9: expected 'and', 'or' or the end, not ')'");
  EXPECT_EQ(error_of("gpu = 't4"), "character 7: unclosed quote");
  EXPECT_THAT(error_of(std::string(100000, '(')), HasSubstr("nested too deeply"));
  std::string chain = "a = 1";
  for (int i = 0; i < 100000; ++i) chain += " or a = 1";
  EXPECT_THAT(error_of(chain), HasSubstr("more than 1000 conditions"));
  EXPECT_THAT(error_of("not " + std::string(100000, '(')), HasSubstr("nested too deeply"));
}

TEST(Filter, NamesItsColumns) {
  const Filter filter = Filter::parse("gpu = t4 and K >= 64").value();
  EXPECT_EQ(filter.text(), "gpu = t4 and K >= 64");
  ASSERT_EQ(filter.columns().size(), 2U);
  EXPECT_EQ(filter.columns()[1].column, "K");
  EXPECT_EQ(filter.columns()[1].place, 14U);
  EXPECT_FALSE(filter.columns()[1].alone);
  EXPECT_TRUE(Filter::parse("fits")->columns()[0].alone);
}

TEST(Filter, AnyTextIsAFilterOrAnErrorOfOneLine) {
  EXPECT_TRUE(rc::check([](const std::vector<std::size_t>& picks) {
    static const std::vector<std::string> kParts = {"gpu", "=",  "t4", "(", ")",  "not",
                                                    "and", "or", "<",  "'", "\n", "!"};
    std::string text;
    for (const std::size_t pick : picks) text += kParts[pick % kParts.size()] + (pick % 3 == 0 ? "" : " ");
    const auto filter = Filter::parse(text);
    if (!filter) RC_ASSERT(filter.error().text().find('\n') == std::string::npos);
  }));
}

}  // namespace
}  // namespace rooftile
