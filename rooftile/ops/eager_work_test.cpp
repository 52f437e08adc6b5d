#include "rooftile/ops/eager_work.hpp"

#include <gtest/gtest.h>

#include "rooftile/ops/stream_gradient.hpp"
#include "rooftile/ops/stream_one_op.hpp"

namespace rooftile {
namespace {

constexpr StreamRun kEager{.eager = true};

double operations(const StreamOneOp& one, const StreamRun& run = kEager) {
  return stream_kernels(one.workload, one.op(), run).front().work.operations;
}

TEST(EagerWork, BroadcastOperandsAreFoundByDivision) {
  const Shape maps{2, 8, 4, 4};
  const double elements = 2 * 8 * 4 * 4;
  const double plain = operations({Elementwise{"add"}, {maps, maps}, maps});
  EXPECT_EQ(plain, elements);
  EXPECT_GT(operations({Elementwise{"bias"}, {maps, {8}}, maps, 1}), plain + 50 * elements);
  EXPECT_EQ(operations({Elementwise{"mul"}, {maps, {1}}, maps, 1}), plain) << "a scalar is an argument";
  EXPECT_EQ(operations({Elementwise{"bias"}, {maps, {8}}, maps, 1}, {}), elements) << "compiled";
}

TEST(EagerWork, OperandsOfAnotherTypeToo) {
  StreamOneOp add(Elementwise{"add"}, {{64, 64}, {64, 64}}, {64, 64});
  const double alike = operations(add);
  add.workload.tensors[1].dtype = DType::fp16;
  EXPECT_GT(operations(add), alike);
}

TEST(EagerWork, CastsUpAreNotVectorized) {
  StreamOneOp cast(Move{.function = "cast"}, {{64, 64}}, {64, 64});
  cast.workload.tensors[1].dtype = DType::fp16;
  const double down = operations(cast);
  std::swap(cast.workload.tensors[0].dtype, cast.workload.tensors[1].dtype);
  EXPECT_GT(operations(cast), down);
}

// A plane of 196 positions keeps a CTA of 256 threads busy, one of 49 as well.
TEST(EagerWork, PlanesFillCtas) {
  const StreamRun planes{.maps = Maps::planes, .eager = true};
  const double full = operations({Normalize{"batch"}, {{1, 4, 16, 16}}, {1, 4, 16, 16}}, planes);
  EXPECT_EQ(operations({Normalize{"batch"}, {{1, 4, 14, 14}}, {1, 4, 14, 14}}, planes), full);
  EXPECT_EQ(operations({Normalize{"batch"}, {{1, 4, 7, 7}}, {1, 4, 7, 7}}, planes), full);
  EXPECT_EQ(operations({Normalize{"batch"}, {{1, 4, 17, 17}}, {1, 4, 17, 17}}, planes), 2 * full);
  EXPECT_LT(operations({Normalize{"batch"}, {{1, 4, 7, 7}}, {1, 4, 7, 7}}), full) << "channels last";
}

// Most of the work of a short row is its sums.
TEST(EagerWork, RowsOfALayerNormHaveWorkOfTheirOwn) {
  const double narrow = operations({Normalize{"layer"}, {{100, 96}}, {100, 96}});
  const double wide = operations({Normalize{"layer"}, {{100, 192}}, {100, 192}});
  EXPECT_GT(narrow, 0.5 * wide);
  EXPECT_EQ(operations({Normalize{"layer"}, {{200, 96}}, {200, 96}}), 2 * narrow);
}

TEST(EagerWork, MaximaHaveIndices) {
  const StreamOneOp pool(Pool{.function = "max", .window = 4}, {{1, 8, 4, 4}}, {1, 8, 2, 2});
  const StreamKernel eager = stream_kernels(pool.workload, pool.op(), kEager).front();
  const StreamKernel compiled = stream_kernels(pool.workload, pool.op()).front();
  EXPECT_EQ(eager.write, compiled.write + Bytes(8 * 32));
  EXPECT_EQ(eager.work.operations, 32 * kEagerWindow);
}

TEST(EagerWork, EarlyLayerNormsAreTwoKernels) {
  const StreamRows rows{100, 768};
  const std::vector<StreamKernel> kernels = early_layer_norm(rows, Bytes(2));
  ASSERT_EQ(kernels.size(), 2U);
  const StreamKernel &sums = kernels[0], &result = kernels[1];
  EXPECT_EQ(sums.threads, 512);
  EXPECT_EQ(sums.steps, 2) << "768 numbers by 512 threads";
  EXPECT_EQ(sums.write, Bytes());
  EXPECT_EQ(sums.read, Bytes(2 * 100 * 768));
  EXPECT_EQ(sums.work.operations, 100 * 140000.0) << "four times as many threads as later, 35,000 / 128 each";
  EXPECT_EQ(result.threads, 256);
  EXPECT_EQ(result.steps, 3);
  EXPECT_EQ(result.write, Bytes(2 * 100 * 768));
  EXPECT_EQ(result.work.operations, 100 * 768 * 47.0);
}

// Eight groups of two channels of 16 x 16.
TEST(EagerWork, GroupNormsAreThreeKernels) {
  const StreamOneOp norm(Normalize{"group"}, {{1, 16, 16, 16}}, {1, 16, 16, 16});
  const OperandBytes bytes{Bytes(8192), Bytes(8192)};
  const std::vector<StreamKernel> kernels = eager_group_norm(bytes, {1, 16, 16, 16}, {8, 512}, Bytes(2));
  ASSERT_EQ(kernels.size(), 3U);
  EXPECT_EQ(kernels[0].ctas, 8);
  EXPECT_EQ(kernels[0].steps, 1);
  EXPECT_EQ(kernels[0].write, Bytes());
  EXPECT_EQ(kernels[1].read, Bytes(16 * 8));
  EXPECT_EQ(kernels[2].write, Bytes(8192));
  EXPECT_EQ(stream_kernels(norm.workload, norm.op(), kEager).size(), 3U);
  EXPECT_EQ(stream_kernels(norm.workload, norm.op()).size(), 1U) << "compiled";
}

TEST(EagerWork, GradientsOfALayerNormHaveAKernelForRowsAndOneForColumns) {
  const StreamOneOp norm(Normalize{"layer"}, {{1000, 768}, {768}, {768}}, {1000, 768}, 2);
  const auto kernels = gradient_kernels(norm.workload, norm.op(), kEager);
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0].ctas, 1000);
  EXPECT_EQ(kernels[1].ctas, 24) << "of 32 columns each";
  const StreamOneOp many(Normalize{"layer"}, {{100000, 768}, {768}, {768}}, {100000, 768}, 2);
  EXPECT_GT(gradient_kernels(many.workload, many.op(), kEager)[1].ctas, 1000);
}

