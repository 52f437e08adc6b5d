#include "rooftile/explore/pareto.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace rooftile {
namespace {

using Point = std::vector<double>;

bool beats(const std::vector<Point>& points, std::size_t a, std::size_t b) {
  if (points[a] == points[b]) return a < b;
  for (std::size_t k = 0; k < points[a].size(); ++k) {
    if (points[a][k] > points[b][k]) return false;
  }
  return true;
}

// The indexes of those that no other beats, by comparing all with all.
std::set<std::size_t> by_pairs(const std::vector<Point>& points) {
  std::set<std::size_t> front;
  for (std::size_t i = 0; i < points.size(); ++i) {
    bool beaten = false;
    for (std::size_t j = 0; j < points.size() && !beaten; ++j) beaten = j != i && beats(points, j, i);
    if (!beaten) front.insert(i);
  }
  return front;
}

// … by the set, which sees the points in that order.
std::set<std::size_t> by_set(const std::vector<Point>& points, const std::vector<std::size_t>& order) {
  ParetoSet set(points.front().size());
  std::vector<std::size_t> at;  // of each place
  for (const std::size_t i : order) {
    if (set.beats(points[i].data(), i)) continue;
    const std::size_t place = set.insert(points[i].data(), i);
    at.resize(std::max(at.size(), place + 1));
    EXPECT_LT(place, set.places());
    at[place] = i;
  }
  std::set<std::size_t> front;
  for (const std::size_t place : set.taken()) front.insert(at[place]);
  EXPECT_EQ(front.size(), set.size());
  return front;
}

std::vector<std::size_t> shuffled(std::size_t size, std::uint64_t seed) {
  std::vector<std::size_t> order(size);
  for (std::size_t i = 0; i < size; ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), std::mt19937_64(seed));
  return order;
}

// Few values a key, so that many points are equal in some keys, or in all.
RC_GTEST_PROP(Pareto, FrontIsThatOfAllPairsInAnyOrder, (std::uint64_t seed)) {
  const auto keys = *rc::gen::inRange<std::size_t>(1, 6);
  const auto size = *rc::gen::inRange<std::size_t>(1, 400);
  const int values = *rc::gen::element(2, 5, 20, 1000000);
  std::mt19937_64 random(seed);
  std::vector<Point> points(size, Point(keys));
  for (Point& point : points) {
    for (double& key : point) key = static_cast<double>(random() % static_cast<std::uint64_t>(values));
  }
  RC_ASSERT(by_set(points, shuffled(size, seed)) == by_pairs(points));
}

// The CPU time of a front of so many points, each of which stays, put in in the order of the first key or any.
double seconds_of_front(std::size_t size, bool in_order) {
  std::vector<std::size_t> order = shuffled(size, 3);
  if (in_order) std::sort(order.begin(), order.end());
  const std::clock_t begun = std::clock();
  ParetoSet set(2);
  for (const std::size_t i : order) {
    const Point point = {static_cast<double>(i), -static_cast<double>(i)};
    EXPECT_FALSE(set.beats(point.data(), i));
    set.insert(point.data(), i);
  }
  EXPECT_EQ(set.size(), size);
  return static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
}

// As a grid gives them, and a checkpoint: a tree that became a list took a hundred times as long.
TEST(Pareto, PointsInOrderTakeNotMuchLonger) {
  constexpr std::size_t kPoints = 100000;
  EXPECT_LT(seconds_of_front(kPoints, true), 25 * seconds_of_front(kPoints, false));
}

// Points on a sphere beat none of each other; those outside are all beaten, those inside beat many at once.
TEST(Pareto, LargeFrontsComeAndGo) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> share(0, 1);
  std::vector<Point> points;
  for (const double radius : {4.0, 2.0, 1.0, 1.001}) {
    for (int i = 0; i < 500; ++i) {
      Point point = {share(random), share(random), share(random)};
      double square = 0;
      for (const double key : point) square += key * key;
      for (double& key : point) key = 10 - key / std::sqrt(square) * (5 - radius);
      points.push_back(point);
    }
  }
  const std::set<std::size_t> front = by_pairs(points);
  EXPECT_GT(front.size(), 450U);
  EXPECT_EQ(by_set(points, shuffled(points.size(), 2)), front);
  std::vector<std::size_t> order(points.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  EXPECT_EQ(by_set(points, order), front);
}

}  // namespace
}  // namespace rooftile
