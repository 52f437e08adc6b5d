// The scaling study of the DeLTA paper (section VII.C, Table 16a): all 155 convolutions of ResNet-152 on TITAN Xp with
// some of its resources multiplied.
#include "rooftile/evaluation/scaling.hpp"

#include <map>

#include "tests/paper/networks.hpp"
#include <gtest/gtest.h>

namespace rooftile::paper {
namespace {

const PredictOptions kDelta = {.method = Method::delta};

struct Study {
  Seconds time;
  std::map<Bottleneck, int> layers;
};

Study study(const ScalingOption& design) {
  const Gpu gpu = scaled(titan_xp(), design);
  Study result;
  for (const Layer& layer : layers_of("resnet152")) {
    const LayerEstimate estimated = estimate(layer.conv, gpu, kDelta);
    result.time += estimated.time;
    ++result.layers[estimated.bottleneck];
  }
  return result;
}

double speedup(const ScalingOption& design) { return study({}).time / study(design).time; }

constexpr const ScalingOption& kOption1 = kScalingOptions[0];
constexpr const ScalingOption& kOption2 = kScalingOptions[1];
constexpr const ScalingOption& kOption3 = kScalingOptions[2];
constexpr const ScalingOption& kOption4 = kScalingOptions[3];
constexpr const ScalingOption& kOption5 = kScalingOptions[4];
constexpr const ScalingOption& kOption6 = kScalingOptions[5];

TEST(Scaling, ResNet152Has155Convolutions) { EXPECT_EQ(layers_of("resnet152").size(), 155U); }

// Published: 1.9x.
TEST(Scaling, Option1TwiceTheSmsSpeedsUp1Point9Times) {
  EXPECT_GE(speedup(kOption1), 1.85);
  EXPECT_LE(speedup(kOption1), 1.95);
}

// Published: 3.4x.
TEST(Scaling, Option2FourTimesTheSmsSpeedsUp3Point4Times) {
  EXPECT_GE(speedup(kOption2), 3.3);
  EXPECT_LE(speedup(kOption2), 3.6);
}

// Published: more MAC units alone leave a headroom of only 2x.
TEST(Scaling, Option3TwiceTheArithmeticStaysBelowTwice) { EXPECT_NEAR(speedup(kOption3), 1.82, 0.02); }

// The same sentence covers option 4, which the model takes a little further.
TEST(KnownMismatches, Option4FourTimesTheArithmeticGoesBeyondTwice) { EXPECT_NEAR(speedup(kOption4), 2.36, 0.02); }

// Published: similar to option 2, at far less hardware.
TEST(Scaling, Option5IsSimilarToOption2) { EXPECT_NEAR(speedup(kOption5) / speedup(kOption2), 1, 0.1); }

// Published: L2 bandwidth becomes a limiter. It limits no layer of the options before, and a third of them here.
TEST(Scaling, Option6IsLimitedByL2Bandwidth) {
  for (const ScalingOption& design : {ScalingOption{}, kOption1, kOption2, kOption3, kOption4, kOption5}) {
    EXPECT_EQ(study(design).layers[Bottleneck::l2], 0);
  }
  EXPECT_EQ(study(kOption6).layers[Bottleneck::l2], 51);
}

}  // namespace
}  // namespace rooftile::paper
