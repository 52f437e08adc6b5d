// The energy of a predicted run.
#pragma once

#include "rooftile/explore/cost.hpp"
#include "rooftile/predict/prediction.hpp"

namespace rooftile {

using Joules = Quantity<Dimension{.joule = 1}>;

struct RunEnergy {
  Joules arithmetic;    // with operands from registers
  Joules l1, l2, dram;  // of the bytes that each level moves
  Joules idle;          // leakage, regulators, fans over the predicted time

  Joules total() const { return arithmetic + l1 + l2 + dram + idle; }
};

// Of all layers, at the boost clock. Products run on the tensor cores where the precision has them, in inverse
// proportion to their rate; all else runs on the lanes. `gpu` is that of the prediction, `cost` is cost_of(gpu, model).
RunEnergy energy_of(const Prediction& prediction, const Gpu& gpu, const CostModel& model, const HardwareCost& cost);

}  // namespace rooftile