// One kernel reads what it normalises twice; compiled, and of planes, there are others.
TEST(EagerWork, BatchStatisticsOfContiguousChannels) {
  const Shape maps{2, 8, 4, 4};
  const StreamOneOp norm(Normalize{"batch"}, {maps}, maps);
  const StreamRun training{.use = StreamUse::training, .eager = true};
  const auto forward = stream_kernels(norm.workload, norm.op(), training);
  ASSERT_EQ(forward.size(), 1U);
  EXPECT_EQ(forward[0].read, Bytes(2 * 256 * 4));
  const auto gradient = gradient_kernels(norm.workload, norm.op(), training);
  ASSERT_EQ(gradient.size(), 1U);
  EXPECT_EQ(gradient[0].read, Bytes(2 * 2 * 256 * 4));
  EXPECT_GT(gradient[0].work.operations, forward[0].work.operations);
}

// A row costs something, however many columns it has; one of few columns shares a warp with others.
TEST(EagerWork, GradientsOfABiasHaveWorkForRows) {
  const Bytes none;
  const double rows = 1000;
  const auto work = [&](double columns) {
    return eager_bias_gradient(none, none, rows * columns, columns).work.operations;
  };
  EXPECT_LT(work(4096), 16 * work(256));
  EXPECT_NEAR(work(32), 0.5 * work(64), 1e-6);
}

}  // namespace
}  // namespace rooftile
