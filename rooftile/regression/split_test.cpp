#include "rooftile/regression/split.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace rooftile::regression {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Every row is on one side and only one.
bool partitions(const Split& split, std::size_t rows) {
  std::set<std::size_t> seen(split.training.begin(), split.training.end());
  seen.insert(split.validation.begin(), split.validation.end());
  return seen.size() == rows && split.training.size() + split.validation.size() == rows;
}

std::vector<std::string> groups_of(const std::vector<int>& numbers) {
  std::vector<std::string> groups;
  for (const int number : numbers) groups.push_back(fmt::format("g{}", number % 7));
  return groups;
}

TEST(HoldOut, TakesAboutTheShare) {
  const auto split = hold_out(100, 0.2, 1);
  ASSERT_TRUE(split);
  EXPECT_EQ(split->validation.size(), 20U);
  EXPECT_TRUE(partitions(*split, 100));
  EXPECT_EQ(*split, *hold_out(100, 0.2, 1));
  EXPECT_NE(*split, *hold_out(100, 0.2, 2));
}

// As mt19937_64 and the shuffle of this file give it: another machine or compiler draws the same.
TEST(HoldOut, IsTheSameEverywhere) { EXPECT_THAT(hold_out(10, 0.3, 1)->validation, ElementsAre(1, 3, 7)); }

TEST(HoldOut, RefusesWhatLeavesNothing) {
  EXPECT_FALSE(hold_out(1, 0.5, 1));
  EXPECT_FALSE(hold_out(10, 0, 1));
  EXPECT_FALSE(hold_out(10, 1, 1));
  const std::vector<std::string> one(10, "same");
  EXPECT_THAT(hold_out(10, 0.5, 1, one).error().message, HasSubstr("1 groups of rows"));
}

TEST(KFold, HoldsEveryRowOutOnceAndKeepsGroupsTogether) {
  EXPECT_TRUE(rc::check("folds partition the rows by group", [] {
    const auto numbers =
        *rc::gen::suchThat(rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 100)), [](const auto& v) {
          std::set<int> groups;
          for (const int number : v) groups.insert(number % 7);
          return groups.size() >= 3;
        });
    const auto groups = groups_of(numbers);
    const auto folds = k_fold(groups.size(), 3, *rc::gen::arbitrary<std::uint64_t>(), groups);
    RC_ASSERT(folds.has_value());
    std::vector<int> held(groups.size(), 0);
    for (const Split& fold : *folds) {
      RC_ASSERT(partitions(fold, groups.size()));
      RC_ASSERT(!fold.validation.empty() && !fold.training.empty());
      std::set<std::string> inside;
      for (const std::size_t row : fold.validation) {
        ++held[row];
        inside.insert(groups[row]);
      }
      for (const std::size_t row : fold.training) RC_ASSERT(inside.count(groups[row]) == 0U);
    }
    RC_ASSERT(std::all_of(held.begin(), held.end(), [](int count) { return count == 1; }));
  }));
}

TEST(KFold, FoldsAreOfOneSize) {
  const auto folds = k_fold(103, 5, 9);
  ASSERT_TRUE(folds);
  for (const Split& fold : *folds) EXPECT_NEAR(static_cast<double>(fold.validation.size()), 20.6, 0.7);
  EXPECT_FALSE(k_fold(3, 4, 1));
  EXPECT_FALSE(k_fold(3, 1, 1));
  EXPECT_EQ(up_to_k_fold(3, 5, 1)->size(), 3U);
}

TEST(LeaveOneGroupOut, NamesTheGroups) {
  const auto splits = leave_one_group_out(std::vector<std::string>{"k80", "p100", "k80"});
  ASSERT_TRUE(splits);
  EXPECT_EQ((*splits)[0].name, "k80");
  EXPECT_THAT((*splits)[0].validation, ElementsAre(0, 2));
  EXPECT_THAT((*splits)[1].training, ElementsAre(0, 2));
  EXPECT_FALSE(leave_one_group_out(std::vector<std::string>{"k80"}));
}

TEST(Bounds, AreRead) {
  EXPECT_EQ(*parse_bound("batch_size > 64"), (Bound{"batch_size", ">", 64}));
  EXPECT_EQ(*parse_bound("gpus<=1.5"), (Bound{"gpus", "<=", 1.5}));
  for (const char* text : {"", "batch", "> 3", "batch >", "batch > many", "batch > 3 4", "batch > inf", "a = 3"}) {
    EXPECT_THAT(parse_bound(text).error().message, HasSubstr("is not a bound")) << text;
  }
}

TEST(Extrapolation, HoldsOutWhatIsBeyondAnyBound) {
  NumberTable table = {{"batch", "gpus"}, Matrix(4, 2)};
  for (std::size_t row = 0; row < 4; ++row) {
    table.values(row, 0) = 8 << row;
    table.values(row, 1) = row == 0 ? 8 : 1;
  }
  const auto split = extrapolation(table, std::vector<Bound>{{"batch", ">", 32}, {"gpus", ">=", 8}});
  ASSERT_TRUE(split);
  EXPECT_THAT(split->validation, ElementsAre(0, 3));
  EXPECT_EQ(split->name, "batch > 32 or gpus >= 8");
  EXPECT_THAT(extrapolation(table, std::vector<Bound>{{"bacth", ">", 1}}).error().message,
              HasSubstr("did you mean 'batch'"));
  EXPECT_THAT(extrapolation(table, std::vector<Bound>{{"batch", ">", 99}}).error().message, HasSubstr("no row"));
  EXPECT_THAT(extrapolation(table, std::vector<Bound>{{"batch", ">", 1}}).error().message, HasSubstr("every row"));
}

}  // namespace
}  // namespace rooftile::regression
