#include "rooftile/ops/recurrent.hpp"

#include <gtest/gtest.h>

#include "rooftile/workload/sequence.hpp"

namespace rooftile {
namespace {

// An LSTM of 2 layers: 8 sequences of 10 positions with 20 features, 30 hidden.
Recurrent small() {
  Recurrent recurrent;
  recurrent.batch = 8;
  recurrent.steps = 10;
  recurrent.input = 20;
  recurrent.hidden = 30;
  recurrent.layers = 2;
  return recurrent;
}

double macs_of(const Gemm& gemm) {
  return static_cast<double>(gemm.m) * static_cast<double>(gemm.n) * static_cast<double>(gemm.k);
}

// Of all products of a pass.
double macs_in(const Recurrent& recurrent, Pass pass) {
  double sum = 0;
  for (const SequenceProduct& product : sequence_products(recurrent, pass))
    sum += macs_of(product.gemm) * product.count;
  if (pass == Pass::bwd_weight) return sum;
  for (const CellRounds& part : cell_rounds(recurrent)) {
    sum += part.rounds * part.cells * macs_of(step_product(recurrent, pass));
  }
  return sum;
}

TEST(RecurrentWork, AStepMultipliesTheHiddenState) {
  const Gemm forward = step_product(small(), Pass::fwd);
  EXPECT_EQ(forward, (Gemm{.m = 8, .n = 120, .k = 30, .trans_b = true}));
  const Gemm backward = step_product(small(), Pass::bwd_data);
  EXPECT_EQ(backward, (Gemm{.m = 8, .n = 30, .k = 120}));
}

TEST(RecurrentWork, InputsAreMultipliedOverAllSteps) {
  const auto products = sequence_products(small(), Pass::fwd);
  ASSERT_EQ(products.size(), 2U);
  EXPECT_EQ(products[0].gemm, (Gemm{.m = 80, .n = 120, .k = 20, .trans_b = true}));
  EXPECT_EQ(products[1].gemm, (Gemm{.m = 80, .n = 120, .k = 30, .trans_b = true}));
  EXPECT_EQ(products[1].count, 1);
}

TEST(RecurrentWork, WithoutInputProjectionOnlyTheRecurrentWeightsHaveGradients) {
  Recurrent recurrent = small();
  recurrent.input_projection = false;
  EXPECT_TRUE(sequence_products(recurrent, Pass::fwd).empty());
  EXPECT_TRUE(sequence_products(recurrent, Pass::bwd_data).empty());
  const auto products = sequence_products(recurrent, Pass::bwd_weight);
  ASSERT_EQ(products.size(), 1U);
  EXPECT_EQ(products[0].gemm, (Gemm{.m = 120, .n = 30, .k = 80, .trans_a = true}));
  EXPECT_EQ(products[0].count, 2);
}

TEST(RecurrentWork, EveryPassMultipliesAsMuch) {
  for (const char* cell : {"lstm", "gru", "vanilla"}) {
    for (const int directions : {1, 2}) {
      for (const int layers : {1, 3, 12}) {
        Recurrent recurrent = small();
        recurrent.cell = cell;
        recurrent.directions = directions;
        recurrent.layers = layers;
        for (const Pass pass : {Pass::fwd, Pass::bwd_data, Pass::bwd_weight}) {
          EXPECT_DOUBLE_EQ(macs_in(recurrent, pass), macs(recurrent));
        }
      }
    }
  }
}

TEST(RecurrentWork, GatesReadProductsAndWriteWhatGradientsNeed) {
  EXPECT_EQ(gate_elements(small()), 8 * 30 * (4 + 4 + 3));
  Recurrent plain = small();
  plain.cell = "vanilla";
  EXPECT_EQ(gate_elements(plain), 8 * 30 * (1 + 1 + 3));
}

TEST(RecurrentWork, LayersOfOneDirectionOverlap) {
  const auto rounds = cell_rounds(small());
  EXPECT_EQ(rounds[0].rounds, 9);
  EXPECT_EQ(rounds[0].cells, 2);
  EXPECT_EQ(rounds[1].rounds, 2);
  EXPECT_EQ(rounds[1].cells, 1);
}

TEST(RecurrentWork, TwoDirectionsRunSideBySideLayerByLayer) {
  Recurrent recurrent = small();
  recurrent.directions = 2;
  const auto rounds = cell_rounds(recurrent);
  EXPECT_EQ(rounds[0].rounds, 20);
  EXPECT_EQ(rounds[0].cells, 2);
  EXPECT_EQ(rounds[1].rounds, 0);
}

}  // namespace
}  // namespace rooftile
