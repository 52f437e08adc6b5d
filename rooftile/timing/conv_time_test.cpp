#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "rooftile/timing/launch_time.hpp"
#include "rooftile/timing/test_micros.hpp"

namespace rooftile {
namespace {

// 10 SMs of 100 GMAC/s, 1 TB/s of L2, 100 GB/s of DRAM, nothing lost anywhere.
GpuRates ideal() {
  GpuRates rates;
  rates.sms = 10;
  rates.sm_peak = FlopsPerSecond(2 * 100e9);
  rates.clock = Hertz(1e9);
  rates.l2 = BytesPerSecond(1e12);
  rates.dram = BytesPerSecond(100e9);
  for (double& value : rates.constants.values) value = 1;
  rates.constants[ConvConstant::prologue] = 0;
  rates.constants[ConvConstant::latency_warps] = 0;
  rates.constants[ConvConstant::unaligned_store] = 0.5;
  rates.constants[ConvConstant::mac_energy] = 10;
  rates.constants[ConvConstant::byte_energy] = 0;
  rates.constants[ConvConstant::power_window] = 0;
  return rates;
}

// A 100x100 tile of 1,000 steps is 10 M MACs: 100 us alone on an SM.
Launch launch_of(double ctas, double resident = 2) {
  Launch launch;
  launch.ctas = ctas;
  launch.macs_per_step = 1e4;
  launch.steps = 1000;
  launch.warps = 4;
  launch.resident = resident;
  return launch;
}

TEST(ConvTime, TheBusiestSmDecides) {
  EXPECT_NEAR(micros(conv_time(launch_of(10), ideal()).time), 100, 1e-6);
  EXPECT_NEAR(micros(conv_time(launch_of(11), ideal()).time), 200, 1e-6);
  EXPECT_NEAR(micros(conv_time(launch_of(41), ideal()).time), 500, 1e-6);
}

TEST(ConvTime, AShareOfTheRateTakesLonger) {
  Launch launch = launch_of(10);
  launch.rate_share = 0.5;
  EXPECT_NEAR(micros(conv_time(launch, ideal()).time), 200, 1e-6);
}

TEST(ConvTime, FewWarpsDoNotHideLatency) {
  GpuRates rates = ideal();
  rates.constants[ConvConstant::latency_warps] = 8;  // two CTAs
  const LaunchTime time = conv_time(launch_of(10), rates);
  EXPECT_NEAR(micros(time.compute), 100, 1e-6);
  EXPECT_NEAR(micros(time.latency), 200, 1e-6);
  EXPECT_NEAR(micros(time.time), 100 * std::pow(1 + 16, 0.25), 1e-6);
}

TEST(ConvTime, BytesOverlapWithMacs) {
  Launch launch = launch_of(10);
  launch.dram_load = Bytes(10e6);  // 100 us
  EXPECT_NEAR(micros(conv_time(launch, ideal()).time), 100 * std::pow(2, 0.25), 1e-6);
}

TEST(ConvTime, StoresThatSplitSectorsCostMore) {
  Launch launch = launch_of(10);
  launch.dram_store = Bytes(10e6);
  EXPECT_NEAR(micros(conv_time(launch, ideal()).dram), 100, 1e-6);
  launch.aligned_store = false;
  EXPECT_NEAR(micros(conv_time(launch, ideal()).dram), 150, 1e-6);
}

TEST(ConvTime, ThePowerCapBoundsFromBelow) {
  GpuRates rates = ideal();
  rates.power = Watts(5);  // 1e8 MACs of 10 pJ are 1 mJ: 200 us
  const LaunchTime time = conv_time(launch_of(10), rates);
  EXPECT_NEAR(micros(time.power), 200, 1e-6);
  EXPECT_GE(micros(time.time), 200);
  rates.constants[ConvConstant::power_window] = 150;
  EXPECT_NEAR(micros(conv_time(launch_of(10), rates).power), 50, 1e-6);
  rates.power = Watts(0);  // not known: no cap
  EXPECT_NEAR(micros(conv_time(launch_of(10), rates).time), 100, 1e-6);
}

TEST(ConvTime, AtomicsComeOnTop) {
  Launch launch = launch_of(10);
  launch.atomics = 1e6;  // 10 SMs, one a clock of 1 GHz: 100 us
  EXPECT_NEAR(micros(conv_time(launch, ideal()).time), 200, 1e-6);
}

TEST(ConvTime, StreamKernelsMoveBytes) {
  Launch launch;
  launch.dram_load = Bytes(4e6);
  launch.dram_store = Bytes(6e6);
  GpuRates rates = ideal();
  rates.constants[ConvConstant::stream_efficiency] = 0.5;
  EXPECT_NEAR(micros(conv_time(launch, rates).time), 200, 1e-6);
}

TEST(ConvTime, NeverBeatsThePeakAndNeverFallsWithMoreWork) {
  EXPECT_TRUE(rc::check([] {
    const double ctas = *rc::gen::inRange(1, 5000);
    const double resident = *rc::gen::inRange(1, 8);
    GpuRates rates = ideal();
    rates.constants[ConvConstant::latency_warps] = *rc::gen::inRange(0, 40);
    const Seconds time = conv_time(launch_of(ctas, resident), rates).time;
    RC_ASSERT(time.value() * (1 + 1e-9) >= ctas * 1e7 / (rates.sms * rates.macs_per_second()));
    RC_ASSERT(conv_time(launch_of(ctas + 1, resident), rates).time >= time * (1 - 1e-9));
  }));
}

}  // namespace
}  // namespace rooftile
