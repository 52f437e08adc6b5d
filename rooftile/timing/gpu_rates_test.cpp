#include "rooftile/timing/gpu_rates.hpp"

#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/gpu/process_energy.hpp"

namespace rooftile {
namespace {

GpuRates tensor_rates(const Gpu& gpu) {
  const KernelFamily family = KernelFamily::tensor;
  return gpu_rates(gpu, family, gpu.peak(Peak::tensor_fp16), unfitted_constants(family));
}

TEST(GpuRates, ABoardRunsAtItsSustainedClock) {
  const Gpu gpu = find_gpu("rtx-4090").value();
  const GpuRates rates = tensor_rates(gpu);
  EXPECT_GT(rates.clock, gpu.clock);
  EXPECT_EQ(rates.clock, rates.base_clock) << "nothing between base and boost is left to guess";
  EXPECT_NEAR(rates.sm_peak * rates.sms / FlopsPerSecond(178.3e12), 1, 0.01);  // mma.sync measured 178.1 to 180.6
}

TEST(GpuRates, OthersBetweenBaseAndBoost) {
  const Gpu gpu = find_gpu("l40s").value();
  const GpuRates rates = tensor_rates(gpu);
  EXPECT_EQ(rates.clock, gpu.clock);
  EXPECT_LT(rates.base_clock, rates.clock);
}

// Power leaves an MI300X's matrix cores 1207 of 2100 MHz; what starts a kernel keeps the clock.
TEST(GpuRates, MatrixCoresRunAtWhatPowerLeavesThem) {
  const Gpu gpu = find_gpu("mi300x").value();
  const GpuRates rates = tensor_rates(gpu);
  EXPECT_NEAR(rates.sm_peak * rates.sms / gpu.peak(Peak::tensor_fp16), 1207.0 / 2100, 1e-9);
  EXPECT_EQ(rates.clock, gpu.clock);
  EXPECT_EQ(rates.base_clock, gpu.clock) << "nothing between base and boost is left to guess";
  const GpuRates streams = gpu_rates(gpu, KernelFamily::stream, gpu.peak(Peak::fp32), {});
  EXPECT_EQ(streams.sm_peak * gpu.sm_count, gpu.peak(Peak::fp32));
}

TEST(GpuRates, EnergiesOnTensorCoresFallAsTheFoundrySays) {
  Gpu gpu = find_gpu("v100-sxm2-16gb").value();
  gpu.process_nm = 7;
  EXPECT_DOUBLE_EQ(tensor_rates(gpu).energy_scale, process_energy(7));
  gpu.process_nm = 2;
  const KernelFamily lanes = KernelFamily::gemm_simt;
  EXPECT_DOUBLE_EQ(gpu_rates(gpu, lanes, gpu.peak(Peak::fp32), unfitted_constants(lanes)).energy_scale, 2.0 / 16);
}

// Kepler's register banks feed 132 of 192 lanes.
TEST(GpuRates, LanesRunAtWhatTheRegistersFeed) {
  const KernelFamily family = KernelFamily::conv_simt;
  Gpu gpu = find_gpu("k80").value();
  const auto peak_of = [&] { return gpu_rates(gpu, family, gpu.peak(Peak::fp32), unfitted_constants(family)).sm_peak; };
  EXPECT_NEAR(gpu.fma_share, 132.0 / 192, 1e-9);
  const FlopsPerSecond fed = peak_of();
  gpu.fma_share = 1;
  EXPECT_NEAR(fed / peak_of(), 132.0 / 192, 1e-9);
}

}  // namespace
}  // namespace rooftile
