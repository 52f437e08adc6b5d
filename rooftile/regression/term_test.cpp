#include "rooftile/regression/term.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rooftile::regression {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> names_of(const std::vector<Term>& terms) {
  std::vector<std::string> names;
  for (const Term& term : terms) names.push_back(text_of(term));
  return names;
}

TEST(Terms, HaveNames) {
  EXPECT_EQ(text_of(Term{}), "1");
  EXPECT_EQ(text_of(Term{{"gpus", -1}}), "1/gpus");
  EXPECT_EQ(text_of(Term{{"batch"}, {"gpus", -1}, {"flops", 1, true}, {"size", -0.5}}),
            "batch*ln(flops)/gpus/size^0.5");
}

TEST(Alphabet, HasProductsOfDistinctColumnsAndNoneWithItsOwnInverse) {
  const std::vector<std::string> columns = {"I", "B"};
  EXPECT_THAT(names_of(*alphabet(columns, {.degree = 2})),
              ElementsAre("1", "I", "1/I", "B", "1/B", "I*B", "I/B", "B/I", "1/I/B"));
  EXPECT_THAT(names_of(*alphabet(columns, {.degree = 5, .inverses = false, .intercept = false})),
              ElementsAre("I", "B", "I*B"));
}

// Six columns: C(6,1) 2 + C(6,2) 4 + C(6,3) 8 = 232 terms and the intercept.
TEST(Alphabet, IsAsLargeAsCombinatoricsSay) {
  const std::vector<std::string> columns = {"I", "B", "G", "P", "D", "T"};
  EXPECT_EQ(alphabet(columns, {.degree = 3})->size(), 233U);
}

TEST(Alphabet, RefusesMoreThanAFitCanHold) {
  const std::vector<std::string> columns(60, "c");
  EXPECT_THAT(alphabet(columns, {.degree = 4}).error().message, HasSubstr("more than 5000 terms"));
}

TEST(DesignMatrix, HoldsTheValues) {
  NumberTable table = {{"a", "b"}, Matrix(2, 2)};
  table.values(0, 0) = 6;
  table.values(1, 0) = std::exp(1.0);
  table.values(0, 1) = 3;
  table.values(1, 1) = 2;
  const auto design = design_matrix(std::vector<Term>{{}, {{"a"}, {"b", -1}}, {{"a", 1, true}}, {{"b", 2}}}, table);
  ASSERT_TRUE(design);
  EXPECT_EQ((*design)(1, 0), 1);
  EXPECT_EQ((*design)(0, 1), 2);
  EXPECT_DOUBLE_EQ((*design)(1, 2), 1);
  EXPECT_EQ((*design)(0, 3), 9);
}

TEST(DesignMatrix, SaysWhichTermIsNoNumber) {
  const NumberTable table = {{"a", "b"}, Matrix(1, 2)};
  EXPECT_EQ(design_matrix(std::vector<Term>{{{"b", -1}}}, table).error().message,
            "1/b is no number in row 1, where b = 0");
  EXPECT_FALSE(design_matrix(std::vector<Term>{{{"a", 1, true}}}, table));
  EXPECT_THAT(design_matrix(std::vector<Term>{{{"c"}}}, table).error().message, HasSubstr("no column 'c'"));
}

}  // namespace
}  // namespace rooftile::regression
