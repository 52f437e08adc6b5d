#include "rooftile/roofline/match.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rooftile::roofline {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(WorkOf, ReadsTheNamesOfLibraries) {
  EXPECT_EQ(work_of("", "volta_scudnn_128x64_relu_interior_nn_v1").work, Work::conv);
  EXPECT_EQ(work_of("", "volta_h884gemm_64x128_ldg8_nn").work, Work::gemm);
  EXPECT_EQ(work_of("", "void cudnn::bn_fw_inf_1C11_kernel_NCHW<float, float, true, 1>(float)").work, Work::normalize);
  EXPECT_EQ(work_of("", "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>").work,
            Work::elementwise);
  EXPECT_EQ(work_of("aten::max_pool2d", "kernel_7").work, Work::pool);
  EXPECT_EQ(work_of("aten::relu", "").work, Work::elementwise);
  EXPECT_EQ(work_of("", "kernel_7").work, Work::unknown);
  EXPECT_TRUE(work_of("aten::conv2d", "void nchwToNhwcKernel<__half, __half, float, true>").helper == Helper::before);
  EXPECT_TRUE(work_of("", "cask_cudnn::computeOffsetsKernel(cask_cudnn::ComputeOffsetsParams)").helper ==
              Helper::before);
}

class Matching : public testing::Test {
 protected:
  void SetUp() override {
    view.roof.levels = {{"DRAM", BytesPerSecond(1e11)}};
    view.roof.peaks[static_cast<std::size_t>(Peak::fp32)] = FlopsPerSecond(1e13);
  }

  void layer(const char* name, Work work, Shapes shapes = {}) {
    Kernel kernel;
    kernel.name = kernel.layer = name;
    kernel.flops[static_cast<std::size_t>(Peak::fp32)] = Flops(1e9);
    kernel.bytes = {Bytes(1e6)};
    kernel.time = Seconds(2e-4);
    view.kernels.push_back(kernel);
    planned.push_back({name, work, std::move(shapes)});
  }

  void kernel(const char* name, double microseconds, Shapes shapes = {}, std::optional<Bytes> bytes = {}) {
    Kernel made;
    made.origin = Origin::measured;
    made.name = name;
    made.bytes = {bytes};
    made.time = Seconds(microseconds * 1e-6);
    view.kernels.push_back(made);
    planned_shapes.push_back(std::move(shapes));
  }

  void run() { match(view, planned, planned_shapes); }

  View view;
  std::vector<LayerTraits> planned;
  std::vector<Shapes> planned_shapes;
};

TEST_F(Matching, SeveralKernelsOfALayerByName) {
  layer("conv1", Work::conv);
  layer("relu1", Work::elementwise);
  layer("fc", Work::gemm);
  kernel("computeOffsetsKernel", 3);
  kernel("scudnn_128x64", 400, {}, Bytes(3e6));
  kernel("elementwise_kernel", 20);
  kernel("sgemm_128x64", 150);
  kernel("splitKreduce_kernel", 5);
  run();
  ASSERT_EQ(view.matches.size(), 3U);
  const Match& conv = view.matches[0];  // the most to win
  EXPECT_EQ(conv.predicted, 0U);
  EXPECT_THAT(conv.measured, ElementsAre(3, 4));
  EXPECT_EQ(view.kernels[4].layer, "conv1");
  EXPECT_EQ(conv.by, "name");
  EXPECT_NEAR(conv.measured_time.value(), 403e-6, 1e-12);
  EXPECT_NEAR(conv.time_ratio, 2.015, 1e-9);
  EXPECT_FALSE(conv.bytes_ratio[0]);                   // one of the two has no counters
  EXPECT_NEAR(conv.achievable->value(), 1e-4, 1e-12);  // 1e9 / 1e13
  EXPECT_NEAR(conv.loss->value(), 303e-6, 1e-12);
  EXPECT_EQ(view.matches[1].predicted, 2U);
  EXPECT_THAT(view.matches[1].measured, ElementsAre(6, 7));
  EXPECT_THAT(view.unmatched, IsEmpty());
}

