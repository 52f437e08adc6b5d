#include "rooftile/ops/stream_kernels.hpp"

#include <gtest/gtest.h>

#include "rooftile/ops/eager_work.hpp"
#include "rooftile/ops/stream_one_op.hpp"

namespace rooftile {
namespace {

StreamKernel only(const StreamOneOp& one, StreamUse use = StreamUse::inference) {
  const std::vector<StreamKernel> kernels = stream_kernels(one.workload, one.op(), {.use = use});
  EXPECT_EQ(kernels.size(), 1U);
  return kernels.empty() ? StreamKernel{} : kernels[0];
}

TEST(StreamKernels, NormOfATableReadsScalarsInTwoPasses) {
  const StreamKernel kernel = stream_kernel({StreamKind::norm, 4, 8192}, Bytes(2));
  EXPECT_EQ(kernel.ctas, 4);
  EXPECT_EQ(kernel.steps, 8);
  EXPECT_EQ(kernel.resteps, 9);
  EXPECT_EQ(kernel.reread, Bytes(4 * 8192 * 2));
}

TEST(StreamKernels, GateReadsTwoHalvesOnce) {
  const StreamKernel kernel = stream_kernel({StreamKind::gated_activation, 3, 1024}, Bytes(2));
  EXPECT_EQ(kernel.read, Bytes(2 * 3 * 1024 * 2));
  EXPECT_EQ(kernel.reread, Bytes(0));
  EXPECT_EQ(kernel.work.gates, 3 * 1024);
}

TEST(StreamKernels, ShortSoftmaxStaysInRegisters) {
  const StreamKernel few = stream_kernel({StreamKind::softmax, 10, 1024}, Bytes(2));
  EXPECT_EQ(few.ctas, 3);
  EXPECT_EQ(few.reread, Bytes(0));
  const StreamKernel many = stream_kernel({StreamKind::softmax, 10, 1025}, Bytes(2));
  EXPECT_EQ(many.ctas, 10);
  EXPECT_EQ(many.reread, many.read * 2);
}

TEST(StreamKernels, SoftmaxReadsItsInputsTypeAndWritesItsOutputs) {
  StreamOneOp one(Softmax{}, {{10, 2048}}, {10, 2048});
  one.workload.tensors[0].dtype = DType::fp16;
  const StreamKernel kernel = only(one);
  EXPECT_EQ(kernel.read, Bytes(10 * 2048 * 2));
  EXPECT_EQ(kernel.reread, kernel.read * 2);
  EXPECT_EQ(kernel.write, Bytes(10 * 2048 * 4));
}

TEST(StreamKernels, EveryKindOfATableHasItsBytes) {
  for (const StreamKind kind : kStreamKinds) {
    const StreamLayer layer{kind, 7, 300};
    const StreamKernel kernel = stream_kernel(layer, Bytes(2));
    EXPECT_EQ((OperandBytes{kernel.read, kernel.write}), operand_bytes(layer, Bytes(2))) << name_of(kind);
  }
}

TEST(StreamKernels, AWarpUnpacks256Weights) {
  const StreamKernel kernel = only(StreamOneOp(Move{.function = "unpack"}, {{1000, 256}}, {1000, 256}));
  EXPECT_EQ(kernel.threads, 32);
  EXPECT_EQ(kernel.ctas, 1000);
  EXPECT_EQ(kernel.handed_out, 1000);
  EXPECT_EQ(only(StreamOneOp(Move{.function = "cast"}, {{1000, 256}}, {1000, 256})).handed_out, 0);
}

TEST(StreamKernels, NormsByWhoWroteThem) {
  EXPECT_EQ(norm_kernels(""), NormKernels::serving);
  EXPECT_EQ(norm_kernels("rms_norm_kernel"), NormKernels::serving);
  EXPECT_EQ(norm_kernels("cuDNN"), NormKernels::fused);
  EXPECT_EQ(norm_kernels("torch_compile"), NormKernels::compiled);
  EXPECT_EQ(norm_kernels("pytorch"), NormKernels::eager);
  const StreamLayer layer{StreamKind::norm, 1000, 4096};
  EXPECT_EQ(stream_kernel(layer, Bytes(2)).threads, 1024);
  EXPECT_EQ(stream_kernel(layer, Bytes(2)).reread, Bytes(2 * 1000 * 4096));
  EXPECT_EQ(stream_kernel(layer, Bytes(2), NormKernels::eager).threads, 512);
  EXPECT_EQ(stream_kernel(layer, Bytes(2), NormKernels::fused).reread, Bytes(0));
  const StreamLayer layer_norm{StreamKind::layernorm, 1000, 4096};
  EXPECT_EQ(stream_kernel(layer_norm, Bytes(2), NormKernels::eager), eager_layer_norm({1000, 4096}, Bytes(2)));
  EXPECT_EQ(stream_kernel(layer_norm, Bytes(2)).threads, 512);
  const StreamKernel rows = stream_kernel({StreamKind::norm, 1000, 128}, Bytes(2), NormKernels::compiled);
  EXPECT_EQ(rows.ctas, 250);
  EXPECT_EQ(rows.threads, 128);
}

TEST(StreamKernels, ErrorFunctionsAreCountedApart) {
  EXPECT_EQ(only({Elementwise{"gelu", 5}, {{2, 8}}, {2, 8}}).work, (StreamWork{.activations = 16}));
  EXPECT_EQ(only({Elementwise{"sigmoid", 4}, {{2, 8}}, {2, 8}}).work, (StreamWork{.operations = 64}));
}

TEST(StreamKernels, PoolLooksAtItsWindows) {
  const StreamOneOp pool(Pool{"max", 9}, {{1, 2, 6, 6}}, {1, 2, 2, 2});
  EXPECT_EQ(only(pool).work, (StreamWork{.visits = 72}));
  EXPECT_EQ(only(pool).write, Bytes(4 * 8));
  EXPECT_EQ(only(pool, StreamUse::training).write, Bytes(4 * 8 + 8));
  EXPECT_EQ(stream_kernels(pool.workload, pool.op(), {.eager = true}).front().write, Bytes(4 * 8 + 8 * 8));
  EXPECT_EQ(stream_kernels(pool.workload, pool.op(), {.pools_by_load = true}).front().work, (StreamWork{.visits = 18}))
      << "four floats at once";
  const StreamOneOp global(Pool{"average", 36}, {{1, 2, 6, 6}}, {1, 2, 1, 1});
  EXPECT_EQ(only(global).work, (StreamWork{.operations = 72}));
}

TEST(StreamKernels, InductorFetchesSectorsAgainForMeansOverManyPositions) {
  const auto again = [](std::int64_t side, std::int64_t left) {
    const std::int64_t window = (side / left) * (side / left);
    const StreamOneOp pool(Pool{"average", window}, {{1, 2, side, side}}, {1, 2, left, left});
    return fetches_sectors_again(pool.workload, pool.op());
  };
  EXPECT_TRUE(again(16, 1));
  EXPECT_FALSE(again(15, 1));
  EXPECT_FALSE(again(64, 2));
  const StreamOneOp relu(Elementwise{"relu", 1}, {{1, 2, 16, 16}}, {1, 2, 16, 16});
  EXPECT_FALSE(fetches_sectors_again(relu.workload, relu.op()));
}

TEST(StreamKernels, BatchNormalisationOfTrainingReadsTwice) {
  const StreamOneOp norm(Normalize{"batch"}, {{2, 3, 4}, {3}, {3}}, {2, 3, 4}, 2);
  EXPECT_EQ(stream_kernels(norm.workload, norm.op()).size(), 1U);
  const auto kernels = stream_kernels(norm.workload, norm.op(), {.use = StreamUse::training});
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0].read, Bytes(4 * 24));  // the input; then with scale and shift
  EXPECT_EQ(kernels[1].read, Bytes(4 * (24 + 3 + 3)));
  EXPECT_EQ(kernels[0].write, Bytes(0));
}

