#include "rooftile/timing/stream_kernel_time.hpp"

#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "rooftile/timing/test_micros.hpp"

namespace rooftile {
namespace {

// 10 SMs at 1 GHz with 1,000 threads each, 1 TB/s of L2, 100 GB/s of DRAM, an L2 of 1 MB that holds
// nothing of before; no start, no latency.
GpuRates ideal_stream() {
  GpuRates rates;
  rates.family = KernelFamily::stream;
  rates.sms = 10;
  rates.sm_threads = 1000;
  rates.sm_ctas = 8;
  rates.clock = Hertz(1e9);  // 128 instructions of lanes each
  rates.l2 = BytesPerSecond(1e12);
  rates.dram = BytesPerSecond(100e9);
  rates.l2_capacity = Bytes(1e6);
  rates.l2_latency = Cycles(200);
  rates.dram_latency = Cycles(500);
  rates.constants = unfitted_constants(KernelFamily::stream);
  rates.constants[StreamConstant::dram_store_efficiency] = 1;
  rates.constants[StreamConstant::l2_efficiency] = 1;
  rates.constants[StreamConstant::latency] = 0;
  rates.constants[StreamConstant::start_cycles] = 0;
  rates.constants[StreamConstant::warm_share] = 1e-9;
  rates.constants[StreamConstant::live_share] = 1;
  return rates;
}

StreamKernel kernel_of(double ctas, double threads) {
  StreamKernel kernel;
  kernel.ctas = ctas;
  kernel.threads = threads;
  return kernel;
}

TEST(StreamKernelTime, BytesAgainstBandwidths) {
  StreamKernel kernel = kernel_of(100, 100);
  kernel.read = Bytes(3e6);
  kernel.write = Bytes(1e6);
  const StreamKernelTime t = stream_kernel_time(kernel, ideal_stream());
  EXPECT_NEAR(micros(t.cases[Bottleneck::dram]), 40, 1e-9);
  EXPECT_NEAR(micros(t.cases[Bottleneck::l2]), 4, 1e-9);
  EXPECT_NEAR(micros(t.time), 40 * std::pow(1 + 1e-4, 0.25), 1e-9);
  EXPECT_NEAR(t.traffic.dram.value(), 3e6, 1e-3);
}

TEST(StreamKernelTime, ShortCtasAreHandedOutOneInAClock) {
  StreamKernel kernel = kernel_of(5000, 32);
  const double alone = micros(stream_kernel_time(kernel, ideal_stream()).time);
  kernel.handed_out = 5000;
  EXPECT_NEAR(micros(stream_kernel_time(kernel, ideal_stream()).time) - alone, 5, 1e-9);
}

// Where instructions are the limit, only the first CTAs' wait shows; where there are few, each round's does.
TEST(StreamKernelTime, CtasThatOverlapWaitOnce) {
  GpuRates rates = ideal_stream();
  rates.constants[StreamConstant::latency] = 1;
  StreamKernel kernel = kernel_of(1000, 500);
  kernel.work.operations = 1000 * 128e3;
  const StreamKernelTime apart = stream_kernel_time(kernel, rates);
  kernel.overlaps = true;
  const StreamKernelTime t = stream_kernel_time(kernel, rates);
  EXPECT_NEAR(micros(t.cases[Bottleneck::compute]), 100, 1e-9);
  EXPECT_LT(t.time, apart.time);
  kernel.work.operations = 0;
  EXPECT_NEAR(micros(stream_kernel_time(kernel, rates).cases[Bottleneck::latency]),
              micros(apart.cases[Bottleneck::latency]), 1e-9);
}

// Each of four passes waits for the DRAM where the rows at work outgrow the L2, and for the L2 where they do not.
TEST(StreamKernelTime, LaterPassesWaitForWhereTheirRowIs) {
  GpuRates rates = ideal_stream();
  rates.constants[StreamConstant::latency] = 1;
  StreamKernel kernel = kernel_of(10, 100);
  kernel.steps = 10;
  kernel.resteps = 30;
  kernel.read = Bytes(1e9);
  kernel.row = Bytes(1e8);
  EXPECT_NEAR(micros(stream_kernel_time(kernel, rates).cases[Bottleneck::latency]), 40 * 0.5, 1e-6);
  kernel.row = Bytes(1e3);
  EXPECT_NEAR(micros(stream_kernel_time(kernel, rates).cases[Bottleneck::latency]), 10 * 0.5 + 30 * 0.2, 1e-6);
}

// Half of the L2 is half full: 1 / (1 + (1/2)^2) of the bytes are there.
TEST(StreamKernelTime, TheL2HoldsWhatWasThereBefore) {
  GpuRates rates = ideal_stream();
  rates.constants[StreamConstant::warm_share] = 0.5;
  StreamKernel kernel = kernel_of(100, 100);
  kernel.read = Bytes(250e3);
  EXPECT_NEAR(stream_kernel_time(kernel, rates).traffic.dram.value(), 50e3, 1e-6);
}

TEST(StreamKernelTime, AFlushedL2HoldsNothing) {
  GpuRates rates = ideal_stream();
  rates.constants[StreamConstant::warm_share] = 0.5;
  rates.flushed = true;
  StreamKernel kernel = kernel_of(100, 100);
  kernel.read = Bytes(250e3);
  kernel.write = Bytes(50e3);
  const Traffic traffic = stream_kernel_time(kernel, rates).traffic;
  EXPECT_EQ(traffic.dram, kernel.read);
  EXPECT_EQ(traffic.store_dram, kernel.write);
}

// 10 CTAs fill an SM. 105 of them: one round of 10, then one CTA on the busiest SM; each waits 2 x 500 + 3 x 200
// cycles.
TEST(StreamKernelTime, CtasWaitTogetherAndComputeInTurn) {
  GpuRates rates = ideal_stream();
  rates.sm_ctas = 32;
  rates.constants[StreamConstant::latency] = 1;
  StreamKernel kernel = kernel_of(105, 100);
  kernel.steps = 2;
  kernel.resteps = 3;
  kernel.work.operations = 105 * 128e3;  // 1 us a CTA alone
  const StreamKernelTime t = stream_kernel_time(kernel, rates);
  EXPECT_NEAR(micros(t.cases[Bottleneck::latency]), 2 * (2 * 0.2 + 3 * 0.2), 1e-9);  // nothing moved: all in the L2
  EXPECT_NEAR(micros(t.cases[Bottleneck::compute]), 11, 1e-9);
  EXPECT_NEAR(micros(t.time), 13, 1e-6);
  kernel.read = Bytes(1);  // which the L2 does not hold
  rates.constants[StreamConstant::warm_share] = 1e-12;
  EXPECT_NEAR(micros(stream_kernel_time(kernel, rates).cases[Bottleneck::latency]), 2 * (2 * 0.5 + 3 * 0.2), 1e-6);
}

TEST(StreamKernelTime, FewRowsLeaveSmsIdle) {
  StreamKernel one = kernel_of(1, 1000), ten = kernel_of(10, 1000);
  one.work.operations = 1e6;
  ten.work.operations = 1e7;
  EXPECT_EQ(stream_kernel_time(one, ideal_stream()).time, stream_kernel_time(ten, ideal_stream()).time);
}

// Rows at work that outgrow the L2 are read from DRAM again.
TEST(StreamKernelTime, LongRowsAreReadAgain) {
  StreamKernel kernel = kernel_of(10, 1000);
  kernel.read = kernel.reread = Bytes(1e6);
  kernel.row = Bytes(1e5);
  EXPECT_NEAR(stream_kernel_time(kernel, ideal_stream()).traffic.dram.value(), 1.5e6, 1);
  kernel.row = Bytes(1e3);
  EXPECT_NEAR(stream_kernel_time(kernel, ideal_stream()).traffic.dram.value(), 1e6, 1);
}

TEST(StreamKernelTime, EachKindOfWorkHasItsCost) {
  GpuRates rates = ideal_stream();
  StreamKernel kernel = kernel_of(10, 1000);
  const auto cost = [&](const StreamWork& work) {
    kernel.work = work;
    return stream_kernel_time(kernel, rates).cases[Bottleneck::compute].value() * 1280e9;
  };
  EXPECT_NEAR(cost({.operations = 3}), 3, 1e-9);
  EXPECT_NEAR(cost({.activations = 1}), rates.constants[StreamConstant::activation_ops], 1e-9);
  EXPECT_NEAR(cost({.gates = 1}), rates.constants[StreamConstant::gate_ops], 1e-9);
  EXPECT_NEAR(cost({.softmaxes = 1}), rates.constants[StreamConstant::softmax_ops], 1e-9);
  EXPECT_NEAR(cost({.visits = 1}), rates.constants[StreamConstant::window_ops], 1e-9);
  EXPECT_NEAR(cost({.column_sums = 1}), rates.constants[StreamConstant::column_ops], 1e-9);
  EXPECT_NEAR(cost({.searches = 1}), rates.constants[StreamConstant::search_ops], 1e-9);
}

TEST(StreamKernelTime, NothingTakesItsStart) {
  GpuRates rates = ideal_stream();
  rates.constants[StreamConstant::start_cycles] = 2500;
  EXPECT_NEAR(micros(stream_kernel_time(kernel_of(1, 32), rates).time), 2.5, 1e-9);
}

// With the constants that ship.
GpuRates real() {
  GpuRates rates = ideal_stream();
  rates.constants = unfitted_constants(KernelFamily::stream);
  return rates;
}

TEST(StreamKernelTime, MoreRowsNeverTakeLess) {
  EXPECT_TRUE(rc::check([] {
    const GpuRates rates = real();
    const double columns = *rc::gen::inRange(1, 100000), rows = *rc::gen::inRange(1, 100000);
    const double passes = *rc::gen::inRange(1, 4), more = *rc::gen::inRange(1, 1000);
    const auto time = [&](double n) {
      return stream_kernel_time(row_kernel({.rows = n, .columns = columns, .passes = passes}, {.operations = 5}), rates)
          .time;
    };
    RC_ASSERT(time(rows) <= time(rows + more) * (1 + 1e-12));
  }));
}

TEST(StreamKernelTime, MoreElementsNeverTakeLess) {
  EXPECT_TRUE(rc::check([] {
    const GpuRates rates = real();
    const double count = *rc::gen::inRange(1, 100000000), more = *rc::gen::inRange(1, 1000000);
    const auto time = [&](double n) {
      return stream_kernel_time(flat_kernel(Bytes(4 * n), Bytes(4 * n), n, {.operations = n}), rates).time;
    };
    RC_ASSERT(time(count) <= time(count + more) * (1 + 1e-12));
  }));
}

// The L2 spares at most half of the share of it that is warm.
TEST(StreamKernelTime, NeverFasterThanDram) {
  EXPECT_TRUE(rc::check([] {
    const GpuRates rates = real();
    const double count = *rc::gen::inRange(1, 100000000);
    const StreamKernel kernel = flat_kernel(Bytes(4 * count), Bytes(4 * count), count, {.operations = count});
    const double spared = rates.constants[StreamConstant::warm_share] * rates.l2_capacity.value() / 2;
    RC_ASSERT(stream_kernel_time(kernel, rates).time.value() >= (8 * count - spared) / rates.dram.value());
  }));
}

}  // namespace
}  // namespace rooftile