TEST_F(Matching, EqualLayersTakeAKernelEach) {
  for (const char* name : {"conv1", "conv2", "conv3"}) layer(name, Work::conv);
  for (int i = 0; i < 3; ++i) kernel("scudnn", 100 + i);
  run();
  ASSERT_EQ(view.matches.size(), 3U);
  for (const Match& one : view.matches) EXPECT_THAT(one.measured, ElementsAre(one.predicted + 3));
}

TEST_F(Matching, ShapesDecideWhereBothHaveThem) {
  layer("small", Work::conv, {{1, 8, 8, 8}, {8, 8, 3, 3}});
  layer("large", Work::conv, {{1, 64, 56, 56}, {64, 64, 3, 3}});
  kernel("scudnn", 100, {{1, 64, 56, 56}, {64, 64, 3, 3}, {64}}, Bytes(2e6));
  run();
  ASSERT_EQ(view.matches.size(), 1U);
  EXPECT_EQ(view.matches[0].predicted, 1U);
  EXPECT_EQ(view.matches[0].by, "shape");
  EXPECT_NEAR(*view.matches[0].bytes_ratio[0], 2, 1e-9);
  EXPECT_THAT(view.unmatched, ElementsAre(0));
}

TEST_F(Matching, ByOrderWhereNothingElseIsKnown) {
  layer("a", Work::conv);
  layer("b", Work::gemm);
  kernel("kernel_1", 1);
  kernel("kernel_2", 2);
  run();
  ASSERT_EQ(view.matches.size(), 2U);
  EXPECT_EQ(view.matches[0].by, "order");
  EXPECT_THAT(view.notes, ElementsAre(HasSubstr("another network or batch: 2 of 2 match by their order alone.")));
}

TEST_F(Matching, DoubtsAProfileWhoseKernelsCrowdALayerOrFitNone) {
  layer("fc", Work::gemm);
  for (int i = 0; i < 21; ++i) kernel("sgemm", 10 + i);
  for (int i = 0; i < 30; ++i) kernel("softmax_warp_forward", 10 + i);
  run();
  EXPECT_THAT(view.notes, ElementsAre(AllOf(HasSubstr("30 of 51 kernels match no layer"),
                                            HasSubstr("'fc' has 21 kernels, predicted 1"))));
}

TEST_F(Matching, DoubtsNothingWhereNamesAndNumbersFit) {
  layer("fc", Work::gemm);
  for (int i = 0; i < 20; ++i) kernel("sgemm", 10 + i);
  for (int i = 0; i < 20; ++i) kernel("softmax_warp_forward", 10 + i);
  run();
  EXPECT_THAT(view.notes, IsEmpty());
}

TEST_F(Matching, WorkThatDoesNotFitIsListed) {
  layer("conv", Work::conv);
  kernel("softmax_warp_forward", 10);
  run();
  EXPECT_THAT(view.matches, IsEmpty());
  EXPECT_THAT(view.unmatched, ElementsAre(0, 1));
}

TEST_F(Matching, OneOfSeveralRunsIsMatched) {
  layer("conv", Work::conv);
  layer("fc", Work::gemm);
  for (int run_number = 0; run_number < 3; ++run_number) {
    kernel("scudnn", 100);
    kernel("sgemm", 50);
  }
  run();
  ASSERT_EQ(view.matches.size(), 2U);
  EXPECT_THAT(view.matches[0].measured, ElementsAre(6));
  EXPECT_THAT(view.matches[1].measured, ElementsAre(7));
  EXPECT_THAT(view.unmatched, IsEmpty());
  EXPECT_EQ(view.notes.size(), 1U);
}

}  // namespace
}  // namespace rooftile::roofline
