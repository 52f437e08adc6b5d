#include "rooftile/measure/gpu_text.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/measure/test_device.hpp"

namespace rooftile::measure {
namespace {

using testing::HasSubstr;

constexpr double kMi = 1024.0 * 1024;

Device device() {
  Device device = h200();
  device.memory = Bytes(140.0 * 1024 * kMi);
  device.l2 = Bytes(50 * kMi);
  device.smem_per_sm = Bytes(233472);
  device.smem_per_cta = Bytes(232448);
  device.registers_per_sm = 65536;
  device.threads_per_sm = 2048;
  device.ctas_per_sm = 32;
  return device;
}

class Points {
 public:
  Points& add(const std::string& benchmark, const std::string& variant, double parameter, double value) {
    points_.push_back({benchmark, variant, parameter, {value, value, value, 11}, "x"});
    return *this;
  }
  const std::vector<Point>& get() const { return points_; }

 private:
  std::vector<Point> points_;
};

// Made up, with the values that RRZE-HPC/gpu-benches read off an H200 and a GH200.
Points synthetic() {
  Points points;
  for (double set = 1024; set < 4096 * kMi; set *= 2) {
    points.add("latency", "l1", set, set <= 128 * 1024 ? 32.1 : 280);
    points.add("latency", "global", set, set <= 32 * kMi ? 280 : set <= 1024 * kMi ? 670 : 900);
    points.add("bandwidth", "l1", set, set <= 128 * 1024 ? 32.9e12 : 9e12);
    points.add("bandwidth", "l2_read", set, set <= 32 * kMi ? 9.9e12 : 3.9e12);
  }
  for (int line = 0; line < 10; ++line) points.add("line_latency", "global", line, line < 4 ? 220 : 320);
  for (double offset = 0; offset <= 96; offset += 4) points.add("sector", "l1", offset, offset < 32 ? 33 : 250);
  points.add("request", "load_4", 0, 2).add("request", "load_4", 1, 2).add("request", "load_4", 32, 9);
  points.add("latency", "smem", 4096, 29).add("bandwidth", "smem_load", 16, 33.4e12);
  points.add("bandwidth", "smem_load", 4, 31e12);
  points.add("bandwidth", "dram_read", 4e9, 3.888e12).add("bandwidth", "dram_copy", 8e9, 3.7e12);
  points.add("rate", "fp32", 0, 65e12).add("rate", "mma_bf16", 0, 620e12).add("rate", "wgmma_bf16", 0, 930e12);
  points.add("rate", "library_bf16", 0, 790e12);
  points.add("clock", "latency", 0, 1.98e9).add("clock", "rate", 0, 1.755e9);
  points.add("sustained", "clock", 1, 1.98e9).add("sustained", "clock", 6, 1.7e9).add("sustained", "clock", 10, 1.71e9);
  points.add("sustained", "power", 9, 690);
  points.add("launch", "eager", 1000, 2.1e-6).add("launch", "graph", 1000, 1.2e-6);
  points.add("loaded_latency", "bandwidth", 1000, 1e12).add("loaded_latency", "latency", 1000, 700);
  points.add("loaded_latency", "bandwidth", 500, 3e12).add("loaded_latency", "latency", 500, 900);
  // Saturated too, and by noise a little faster than without a pause.
  points.add("loaded_latency", "bandwidth", 128, 3.82e12).add("loaded_latency", "latency", 128, 1200);
  points.add("loaded_latency", "bandwidth", 0, 3.8e12).add("loaded_latency", "latency", 0, 1500);
  return points;
}

const Fact& fact(const Gpu& gpu, std::string_view key) {
  for (const Fact& one : gpu.facts) {
    if (one.key == key) return one;
  }
  static const Fact none;
  ADD_FAILURE() << "no " << key;
  return none;
}

Gpu read_back() {
  const auto text = gpu_toml(device(), synthetic().get(), {.id = "", .version = "0.1.0"});
  EXPECT_TRUE(text.has_value()) << text.error().text();
  return *parse_gpu(*text, "gpu.toml");
}

TEST(GpuText, MeasuredNumbersReachTheModels) {
  const Gpu gpu = read_back();
  EXPECT_EQ(gpu.id, "h200-sxm-141gb");
  EXPECT_EQ(gpu.architecture, "Hopper");
  EXPECT_DOUBLE_EQ(gpu.sm_count, 132);
  EXPECT_NEAR(gpu.level("L1").latency.value(), 32.1, 0.01);
  EXPECT_NEAR(gpu.level("L2").latency.value(), 280, 0.5);  // (4 x 220 + 6 x 320) / 10
  EXPECT_NEAR(gpu.level("DRAM").latency.value(), 670, 1);  // within 4 to 8 times the L2
  EXPECT_NEAR(gpu.level("L1").bandwidth.value(), 32.9e12 / 132, 1e8);
  EXPECT_NEAR(gpu.level("L2").bandwidth.value(), 9.9e12, 1e9);
  EXPECT_NEAR(gpu.level("DRAM").bandwidth.value(), 3.888e12, 1e9);
  EXPECT_DOUBLE_EQ(gpu.level("L1").sector.value(), 32);
  EXPECT_DOUBLE_EQ(gpu.level("L2").capacity.value(), 50 * kMi);
  EXPECT_NEAR(gpu.peak(Peak::tensor_bf16).value(), 930e12, 1e9);  // the best of three
  EXPECT_NEAR(gpu.sustained_clock->value(), 1.705e9, 1e6);        // not the first second
  EXPECT_NEAR(gpu.launch_overhead.value(), 2.1e-6, 1e-9);
  EXPECT_NEAR(gpu.smem_load_bandwidth.value(), 33.4e12 / 132, 1e9);
}

TEST(GpuText, SourcesAndNotesSayHow) {
  const Gpu gpu = read_back();
  const Fact& peak = fact(gpu, "peak.tensor_bf16");
  EXPECT_EQ(peak.kind, FactKind::measured);
  EXPECT_EQ(
      peak.source,
      "measured with rooftile-measure 0.1.0 on 2026-11-21: NVIDIA H200, driver 580.65.06, CUDA 13.0, SMs at 1.755 "
      "GHz");
  EXPECT_THAT(fact(gpu, "level.L2.latency").note, HasSubstr("nearer 4 220, of the farther 6 320 cycles"));
  EXPECT_THAT(fact(gpu, "level.DRAM.latency_time").note, HasSubstr("900 cycles in 2 GiB, which has the most pages"));
  EXPECT_THAT(fact(gpu, "level.L2.capacity").note, HasSubstr("knee of its latency"));
  EXPECT_THAT(fact(gpu, "level.L2.capacity").note, HasSubstr("knee of its bandwidth"));
  // Half of 3.82 TB/s lies between the points at 1 and 3 TB/s.
  EXPECT_THAT(fact(gpu, "level.DRAM.latency_time").note,
              HasSubstr("791 cycles at half of 3.82 TB/s, 1500 at all of it"));
  EXPECT_THAT(fact(gpu, "level.L1.sector").note, HasSubstr("load_4 2 cycles side by side, 9 with lanes 32 accesses"));
  EXPECT_EQ(fact(gpu, "level.L2.capacity").kind, FactKind::vendor);
  EXPECT_THAT(fact(gpu, "launch.overhead").note, HasSubstr("1.2 us in a graph"));
  EXPECT_THAT(fact(gpu, "link.nvlink").source, HasSubstr("the catalogue's: "));
}

TEST(GpuText, AnL2OfOnePartIsOneGroup) {
  std::vector<Point> points;
  for (int line = 0; line < 100; ++line) {
    const double cycles = line == 7 ? 900 : 215 + line % 3;  // one outlier
    points.push_back({"line_latency", "global", static_cast<double>(line), {cycles, cycles, cycles, 11}, "cycles"});
  }
  const auto text = gpu_toml(device(), points, {.id = "", .version = "0.1.0"});
  ASSERT_TRUE(text.has_value()) << text.error().text();
  EXPECT_THAT(*text, HasSubstr("mean of 100 lines from one SM, all about equally far"));
}

TEST(GpuText, WithoutMeasurementsTheArchitectureFillsIn) {
  const auto text = gpu_toml(device(), {}, {.id = "mine", .version = "0.1.0"});
  ASSERT_TRUE(text.has_value()) << text.error().text();
  const Gpu gpu = *parse_gpu(*text, "gpu.toml");
  EXPECT_EQ(gpu.id, "mine");
  EXPECT_NEAR(gpu.level("DRAM").bandwidth.value(), 0.952 * 2 * 3.2e9 * 6144 / 8, 2e9);  // the architecture's share
  EXPECT_NEAR(gpu.level("L2").latency.value(), 280.3, 0.1);
}

TEST(GpuText, AnUnknownChipNeedsItsNumbers) {
  Device future = device();
  future.compute_capability = "99.0";
  const auto text = gpu_toml(future, {}, {.id = "", .version = "0.1.0"});
  ASSERT_FALSE(text.has_value());
  EXPECT_THAT(text.error().text(), HasSubstr("missing: "));
}

TEST(GpuText, ANameFromOutsideCannotBreakTheFile) {
  Device odd = device();
  odd.name = "a \"b\" \\ \n[core]";
  EXPECT_TRUE(gpu_toml(odd, synthetic().get(), {.id = "odd", .version = "0.1.0"}).has_value());
}

}  // namespace
}  // namespace rooftile::measure
