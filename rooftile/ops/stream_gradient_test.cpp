#include "rooftile/ops/stream_gradient.hpp"

#include <gtest/gtest.h>

#include "rooftile/ops/stream_one_op.hpp"

namespace rooftile {
namespace {

OperandBytes gradient(const StreamOneOp& one) { return total_bytes(gradient_kernels(one.workload, one.op())); }

// In elements of 4 bytes.
OperandBytes elements_of(double read, double write) { return {Bytes(4 * read), Bytes(4 * write)}; }

TEST(StreamGradient, OneInput) { EXPECT_EQ(gradient({Elementwise{"relu", 1}, {{2, 8}}, {2, 8}}), elements_of(32, 16)); }

TEST(StreamGradient, SumsPassThrough) {
  EXPECT_EQ(gradient({Elementwise{"add", 1}, {{2, 8}, {2, 8}}, {2, 8}}), elements_of(0, 0));
  EXPECT_EQ(gradient({Elementwise{"add", 1}, {{2, 8}, {8}}, {2, 8}, 1}), elements_of(16, 8));
  EXPECT_EQ(gradient({Elementwise{"mul", 1}, {{2, 8}, {2, 8}}, {2, 8}}), elements_of(48, 32));
}

TEST(StreamGradient, Pool) {
  EXPECT_EQ(gradient({Pool{"max", 9}, {{1, 1, 6, 6}}, {1, 1, 2, 2}}), elements_of(4 + 1, 36));
  EXPECT_EQ(gradient({Pool{"average", 9}, {{1, 1, 6, 6}}, {1, 1, 2, 2}}), elements_of(4, 36));
  const StreamOneOp pool(Pool{"max", 9}, {{1, 1, 6, 6}}, {1, 1, 2, 2});
  EXPECT_EQ(gradient_kernels(pool.workload, pool.op())[0].work, (StreamWork{.visits = 36, .searches = 36}));
  EXPECT_EQ(gradient_kernels(pool.workload, pool.op(), {.eager = true})[0].read, Bytes(4 * 4 + 8 * 4));
  const StreamOneOp global(Pool{"average", 36}, {{1, 1, 6, 6}}, {1, 1, 1, 1});
  EXPECT_EQ(gradient_kernels(global.workload, global.op())[0].work, (StreamWork{.operations = 36}));
}

TEST(StreamGradient, Normalisations) {
  EXPECT_EQ(gradient({Normalize{"batch"}, {{2, 8}, {8}, {8}}, {2, 8}, 2}), elements_of(64, 32));
  EXPECT_EQ(gradient({Normalize{"layer"}, {{2, 8}, {8}, {8}}, {2, 8}, 2}), elements_of(64, 32));
  EXPECT_EQ(gradient({Normalize{"lrn", 5}, {{2, 8}}, {2, 8}}), elements_of(48, 16));
}

TEST(StreamGradient, BatchNormalisationOfPlanesGoesTwiceThroughItsChannels) {
  const StreamOneOp norm(Normalize{"batch"}, {{8, 64, 56, 56}, {64}, {64}}, {8, 64, 56, 56}, 2);
  const auto kernels = gradient_kernels(norm.workload, norm.op(), {.maps = Maps::planes});
  ASSERT_EQ(kernels.size(), 1U);
  EXPECT_EQ(kernels[0].ctas, 64);
  EXPECT_EQ(kernels[0].read, Bytes(4 * 2 * 8 * 64 * 56 * 56));
  EXPECT_EQ(kernels[0].reread, kernels[0].read);
}

TEST(StreamGradient, BatchNormalisationOfPlanesWithNarrowWeightsIsPyTorchs) {
  StreamOneOp norm(Normalize{"batch"}, {{8, 64, 56, 56}, {64}, {64}}, {8, 64, 56, 56}, 2);
  for (Tensor& tensor : norm.workload.tensors) tensor.dtype = DType::fp16;
  const auto steps = [&](bool own) {
    return gradient_kernels(norm.workload, norm.op(), {.maps = Maps::planes, .own_norms = own}).front().steps;
  };
  EXPECT_EQ(steps(false), 25);  // of two elements
  EXPECT_EQ(steps(true), 49);
}

TEST(StreamGradient, SoftmaxWritesItsInputsType) {
  StreamOneOp softmax(Softmax{}, {{2, 8}}, {2, 8});
  softmax.workload.tensors[0].dtype = DType::fp16;
  const StreamKernel kernel = gradient_kernels(softmax.workload, softmax.op())[0];
  EXPECT_EQ(kernel.write, Bytes(2 * 8 * 2));
  EXPECT_EQ(kernel.read, Bytes(2 * 2 * 8 * 4)) << "its result and that result's gradient";
}

TEST(StreamGradient, SoftmaxGoesTwiceThroughItsRows) {
  const StreamOneOp softmax(Softmax{}, {{2, 8}}, {2, 8});
  EXPECT_EQ(gradient(softmax), elements_of(32, 16));
  EXPECT_EQ(gradient_kernels(softmax.workload, softmax.op())[0].reread, Bytes(128));
}

TEST(StreamGradient, ReductionsAndCopies) {
  EXPECT_EQ(gradient({Reduce{"mean"}, {{2, 8}}, {2, 1}}), elements_of(2, 16));
  EXPECT_EQ(gradient({Move{"concat", false}, {{10}, {20}}, {30}}), elements_of(0, 0));  // parts of dY
  EXPECT_EQ(gradient({Move{"slice", true}, {{100}}, {10}}), elements_of(10, 100));
  EXPECT_EQ(gradient({View{"reshape"}, {{2, 8}}, {16}}), elements_of(0, 0));
  EXPECT_EQ(gradient({View{"dropout"}, {{16}}, {16}}), elements_of(16 + 4, 16));  // the mask: a byte an element
}

TEST(StreamGradient, RowsOfATable) {
  const auto of = [](StreamKind kind) { return total_bytes(gradient_kernels(StreamLayer{kind, 2, 8}, Bytes(4))); };
  EXPECT_EQ(of(StreamKind::add), elements_of(0, 0));
  EXPECT_EQ(of(StreamKind::softmax), elements_of(32, 16));
  EXPECT_EQ(of(StreamKind::norm), elements_of(64, 24));
  EXPECT_EQ(of(StreamKind::gelu), elements_of(32, 16));
  EXPECT_EQ(of(StreamKind::gated_activation), elements_of(48, 32));
}

TEST(StreamGradient, NormsAddUpAlongTheirColumnsApartOrAtOnce) {
  const StreamLayer norm{StreamKind::norm, 16, 512};
  const auto eager = gradient_kernels(norm, Bytes(2), NormKernels::eager);
  ASSERT_EQ(eager.size(), 2U);
  EXPECT_EQ(eager[1].work, (StreamWork{.column_sums = 16 * 512}));
  EXPECT_EQ(eager[1].read, Bytes(2 * 2 * 16 * 512));
  EXPECT_EQ(eager[1].write, Bytes(2 * 512));
  const auto fused = gradient_kernels(norm, Bytes(2), NormKernels::fused);
  ASSERT_EQ(fused.size(), 1U);
  EXPECT_EQ(fused[0].read, eager[0].read);
  EXPECT_EQ(fused[0].reread, Bytes(0));
}

TEST(StreamGradient, SumOfTwoReaders) { EXPECT_EQ(total_bytes({gradient_sum({"x", {2, 8}})}), elements_of(32, 16)); }

}  // namespace
}  // namespace rooftile
