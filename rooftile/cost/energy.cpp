#include "rooftile/cost/energy.hpp"

#include "rooftile/timing/roofline.hpp"

namespace rooftile {

EnergyRates energy_rates(DType precision, const Gpu& gpu, const CostModel& model, const HardwareCost& cost) {
  EnergyRates rates;
  rates.lane_mac = model.mac_joules_at_1hz * gpu.clock.value();
  rates.product_mac = rates.lane_mac;
  if (const auto unit = matrix_unit(precision, gpu); unit && *unit >= Peak::tensor_fp32) {
    const double slower = gpu.peak(Peak::tensor_fp16) / gpu.peak(*unit);
    rates.product_mac =
        model.tensor_mac_joules_at_1hz * gpu.tensor_clock.value_or(gpu.clock).value() * (slower > 0 ? slower : 1);
  }
  rates.l1_byte = model.l1_byte_joules;
  rates.l2_byte = model.l2_byte_joules;
  rates.dram_byte = model.dram_byte_joules;
  rates.idle = cost.idle.value();
  return rates;
}

RunEnergy energy_of(const RunWork& work, Seconds time, const EnergyRates& rates) {
  return {.arithmetic = Joules(work.product_macs * rates.product_mac + work.lane_macs * rates.lane_mac),
          .l1 = Joules(work.l1 * rates.l1_byte),
          .l2 = Joules(work.l2 * rates.l2_byte),
          .dram = Joules(work.dram * rates.dram_byte),
          .idle = Joules(rates.idle * time.value())};
}

RunEnergy energy_of(const Prediction& prediction, const Gpu& gpu, const CostModel& model, const HardwareCost& cost) {
  RunWork work;
  for (const LayerEstimate& layer : prediction.run()) work.add(work_of(layer), 1);
  return energy_of(work, prediction.time, energy_rates(prediction.precision, gpu, model, cost));
}

}  // namespace rooftile
