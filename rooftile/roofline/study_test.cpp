#include "rooftile/roofline/study.hpp"

#include <algorithm>
#include <array>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"

namespace rooftile::roofline {
namespace {

using testing::SizeIs;

class Studies : public testing::Test {
 protected:
  Gpu gpu = find_gpu("v100-sxm2-16gb").value();
  Roof roof = roof_of(gpu);

  View view(Study study, DType precision = DType::fp32, Phase phase = Phase::fwd) {
    PredictOptions options;
    options.precision = precision;
    return study_view(study, gpu, roof, options, phase).value();
  }

  static const Kernel& point(const View& view, std::string_view name, std::string_view variant) {
    return *std::find_if(view.kernels.begin(), view.kernels.end(), [&](const Kernel& kernel) {
      return kernel.layer == name && (variant.empty() || kernel.name.ends_with(", " + std::string(variant)));
    });
  }
};

TEST_F(Studies, HaveThePointsOfTheirSweeps) {
  EXPECT_THAT(view(Study::conv2d).kernels, SizeIs(10));  // the base, 2 strides, 2 batches, 2 sizes, 3 counts of filters
  EXPECT_THAT(view(Study::conv2d, DType::fp16, Phase::bwd).kernels, SizeIs(20));
  EXPECT_THAT(view(Study::lstm).kernels, SizeIs(2 * 12));
  EXPECT_FALSE(study_view(Study::lstm, gpu, roof, {}, Phase::bwd));
  EXPECT_EQ(parse_study("lstn").error().text(),
            "STUDY: unknown study 'lstn'; did you mean 'lstm'? One of conv2d, lstm");
}

TEST_F(Studies, Convolution9x9HasThePublishedFlops) {
  const View made = view(Study::conv2d);
  const Kernel& conv = point(made, "conv N=16 C=64 H=112 W=112 K=64 R=9 S=9 stride_h=2", "");
  EXPECT_NEAR(conv.total_flops().value(), 3.33e10, 1e8);
  EXPECT_EQ(point_of(made, conv)->bound, Bound::compute);
}

// V100, published: TensorFlow 2 launches 243, 467, 915, 1811 kernels for 16, 32, 64, 128 steps and takes 0.92 ms and
// 6.8 ms for the first and last; PyTorch (cuDNN's fused cells) launches 38, 72, 140, 276 and takes 0.213 ms for 16.
// Within 20 % of launches (frameworks add a few of their own) and a factor of 1.6 of times: kernels are shorter than a
// launch, and how many overlap is not modelled.
TEST_F(Studies, LstmLaunchesAndTimesAreNearThePublishedOnes) {
  const View made = view(Study::lstm);
  const std::array<double, 4> steps = {16, 32, 64, 128}, unfused = {243, 467, 915, 1811}, fused = {38, 72, 140, 276};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::string name =
        "rnn cell=lstm batch=16 steps=" + std::to_string(static_cast<int>(steps[i])) + " input=32 hidden=16";
    EXPECT_NEAR(point(made, name, "unfused").launches, unfused[i], 0.2 * unfused[i]);
    EXPECT_NEAR(point(made, name, "fused").launches, fused[i], 0.2 * fused[i]);
    EXPECT_EQ(point_of(made, point(made, name, "unfused"))->bound, Bound::launch);
  }
  const auto near = [&](int count, const char* variant, double seconds) {
    const double time =
        point(made, "rnn cell=lstm batch=16 steps=" + std::to_string(count) + " input=32 hidden=16", variant)
            .time.value();
    EXPECT_GT(time, seconds / 1.6) << variant << count;
    EXPECT_LT(time, seconds * 1.6) << variant << count;
  };
  near(16, "unfused", 0.92e-3);
  near(128, "unfused", 6.8e-3);
  near(16, "fused", 0.213e-3);
}

TEST_F(Studies, MeasuredRowsStandBesideTheirPoints) {
  View made = view(Study::lstm);
  const std::string csv =
      "op,cell,gpu,framework,pass,batch,steps,input,hidden,kernel_launches,time_us,dram_bytes_measured\n"
      "rnn,lstm,v100-sxm2-16gb,TF,fwd,16,16,32,16,243,920,1000000\n"
      "rnn,lstm,v100-sxm2-16gb,PT,fwd,16,16,32,16,38,213,1000000\n"
      "rnn,lstm,v100-sxm2-16gb,PT,fwd,16,16,32,17,38,213,1000000\n";
  add_measured_study(made, kernels_of_table(csv, "t.csv", gpu, roof).value());
  ASSERT_EQ(made.matches.size(), 2U);
  EXPECT_EQ(made.kernels[made.matches[0].predicted].name, "base, fused");  // 0.213 ms, 33 launches of 4.2 us at best
  EXPECT_EQ(made.kernels[made.matches[1].predicted].name, "base, unfused");
  EXPECT_EQ(made.kernels.size(), 24 + 2U);
  EXPECT_EQ(made.unmatched.size(), 24 - 2U);
  const Kernel& measured = made.kernels[made.matches[0].measured[0]];
  EXPECT_EQ(measured.name, "base, fused, PT");
  EXPECT_TRUE(point_of(made, measured));
  EXPECT_EQ(point_of(made, measured)->bound, Bound::launch);
}

}  // namespace
}  // namespace rooftile::roofline
