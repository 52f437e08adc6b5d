#include "rooftile/learn/constants/group_spread.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "rooftile/calibration/calibration.hpp"

namespace rooftile {
namespace {

GroupResiduals groups_of(std::mt19937& random, std::size_t count, double between, double within) {
  std::normal_distribution<double> middle(0, between), rest(0, within);
  GroupResiduals groups(count);
  for (auto& group : groups) {
    const double own = middle(random);
    for (int i = 0; i < 100; ++i) group.push_back(own + rest(random));
  }
  return groups;
}

Spread spread_for(const GroupResiduals& groups, double usual) {
  return spread_of(groups, common_factor(middles_of(groups), usual)).value();
}

// Of one group's rows some share of its error: so coverage is asked of many groups, each seen by an interval of its
// own.
TEST(GroupSpread, HoldsRowsOfGroupsThatItHasNotSeen) {
  std::mt19937 random(7);
  for (const auto& [between, within] : {std::pair(0.2, 0.1), std::pair(0.05, 0.2), std::pair(0.3, 0.02)}) {
    double inside = 0, rows = 0;
    for (int trial = 0; trial < 400; ++trial) {
      const GroupResiduals all = groups_of(random, 6, between, within);
      const Spread spread = spread_for({all.begin() + 1, all.end()}, between);
      for (const double residual : all.front()) {
        rows += 1;
        inside += residual >= std::log(spread.low) && residual <= std::log(spread.high) ? 1 : 0;
      }
    }
    EXPECT_GT(inside / rows, 0.86) << between << ' ' << within;
    EXPECT_LT(inside / rows, 0.97) << between << ' ' << within;
  }
}

TEST(GroupSpread, KnowsWhatGroupsShare) {
  std::mt19937 random(7);
  const double apart = spread_for(groups_of(random, 40, 0.3, 0.02), 0.3).common;
  EXPECT_NEAR(std::log(apart), 1.69 * 0.3, 0.12);
  const double alike = spread_for(groups_of(random, 40, 0.01, 0.3), 0.01).common;
  EXPECT_LT(std::log(alike), 0.1);
}

TEST(GroupSpread, OfFewGroupsIsWiderAndLeansOnTheUsual) {
  const Middles one = middles_of({std::vector<double>(10, 0.1)});
  const Middles many = middles_of(GroupResiduals(30, std::vector<double>(10, 0.1)));
  EXPECT_GT(common_factor(one, 0.1), common_factor(many, 0.1));
  EXPECT_GT(common_factor({}, 0.3), common_factor({}, 0.1));
  EXPECT_EQ(common_factor({}, 0), 1);
}

TEST(GroupSpread, OfAFewRowsIsNone) { EXPECT_EQ(spread_of({{0.1, -0.1, 0.2}}, 1), std::nullopt); }

// Half of the rows are of a wrong unit, by which they are off by more than a calibration can say.
TEST(GroupSpread, OfAbsurdRowsCanBeRead) {
  std::vector<double> residuals(20, std::log(1e-6));
  residuals.insert(residuals.end(), 20, std::log(1e6));
  const Spread spread = spread_for({residuals}, 5);
  Calibration calibration;
  calibration.foreign_spreads = {{KernelFamily::tensor, "nvidia", spread}};
  const auto read = parse_calibration(write_calibration(calibration), "own.toml");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_NEAR(read->foreign_spreads.front().spread.value().low, std::exp(-6.9), 1e-4);
  EXPECT_NEAR(read->foreign_spreads.front().spread.value().high, std::exp(6.9), 1e-2);
}

}  // namespace
}  // namespace rooftile
