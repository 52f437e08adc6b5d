#include "rooftile/explore/cost_energy.hpp"

#include "rooftile/timing/roofline.hpp"

namespace rooftile {

RunEnergy energy_of(const Prediction& prediction, const Gpu& gpu, const CostModel& model, const HardwareCost& cost) {
  constexpr double kFlopsOfMac = 2;
  const double lane_mac = model.mac_joules_at_1hz * gpu.clock.value();
  double product_mac = lane_mac;
  if (const auto unit = matrix_unit(prediction.precision, gpu); unit && *unit >= Peak::tensor_tf32) {
    const double slower = gpu.peak(Peak::tensor_fp16) / gpu.peak(*unit);
    product_mac =
        model.tensor_mac_joules_at_1hz * gpu.tensor_clock.value_or(gpu.clock).value() * (slower > 0 ? slower : 1);
  }
  RunEnergy energy;
  for (const LayerEstimate& layer : prediction.layers) {
    const double mac = layer.method == Method::stream ? lane_mac : product_mac;
    energy.arithmetic += Joules(layer.flops.value() / kFlopsOfMac * mac);
    energy.l1 += Joules(layer.traffic.l1.value() * model.l1_byte_joules);
    energy.l2 += Joules(layer.traffic.l2.value() * model.l2_byte_joules);
    energy.dram += Joules((layer.traffic.dram + layer.traffic.store_dram).value() * model.dram_byte_joules);
  }
  energy.idle = cost.idle * prediction.time;
  return energy;
}

}  // namespace rooftile
