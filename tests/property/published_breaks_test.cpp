// What one would expect of any such model, and DeLTA as published does not give. Each test pins two cases, so that a
// reader sees what happens and a change of it is noticed. docs/theory/delta.md, "What the published model breaks".
#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/predict/predict.hpp"

namespace rooftile {
namespace {

const PredictOptions kPublished = {.method = Method::delta};

Gpu titan_xp() { return find_gpu("titan-xp-delta").value(); }

Conv square(std::int64_t in_channels, std::int64_t out_channels, std::int64_t size, std::int64_t filter,
            std::int64_t stride = 1, std::int64_t pad = 0) {
  Conv conv;
  conv.batch = 256;
  conv.in_channels = in_channels;
  conv.out_channels = out_channels;
  conv.axes[1] = conv.axes[2] = {.in = size, .filter = filter, .stride = stride, .pad_begin = pad, .pad_end = pad};
  return conv;
}

// Eqs 5 to 8 leave out the stride along the height, Eq 10 loads the whole map: on strided layers less passes the L2
// than DRAM delivers.
TEST(PublishedBreak, StridedLayersMayLoadLessFromL2ThanFromDram) {
  const Traffic strided = estimate(square(64, 64, 224, 3, 4, 1), titan_xp(), kPublished).traffic;
  EXPECT_NEAR(strided.l2 / strided.dram, 0.778, 0.001);
  const Traffic patches = estimate(square(3, 96, 224, 4, 4), titan_xp(), kPublished).traffic;  // ConvNeXt's first layer
  EXPECT_NEAR(patches.l2 / patches.dram, 0.845, 0.001);
}

Seconds time_with_sms(const Conv& conv, double sm_count) {
  Gpu gpu = titan_xp();
  gpu.peaks[static_cast<std::size_t>(Peak::fp32)] *= sm_count / gpu.sm_count;
  gpu.sm_count = sm_count;
  return estimate(conv, gpu, kPublished).time;
}

// Each SM has a fixed share of the bandwidth, and the busiest one a whole number of CTAs. Where more SMs do not lower
// that number, each draws less.
TEST(PublishedBreak, MoreSmsMayBeSlower) {
  const Conv reduce4a = square(480, 16, 14, 1);  // GoogLeNet 4a: 392 CTAs, 14 a SM on 28 SMs and on 30
  EXPECT_NEAR(time_with_sms(reduce4a, 30) / time_with_sms(reduce4a, 28), 1.071, 0.001);
  const Conv reduce3a = square(192, 16, 28, 1);  // GoogLeNet 3a: 1568 CTAs, 28 a SM on 56, 27 on 60
  EXPECT_NEAR(time_with_sms(reduce3a, 60) / time_with_sms(reduce3a, 56), 1.033, 0.001);
}

// Few CTAs use the bandwidth share of few SMs. The last sample that fits into a row of CTAs makes each of them load
// the most; one more sample adds a row, and with it SMs to load with.
TEST(PublishedBreak, ASmallerBatchMayBeSlower) {
  const auto time = [](std::int64_t batch, std::int64_t outputs) {
    return estimate(Gemm{.m = batch, .n = outputs, .k = 4096}, titan_xp(), kPublished).time;
  };
  EXPECT_NEAR(time(128, 320) / time(129, 320), 1.224, 0.001);
  EXPECT_NEAR(time(128, 10) / time(192, 10), 1.090, 0.001);
}

}  // namespace
}  // namespace rooftile
