// A faster part never makes a layer slower: not by a single bit, because each formula is monotone in each rate.
// (The number of SMs is not a rate: published_breaks_test.cpp.)
#include <cstdint>

#include "tests/property/random.hpp"
#include <gtest/gtest.h>

#include "rooftile/predict/predict.hpp"

namespace rooftile::property {
namespace {

// For any layer and GPU, `improve` of a GPU and a factor above 1 does not lengthen the layer.
template <class Improve>
bool never_slower(Improve improve) {
  const auto property = [&](const auto& layer) {
    const Gpu gpu = random_gpu();
    Gpu faster = gpu;
    improve(faster, speedup());
    RC_ASSERT(estimate(layer, faster, kDelta).time <= estimate(layer, gpu, kDelta).time);
  };
  return rc::check([&] { property(random_conv()); }) && rc::check([&] { property(random_gemm()); });
}

MemoryLevel& level(Gpu& gpu, std::string_view name) {
  for (MemoryLevel& candidate : gpu.levels) {
    if (candidate.name == name) return candidate;
  }
  RC_FAIL("no such level");
  return gpu.levels.front();
}

class FasterLevel : public testing::TestWithParam<const char*> {};

TEST_P(FasterLevel, BandwidthNeverMakesALayerSlower) {
  EXPECT_TRUE(never_slower([](Gpu& gpu, double times) { level(gpu, GetParam()).bandwidth *= times; }));
}

TEST_P(FasterLevel, LatencyNeverMakesALayerSlower) {
  EXPECT_TRUE(never_slower([](Gpu& gpu, double times) { level(gpu, GetParam()).latency /= times; }));
}

INSTANTIATE_TEST_SUITE_P(Levels, FasterLevel, testing::Values("L1", "L2", "DRAM"),
                         [](const auto& test) { return std::string(test.param); });

TEST(FasterSharedMemory, NeverMakesALayerSlower) {
  EXPECT_TRUE(never_slower([](Gpu& gpu, double times) { gpu.smem_load_bandwidth *= times; }));
  EXPECT_TRUE(never_slower([](Gpu& gpu, double times) { gpu.smem_store_bandwidth *= times; }));
  EXPECT_TRUE(never_slower([](Gpu& gpu, double times) { gpu.smem_latency /= times; }));
}

TEST(FasterArithmetic, NeverMakesALayerSlower) {
  EXPECT_TRUE(never_slower([](Gpu& gpu, double times) { gpu.peaks[static_cast<std::size_t>(Peak::fp32)] *= times; }));
}

TEST(FasterClock, NeverMakesALayerSlower) {
  EXPECT_TRUE(never_slower([](Gpu& gpu, double times) { gpu.clock *= times; }));
}

TEST(MoreRoomOnAnSm, NeverMakesALayerSlower) {
  EXPECT_TRUE(never_slower([](Gpu& gpu, double times) { gpu.sm.registers *= times; }));
  EXPECT_TRUE(never_slower([](Gpu& gpu, double times) { gpu.sm.smem *= times; }));
}

}  // namespace
}  // namespace rooftile::property
