#include "rooftile/measure/curve.hpp"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "rooftile/base/csv.hpp"
#include "rooftile/base/text_file.hpp"

namespace rooftile::measure {
namespace {

Point latency(double set, double cycles) { return {"latency", "global", set, {cycles, cycles, cycles, 3}, "cycles"}; }

TEST(Curve, TakesOneVariantInOrder) {
  const std::vector<Point> points = {
      latency(4, 30), latency(2, 20), latency(4, 40), {"latency", "l1", 2, {7, 7, 7, 1}, "cycles"}};
  EXPECT_EQ(curve_of(points, "latency", "global"), (Curve{{2, 20}, {4, 40}}));
  EXPECT_TRUE(curve_of(points, "bandwidth", "global").empty());
}

TEST(Curve, PlateauIsAMedianInItsRange) {
  const Curve curve = {{1, 5}, {2, 10}, {4, 11}, {8, 500}, {16, 12}, {32, 90}};
  EXPECT_DOUBLE_EQ(*plateau(curve, 2, 16), 11.5);  // 10, 11, 12, 500
  EXPECT_FALSE(plateau(curve, 3, 3.5).has_value());
}

TEST(Curve, KneeIsHalfWayBetweenTheLevels) {
  const Curve curve = {{1, 10}, {2, 10}, {4, 30}, {8, 30}};
  EXPECT_NEAR(*knee(curve, 10, 30), std::sqrt(8.0), 1e-12);  // half-way from 2 to 4, in their logarithms
  const Curve falling = {{1, 30}, {2, 30}, {4, 10}, {8, 10}};
  EXPECT_NEAR(*knee(falling, 30, 10), std::sqrt(8.0), 1e-12);
}

TEST(Curve, OneOutlierIsNoKnee) {
  const Curve curve = {{1, 10}, {2, 99}, {4, 10}, {8, 10}, {16, 30}, {32, 30}};
  EXPECT_GT(*knee(curve, 10, 30), 8);
  EXPECT_FALSE(knee({{1, 10}, {2, 10}}, 10, 30).has_value());  // never leaves
  EXPECT_FALSE(knee({{1, 30}, {2, 30}}, 10, 30).has_value());  // was never there
  EXPECT_FALSE(knee({}, 10, 30).has_value());
}

TEST(Curve, TopIgnoresASpike) {
  EXPECT_DOUBLE_EQ(*top({{1, 5}, {2, 9}, {3, 100}, {4, 10}, {5, 9}, {6, 3}}), 10);
  EXPECT_DOUBLE_EQ(*top({{1, 5}, {2, 7}}), 6);
  EXPECT_FALSE(top({}).has_value());
}

// Bandwidth over working sets that RRZE-HPC/gpu-benches recorded on real GPUs: the knee is the capacity of the L2.
TEST(Curve, FindsTheL2OfRecordedGpus) {
  const std::string path = "../shared/measurements/gpu_benches_bandwidth/gpu_l2_cache.csv";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not here";
  const auto text = read_text_file(path);
  ASSERT_TRUE(text.has_value());
  const auto rows = parse_csv(*text, path);
  ASSERT_TRUE(rows.has_value());
  std::map<std::string, Curve> curves;
  constexpr std::size_t kTag = 0, kSet = 2, kBandwidth = 5;
  for (std::size_t i = 1; i < rows->size(); ++i) {
    const auto& cells = (*rows)[i].cells;
    const double kilobyte = 1000;
    curves[cells[kTag]].push_back(
        {kilobyte * std::strtod(cells[kSet].c_str(), nullptr), 1e9 * std::strtod(cells[kBandwidth].c_str(), nullptr)});
  }
  struct Known {
    const char* tag;
    double l2_mib;        // what the device reports
    double l2_bandwidth;  // B/s, as its authors read them off
    double dram;
  };
  for (const Known& gpu : {Known{"h200", 50, 9.9e12, 3.888e12}, Known{"a100_80", 40, 5.4e12, 1.732e12},
                           Known{"l40", 96, 5.2e12, 0.796e12}}) {
    SCOPED_TRACE(gpu.tag);
    const Curve& curve = curves[gpu.tag];
    const double reported = gpu.l2_mib * 1024 * 1024;
    const auto in_l2 = plateau(curve, reported / 8, reported / 2);
    const auto in_dram = plateau(curve, 8 * reported, 1e12);
    ASSERT_TRUE(in_l2 && in_dram);
    EXPECT_NEAR(*in_l2, gpu.l2_bandwidth, 0.03 * gpu.l2_bandwidth);
    EXPECT_NEAR(*in_dram, gpu.dram, 0.01 * gpu.dram);
    const auto capacity = knee(curve, *in_l2, *in_dram);
    ASSERT_TRUE(capacity.has_value());
    EXPECT_NEAR(*capacity, reported, 0.2 * reported);  // the middle of a fall that is about as wide
  }
}

}  // namespace
}  // namespace rooftile::measure