TEST(StreamKernels, BatchNormalisationOfPlanesHasOneCtaForEachChannel) {
  const StreamOneOp norm(Normalize{"batch"}, {{8, 64, 56, 56}, {64}, {64}}, {8, 64, 56, 56}, 2);
  const auto kernels = stream_kernels(norm.workload, norm.op(), {.use = StreamUse::training, .maps = Maps::planes});
  ASSERT_EQ(kernels.size(), 1U);
  EXPECT_EQ(kernels[0].ctas, 64);
  EXPECT_EQ(kernels[0].threads, 512);
  EXPECT_EQ(kernels[0].steps, 25);  // 8 * 56 * 56 / 512 / 2, rounded up
  EXPECT_EQ(kernels[0].reread, Bytes(4 * 8 * 64 * 56 * 56));
  EXPECT_EQ(stream_kernels(norm.workload, norm.op(), {.maps = Maps::planes}).front().reread, Bytes(0));

  const StreamRun early{.use = StreamUse::training, .maps = Maps::planes, .early_norms = true};
  const StreamKernel kernel = stream_kernels(norm.workload, norm.op(), early).front();
  EXPECT_EQ(kernel.steps, 49);
  EXPECT_EQ(kernel.reread, kernels[0].reread * 2);
}

// PyTorch's kernels, which wait for each element, where cuDNN has none for the weights' type.
TEST(StreamKernels, BatchNormalisationOfPlanesWithNarrowWeightsIsPyTorchs) {
  StreamOneOp norm(Normalize{"batch"}, {{8, 64, 56, 56}, {64}, {64}}, {8, 64, 56, 56}, 2);
  const StreamRun run{.use = StreamUse::training, .maps = Maps::planes, .eager = true, .own_norms = true};
  EXPECT_EQ(stream_kernels(norm.workload, norm.op(), run).size(), 1U) << "its weights are FP32";
  for (Tensor& tensor : norm.workload.tensors) tensor.dtype = DType::fp16;
  const auto kernels = stream_kernels(norm.workload, norm.op(), run);
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0].ctas, 64);
  EXPECT_EQ(kernels[0].steps, 49);  // 8 * 56 * 56 / 512
  EXPECT_EQ(kernels[0].write, Bytes(0));
  EXPECT_GT(kernels[1].ctas, 64);
  EXPECT_EQ(kernels[1].write, Bytes(2 * 8 * 64 * 56 * 56));
}

