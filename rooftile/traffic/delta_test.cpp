// Terms of the traffic model one by one. Whole layers are in predict/hand_worked_*_test.cpp.
#include "rooftile/traffic/delta.hpp"

#include <gtest/gtest.h>

namespace rooftile {
namespace {

constexpr Bytes kPascalRequest(128), kVoltaRequest(32);

Conv square(std::int64_t in_channels, std::int64_t out_channels, std::int64_t size, std::int64_t filter,
            std::int64_t stride = 1, std::int64_t pad = 0) {
  Conv conv;
  conv.batch = 256;
  conv.in_channels = in_channels;
  conv.out_channels = out_channels;
  conv.axes[1] = conv.axes[2] = {.in = size, .filter = filter, .stride = stride, .pad_begin = pad, .pad_end = pad};
  return conv;
}

DeltaTraffic traffic(const Conv& conv, Bytes request = kPascalRequest) {
  const Im2col gemm = im2col(conv);
  return delta_traffic(gemm, delta_plan(gemm, Gpu{}), request);
}

TEST(Eq2And3, AlignedPointwiseLoadsAreEfficient) {
  const DeltaTraffic terms = traffic(square(64, 64, 28, 1));
  EXPECT_EQ(terms.request_ratio, 1);
  EXPECT_EQ(terms.mli_ifmap, 1);
}

TEST(Eq2And3, WholeRequestsAreRoundedUp) {
  // 3x3 on 28x28 padded by 1: 30 / 28 = 1.0714. 128-byte requests: 2. 32-byte: ceil(4.286) / 4 = 1.25.
  const Conv conv = square(64, 64, 28, 3, 1, 1);
  EXPECT_NEAR(traffic(conv).request_ratio, 30.0 / 28, 1e-15);
  EXPECT_EQ(traffic(conv).mli_ifmap, 2);
  EXPECT_EQ(traffic(conv, kVoltaRequest).mli_ifmap, 1.25);
}

TEST(Eq2And3, AStrideWidensTheRequest) {
  // AlexNet conv1: 228 x 4 / 218 = 4.18: 5 requests of 128 bytes, 17 / 4 of 32.
  const Conv conv = square(3, 96, 224, 11, 4, 2);
  EXPECT_EQ(traffic(conv).mli_ifmap, 5);
  EXPECT_EQ(traffic(conv, kVoltaRequest).mli_ifmap, 4.25);
}

TEST(Eq2And3, AnIntegerRatioIsNotRoundedUpByItsLastBit) {
  // 3 / (3 - 3 + 1) x 3 = 9 computed in floating point; a stride of 2 on 1x1 gives exactly 2.
  EXPECT_EQ(traffic(square(8, 8, 56, 1, 2)).mli_ifmap, 2);
  EXPECT_EQ(traffic(square(8, 8, 3, 3, 3)).mli_ifmap, 9);
}

TEST(Eq3, FilterFactorsArePublishedForDepths4And8) {
  EXPECT_EQ(mli_filter(4), 2.75);
  EXPECT_EQ(mli_filter(8), 2.0);  // the sector average would be 1.875
  EXPECT_EQ(mli_filter(16), 1.4375);
  EXPECT_EQ(mli_filter(1), 8);  // each float its own 32-byte sector
}

// The average that the published factor for depth 4 comes from, counted: sectors of eight floats that four consecutive
// floats touch, over the eight ways to lie.
TEST(Eq3, FilterFactorIsTheAverageOverAlignments) {
  for (const int depth : {1, 2, 4, 12, 16, 32}) {
    int sectors = 0;
    for (int start = 0; start < 8; ++start) sectors += (start + depth - 1) / 8 + 1;
    EXPECT_DOUBLE_EQ(mli_filter(depth), sectors / 8.0 * 8 / depth) << depth;
  }
}

TEST(Eq4, IsRepeatedForEachCta) {
  // 128x128x8: 4 (128 x 8 x 2 + 128 x 8 x 2) = 16384 bytes a step; 2 columns x 1458 rows x 300 loops.
  const DeltaTraffic terms = traffic(square(96, 256, 27, 5, 1, 2));
  EXPECT_EQ(terms.l1_per_loop, Bytes(16384));
  EXPECT_EQ(terms.total.l1, Bytes(16384.0 * 2 * 1458 * 300));
}

TEST(Eq5To8, AreTheTermsOfTheAppendixLayer) {
  // 256 channels, 13x13 padded by 1, 3x3, 128 filters: 15 / 13 = 1.15385.
  const DeltaTraffic terms = traffic(square(256, 128, 13, 3, 1, 1));
  EXPECT_NEAR(terms.dist_v, 128 * 15.0 / 13, 1e-9);
  EXPECT_NEAR(terms.a_dist_v, 128 * 15.0 / 13 * 8 / 9, 1e-9);
  EXPECT_NEAR(terms.dist_h, 7.0 / 3 * 13 + 7.0 * 2 / 3, 1e-9);
  EXPECT_NEAR(terms.a_dist_h, 35 * (1 + 128.0 / 169), 1e-9);
  EXPECT_NEAR(terms.a_dist_ifmap, 192.8, 0.05);
}

// Distinct elements that a CTA and step really touch, amortised over a channel, counted by brute force; the paper's
// closed form comes within 12 % except on large maps, where it overestimates, as the paper says of itself.
TEST(Eq5To8, ComeNearABruteForceCount) {
  struct Row {
    Conv conv;
    double counted = 0, formula = 0;
  };
  for (const Row& row :
       {Row{square(256, 128, 13, 3, 1, 1), 177.8, 192.8}, Row{square(96, 128, 28, 3, 1, 1), 187.1, 203.3},
        Row{square(32, 128, 14, 5, 1, 2), 89.1, 94.3}, Row{square(96, 256, 27, 5, 1, 2), 88.4, 98.0},
        Row{square(512, 512, 7, 3, 1, 1), 201.2, 222.1}}) {
    const double distance = traffic(row.conv).a_dist_ifmap;
    EXPECT_NEAR(distance, row.formula, 0.05);
    EXPECT_NEAR(distance / row.counted, 1.08, 0.04);
  }
}

TEST(Eq5To8, ATileCannotTouchMoreThanItself) {
  // 224x224, depth 8, 512 filters of 3x3: across alone is 7/3 x 224 + 14/3 = 527; a 3-D filter on it exceeds 1024.
  Conv conv = square(8, 512, 1000, 3, 1, 1);
  EXPECT_EQ(traffic(conv).a_dist_ifmap, 128 * 8);
}

TEST(Eq9, PointwiseTilesAreAllUnique) {
  const DeltaTraffic terms = traffic(square(480, 16, 14, 1));
  EXPECT_EQ(terms.a_dist_ifmap, 128 * 4);
  EXPECT_EQ(terms.dist_filter, 32 * 4);
  EXPECT_EQ(terms.l2_per_loop, Bytes(4 * (512 + 128)));
}

TEST(Eq10, CountsPaddingAndEachColumnOfCtas) {
  // 27x27 padded by 2; 256 filters are two columns of 128.
  const DeltaTraffic terms = traffic(square(96, 256, 27, 5, 1, 2));
  EXPECT_EQ(terms.dram_ifmap, Bytes(4.0 * 256 * 96 * 31 * 31 * 2));
  EXPECT_EQ(terms.dram_filter, Bytes(4.0 * 96 * 25 * 256));
  EXPECT_EQ(terms.total.dram, terms.dram_ifmap + terms.dram_filter);
}

TEST(Eq10, LeavesOutWhatAStridedPointwiseFilterSkips) {
  const DeltaTraffic terms = traffic(square(256, 128, 56, 1, 2));
  EXPECT_EQ(terms.dram_ifmap, Bytes(4.0 * 256 * 256 * 28 * 28));
}

TEST(DeltaTraffic, StoresEachOutputAndKnowsWhatIsCompulsory) {
  const DeltaTraffic terms = traffic(square(96, 256, 27, 5, 1, 2));
  EXPECT_EQ(terms.total.store_dram, Bytes(4.0 * 256 * 256 * 27 * 27));
  EXPECT_EQ(terms.total.compulsory, Bytes(4.0 * (256 * 96 * 27 * 27 + 96 * 25 * 256)));
}

TEST(DeltaTraffic, GroupsAreSeparateGemms) {
  Conv whole = square(48, 128, 27, 5, 1, 2);
  Conv halves = square(96, 256, 27, 5, 1, 2);
  halves.groups = 2;
  const Traffic one = traffic(whole).total, two = traffic(halves).total;
  EXPECT_EQ(two.l1, one.l1 * 2);
  EXPECT_EQ(two.l2, one.l2 * 2);
  EXPECT_EQ(two.dram, one.dram * 2);
  EXPECT_EQ(two.store_dram, one.store_dram * 2);
  EXPECT_EQ(two.compulsory, one.compulsory * 2);
}

}  // namespace
}  // namespace rooftile
