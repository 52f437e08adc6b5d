#include "rooftile/cost/area.hpp"

namespace rooftile {

DieRates die_rates(const AreaCosts& area, const ProcessCosts& process, const MemoryCosts& memory, double links) {
  constexpr double kBits = 8, kMm2OfUm2 = 1e-6;
  const double mtr = 1 / process.logic_mtr_per_mm2;  // mm2 of a million transistors
  DieRates rates;
  rates.lane = area.lane_mtr * mtr;
  rates.tensor_mac = area.tensor_mac_mtr * mtr;
  rates.sm = area.sm_mtr * mtr;
  rates.sram_byte = kBits * process.sram_cell_um2 * kMm2OfUm2 / area.array_efficiency;
  rates.sram_periphery = rates.sram_byte * (1 - area.array_efficiency);
  rates.channel = memory.phy_mm2 + memory.controller_mtr * mtr;
  rates.fixed = area.fixed_mm2 + area.pcie_phy_mm2 + area.pcie_controller_mtr * mtr +
                links * (area.link_phy_mm2 + area.link_controller_mtr * mtr);
  return rates;
}

DieCounts counts_of(const ChipCosts& chip) {
  return {.sms = chip.sms,
          .lanes = chip.lanes,
          .tensor_macs = chip.tensor_macs,
          .sm_sram = chip.sm_sram.value(),
          .l2 = chip.l2.value(),
          .channels = chip.channels};
}

DieArea area_of(const ChipCosts& chip, const CostTable& table, const AreaCosts& area) {
  const DieRates rates = die_rates(area, *table.process(chip.process_nm), *table.memory(chip.memory), chip.links);
  return area_of(counts_of(chip), rates);
}

}  // namespace rooftile
