// The energy of a predicted run.
#pragma once

#include "rooftile/cost/cost.hpp"
#include "rooftile/cost/run_work.hpp"
#include "rooftile/predict/prediction.hpp"

namespace rooftile {

using Joules = Quantity<Dimension{.joule = 1}>;

struct RunEnergy {
  Joules arithmetic;    // with operands from registers
  Joules l1, l2, dram;  // of the bytes that each level moves
  Joules idle;          // leakage, regulators, fans over the predicted time

  Joules total() const { return arithmetic + l1 + l2 + dram + idle; }
};

// What work takes on a GPU: joules a multiply-accumulate and a byte, watts of a run's time.
struct EnergyRates {
  double product_mac = 0, lane_mac = 0;
  double l1_byte = 0, l2_byte = 0, dram_byte = 0;
  double idle = 0;
};

// At the boost clock. Products run on the tensor cores where the precision has them, in inverse proportion to their
// rate; all else runs on the lanes. `gpu` is the one of the model or a design made from it, `cost` is
// cost_of(gpu, model).
EnergyRates energy_rates(DType precision, const Gpu& gpu, const CostModel& model, const HardwareCost& cost);

RunEnergy energy_of(const RunWork& work, Seconds time, const EnergyRates& rates);

// Of all layers. `gpu` is that of the prediction, `cost` is cost_of(gpu, model).
RunEnergy energy_of(const Prediction& prediction, const Gpu& gpu, const CostModel& model, const HardwareCost& cost);

}  // namespace rooftile
