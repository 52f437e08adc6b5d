#include "rooftile/timing/stream.hpp"

#include <gtest/gtest.h>

namespace rooftile {
namespace {

Gpu simple_gpu() {
  Gpu gpu;
  gpu.peaks[static_cast<std::size_t>(Peak::fp32)] = FlopsPerSecond(1e12);
  MemoryLevel dram;
  dram.name = "DRAM";
  dram.bandwidth = BytesPerSecond(1e11);
  gpu.levels = {dram};
  gpu.launch_overhead = Seconds(4e-6);
  return gpu;
}

TEST(StreamTime, BytesAgainstDramBandwidth) {
  const StreamTiming t = stream_time({Bytes(3e6), Bytes(1e6)}, Flops(1e6), simple_gpu());
  EXPECT_DOUBLE_EQ(t.time.value(), 40e-6);
  EXPECT_EQ(t.bottleneck, Bottleneck::dram);
}

TEST(StreamTime, ArithmeticAgainstThePeak) {
  const StreamTiming t = stream_time({Bytes(1e6), Bytes(1e6)}, Flops(1e9), simple_gpu());
  EXPECT_DOUBLE_EQ(t.time.value(), 1e-3);
  EXPECT_EQ(t.bottleneck, Bottleneck::compute);
}

TEST(StreamTime, AtLeastTheLaunch) {
  const StreamTiming t = stream_time({Bytes(400), Bytes(400)}, Flops(100), simple_gpu());
  EXPECT_EQ(t.time, Seconds(4e-6));
  EXPECT_EQ(t.bottleneck, Bottleneck::launch);
}

}  // namespace
}  // namespace rooftile
