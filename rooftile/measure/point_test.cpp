#include "rooftile/measure/point.hpp"

#include <string>

#include <gtest/gtest.h>

namespace rooftile::measure {
namespace {

TEST(Point, SurvivesTheFile) {
  const Point point{"bandwidth", "dram_read", 4294967296.0, {3.8881e12, 3.88e12, 3.889e12, 11}, "B/s"};
  const auto points = parse_points(point_header() + write_point(point), "microbench.csv");
  ASSERT_TRUE(points.has_value()) << points.error().text();
  ASSERT_EQ(points->size(), 1);
  EXPECT_EQ(points->front(), point);
}

TEST(Point, ErrorsNameLineAndColumn) {
  const auto text = [](const std::string& row) { return parse_points(point_header() + row, "m.csv").error().text(); };
  EXPECT_EQ(text("latency,l1,1024,fast,1,1,3,cycles\n"), "m.csv:2, column value: 'fast' is not a number");
  EXPECT_EQ(text("latency,l1,1024,nan,1,1,3,cycles\n"), "m.csv:2, column value: 'nan' is not a number");
  EXPECT_EQ(text("latency,l1,1024,33,1,1,2.5,cycles\n"), "m.csv:2, column repeats: 2.5 is not a count");
  EXPECT_EQ(text("latency,l1\n"), "m.csv:2: 2 cells in a table of 8 columns");
}

TEST(Point, AnotherTableIsNotTaken) {
  EXPECT_EQ(parse_points("op,M,N,K\n", "gemm.csv").error().text(),
            "gemm.csv:1: the header is not benchmark,variant,parameter,value,low,high,repeats,unit");
  EXPECT_FALSE(parse_points("", "empty.csv").has_value());
}

}  // namespace
}  // namespace rooftile::measure
