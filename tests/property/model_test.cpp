// Invariants of an estimate: finite, consistent within itself, never better than the hardware's limits.
#include <algorithm>
#include <cmath>

#include "tests/property/random.hpp"
#include <gtest/gtest.h>

#include "rooftile/ops/work.hpp"
#include "rooftile/predict/predict.hpp"

namespace rooftile::property {
namespace {

constexpr double kSumRounding = 1e-12;  // relative, for sums that are formed in a different order

void assert_sane(double value) {
  RC_ASSERT(std::isfinite(value));
  RC_ASSERT(value >= 0);
}

void assert_sane(const LayerEstimate& layer) {
  assert_sane(layer.flops.value());
  assert_sane(layer.time.value());
  for (const Bytes bytes :
       {layer.traffic.l1, layer.traffic.l2, layer.traffic.dram, layer.traffic.store_dram, layer.traffic.compulsory}) {
    assert_sane(bytes.value());
  }
  for (const Seconds seconds : layer.cases.by) assert_sane(seconds.value());
  for (const auto& [estimate, kernel] : planned<DeltaKernel>(layer)) {
    const DeltaTraffic& terms = kernel.traffic;
    for (const double value : {terms.request_ratio, terms.mli_ifmap, terms.mli_filter, terms.dist_v, terms.a_dist_v,
                               terms.dist_h, terms.a_dist_h, terms.a_dist_ifmap, terms.dist_filter, kernel.plan.ctas,
                               kernel.plan.loops, kernel.plan.waves}) {
      assert_sane(value);
    }
    const DeltaTiming& timing = kernel.timing;
    for (const Seconds seconds : {timing.t_gls, timing.t_sas, timing.t_cs, timing.prologue, timing.epilogue}) {
      assert_sane(seconds.value());
    }
  }
}

Seconds largest_case(const TimeBounds& cases) { return *std::max_element(cases.by.begin(), cases.by.end()); }

TEST(AnyLayer, HasFiniteNonNegativeNumbers) {
  EXPECT_TRUE(rc::check([] { assert_sane(estimate(random_conv(), random_gpu(), kDelta)); }));
  EXPECT_TRUE(rc::check([] { assert_sane(estimate(random_gemm(), random_gpu(), kDelta)); }));
}

TEST(AnyLayer, EvenAnAbsurdOneHasFiniteNonNegativeNumbers) {
  EXPECT_TRUE(rc::check([] { assert_sane(estimate(extreme_conv(), random_gpu(), kDelta)); }));
}

TEST(AnyLayer, RequestsAtLeastAsMuchFromL1AsFromL2) {
  EXPECT_TRUE(rc::check([] {
    const Traffic traffic = estimate(random_conv(), random_gpu(), kDelta).traffic;
    RC_ASSERT(traffic.l1 >= traffic.l2);
  }));
  EXPECT_TRUE(rc::check([] {
    const Traffic traffic = estimate(random_gemm(), random_gpu(), kDelta).traffic;
    RC_ASSERT(traffic.l1 >= traffic.l2);
  }));
}

TEST(AnyLayer, LoadsAtLeastWhatIsCompulsory) {
  EXPECT_TRUE(rc::check([] {
    const Traffic traffic = estimate(random_conv(false), random_gpu(), kDelta).traffic;
    RC_ASSERT(traffic.dram >= traffic.compulsory);
  }));
}

TEST(AnyLayer, TakesAsLongAsItsLargestCaseAndIsNamedAfterIt) {
  EXPECT_TRUE(rc::check([] {
    const LayerEstimate layer = estimate(random_conv(false), random_gpu(), kDelta);
    RC_ASSERT(layer.time == largest_case(layer.cases));
    RC_ASSERT(layer.cases[layer.bottleneck] == layer.time);
  }));
}

// A transposed convolution runs its parts one after the other, each as long as its own largest case.
TEST(AnyTransposedLayer, IsTheSumOfItsParts) {
  EXPECT_TRUE(rc::check([] {
    const Conv conv = random_conv();
    const LayerEstimate layer = estimate(conv, random_gpu(), kDelta);
    RC_PRE(layer.method == Method::delta);
    Seconds time;
    double kernels = 0;
    for (const KernelEstimate& kernel : layer.breakdown) {
      RC_ASSERT(kernel.time == largest_case(kernel.cases));
      time += kernel.time * kernel.count;
      kernels += kernel.count;
    }
    RC_ASSERT(layer.time == time);
    RC_ASSERT(layer.kernels == kernels);
    RC_ASSERT(layer.time >= largest_case(layer.cases) * (1 - kSumRounding));
    RC_ASSERT(layer.cases[layer.bottleneck] == largest_case(layer.cases));
  }));
}

TEST(AnyLayer, StaysBelowThePeakAndTheBandwidths) {
  EXPECT_TRUE(rc::check([] {
    const Gpu gpu = random_gpu();
    const LayerEstimate layer = estimate(random_conv(false), gpu, kDelta);
    const Seconds time = layer.time * (1 + kSumRounding);
    RC_ASSERT(layer.flops / gpu.peak(Peak::fp32) <= time);
    RC_ASSERT(layer.traffic.dram / gpu.level("DRAM").bandwidth <= time);
    RC_ASSERT(layer.traffic.store_dram / gpu.level("DRAM").bandwidth <= time);
    if (layer.method == Method::stream) return;
    RC_ASSERT(layer.traffic.l2 / gpu.level("L2").bandwidth <= time);
    RC_ASSERT(layer.traffic.l1 / (gpu.level("L1").bandwidth * gpu.sm_count) <= time);
  }));
}

TEST(AnyLayer, MovesInProportionToItsGroups) {
  EXPECT_TRUE(rc::check([] {
    Conv conv = random_conv(false);
    conv.in_channels /= conv.groups;
    conv.out_channels /= conv.groups;
    conv.groups = 1;
    const Gpu gpu = random_gpu();
    const Traffic one = estimate(conv, gpu, kDelta).traffic;
    RC_PRE(conv.in_channels > 1);  // else the grouped one is depthwise and streams
    conv.groups = 4;
    conv.in_channels *= 4;
    conv.out_channels *= 4;
    const Traffic four = estimate(conv, gpu, kDelta).traffic;
    RC_ASSERT(four.l1 == one.l1 * 4);
    RC_ASSERT(four.l2 == one.l2 * 4);
    RC_ASSERT(four.dram == one.dram * 4);
    RC_ASSERT(four.store_dram == one.store_dram * 4);
    RC_ASSERT(four.compulsory == one.compulsory * 4);
  }));
}

TEST(AnyLayer, MovesMoreForMoreSamplesButNotMoreASample) {
  EXPECT_TRUE(rc::check([] {
    Conv conv = random_conv();
    const Gpu gpu = random_gpu();
    const Traffic once = estimate(conv, gpu, kDelta).traffic;
    conv.batch *= 2;
    const Traffic twice = estimate(conv, gpu, kDelta).traffic;
    for (const auto& [more, less] : {std::pair{twice.l1, once.l1}, {twice.l2, once.l2}, {twice.dram, once.dram}}) {
      RC_ASSERT(more >= less);
      RC_ASSERT(more <= less * (2 + kSumRounding));
    }
    RC_ASSERT(twice.store_dram == once.store_dram * 2);
  }));
}

// As a matter of definition (section II.B of the paper): a fully connected layer is a 1x1 convolution of one pixel.
TEST(AnyGemm, IsAPointwiseConvolution) {
  EXPECT_TRUE(rc::check([] {
    Gemm gemm = random_gemm();
    gemm.batch = 1;
    Conv conv;
    conv.batch = gemm.m;
    conv.in_channels = gemm.k;
    conv.out_channels = gemm.n;
    const Gpu gpu = random_gpu();
    const LayerEstimate a = estimate(gemm, gpu, kDelta), b = estimate(conv, gpu, kDelta);
    RC_ASSERT(a.time == b.time);
    RC_ASSERT(a.flops == b.flops);
    RC_ASSERT(a.traffic.l2 == b.traffic.l2);
  }));
}

// Mirrored axes are the same work: height and width may differ in anything, but the order of two axes that the L1
// does not see (depth and height) does not matter.
TEST(AnyLayer, DoesNotCareWhichOfDepthAndHeightIsWhich) {
  EXPECT_TRUE(rc::check([] {
    Conv conv = random_conv();
    const Gpu gpu = random_gpu();
    const LayerEstimate before = estimate(conv, gpu, kDelta);
    std::swap(conv.axes[0], conv.axes[1]);
    const LayerEstimate after = estimate(conv, gpu, kDelta);
    RC_ASSERT(std::abs(after.time / before.time - 1) < kSumRounding);
    RC_ASSERT(std::abs(after.traffic.l2 / before.traffic.l2 - 1) < kSumRounding);
  }));
}

// A workload of unrelated layers: enough for predict(), which looks at one op at a time.
Workload random_workload() {
  Workload workload;
  workload.name = "random";
  const auto count = between(1, 8);
  for (std::int64_t i = 0; i < count; ++i) {
    const Shape shape = {between(1, 64), between(1, 4096)};
    workload.tensors.push_back({"x", shape});
    workload.tensors.push_back({"y", shape});
    OpKind kind;
    switch (between(0, 4)) {
      case 0:
        kind = random_conv();
        break;
      case 1:
        kind = random_gemm();
        break;
      case 2:
        kind = Softmax{};
        break;
      case 3:
        kind = View{"reshape"};
        break;
      default:
        kind = Elementwise{"relu"};
    }
    workload.ops.push_back({"op", kind, {workload.tensors.size() - 2}, {workload.tensors.size() - 1}});
  }
  return workload;
}

TEST(AnyWorkload, TakesTheSumOfItsLayers) {
  EXPECT_TRUE(rc::check([] {
    const Workload workload = random_workload();
    const Gpu gpu = random_gpu();
    const Prediction prediction = predict(workload, gpu, kDelta).value();
    RC_ASSERT(prediction.layers.size() == workload.ops.size());
    Seconds time, by_bottleneck;
    Flops work;
    for (const Op& op : workload.ops) {
      const LayerEstimate layer = estimate(workload, op, gpu, kDelta);
      time += layer.time;
      work += layer.flops;
      RC_ASSERT(layer.flops == flops(workload, op));
    }
    for (const Seconds seconds : time_by_bottleneck(prediction).by) by_bottleneck += seconds;
    RC_ASSERT(prediction.time == time);
    RC_ASSERT(prediction.flops == work);
    RC_ASSERT(std::abs((by_bottleneck - time).value()) <= kSumRounding * time.value());
  }));
}

TEST(AnyWorkload, IsPredictedTheSameTwice) {
  EXPECT_TRUE(rc::check([] {
    const Workload workload = random_workload();
    const Gpu gpu = random_gpu();
    const Prediction first = predict(workload, gpu, kDelta).value(), second = predict(workload, gpu, kDelta).value();
    RC_ASSERT(first.time == second.time);
    for (std::size_t i = 0; i < first.layers.size(); ++i) {
      RC_ASSERT(first.layers[i].cases.by == second.layers[i].cases.by);
      RC_ASSERT(first.layers[i].traffic.l2 == second.layers[i].traffic.l2);
    }
  }));
}

}  // namespace
}  // namespace rooftile::property