TEST(StreamKernels, RowsOfNormalisations) {
  const Shape shape = {2, 3, 4, 5};
  EXPECT_EQ(rows_of(Normalize{"layer"}, shape).rows, 24);
  EXPECT_EQ(rows_of(Normalize{"instance"}, shape).columns, 20);
  EXPECT_EQ(rows_of(Softmax{}, {}).columns, 1);
  const StreamOneOp layer(Normalize{"layer"}, {{6, 100}}, {6, 100});
  EXPECT_EQ(only(layer).ctas, 6);
  EXPECT_EQ(only(layer).reread, Bytes(2400));
}

TEST(StreamKernels, ViewsRunNothing) {
  const StreamOneOp view(View{"reshape"}, {{2, 8}}, {16});
  EXPECT_TRUE(stream_kernels(view.workload, view.op()).empty());
}

TEST(StreamKernels, DropoutWritesItsMaskInTraining) {
  const StreamOneOp dropout(View{"dropout"}, {{2, 8}}, {2, 8});
  EXPECT_TRUE(stream_kernels(dropout.workload, dropout.op()).empty());
  const auto kernels = stream_kernels(dropout.workload, dropout.op(), {.use = StreamUse::training});
  ASSERT_EQ(kernels.size(), 1U);
  EXPECT_EQ(kernels[0].read, Bytes(16 * 4));
  EXPECT_EQ(kernels[0].write, Bytes(16 * 4 + 16));
}

TEST(StreamKernels, PartialMoveHasThreadsForWhatItWrites) {
  EXPECT_EQ(only({Move{"slice", true}, {{10000}}, {512}}).ctas, 1);
  EXPECT_EQ(only({Reduce{"sum"}, {{10000}}, {1}}).ctas, 20);
}

TEST(StreamKernels, Depthwise) {
  Conv conv;
  conv.in_channels = conv.out_channels = conv.groups = 32;
  conv.axes[1] = conv.axes[2] = {.in = 16, .filter = 3, .pad_begin = 1, .pad_end = 1};
  const StreamKernel kernel = depthwise_kernel(conv, Bytes(100), Bytes(50));
  EXPECT_EQ(kernel.ctas, 16);
  EXPECT_EQ(kernel.work.operations, 2.0 * 9 * 32 * 256);
}

}  // namespace
}  // namespace rooftile
