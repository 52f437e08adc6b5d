// How much silicon a GPU takes: SMs, L2, memory interface and the rest.
#pragma once

#include "rooftile/cost/cost_data.hpp"

namespace rooftile {

// What stands on the die, in use or not.
struct DieCounts {
  double sms = 0;
  double lanes = 0, tensor_macs = 0;  // of an SM: FP32 and tensor FP16 multiply-accumulates a clock
  double sm_sram = 0;                 // bytes of an SM: registers, shared memory, L1
  double l2 = 0;                      // bytes
  double channels = 0;                // of the memory interface
  // Bytes a clock over those of the chip that the rates are for: of an SM's port to the L2, of its L1 and shared
  // memory.
  double l2_port = 1;
  double widened_sram = 0;  // bytes of L1 and shared memory, each times its own such ratio less 1
};

// What one of each takes at a process, in mm2.
struct DieRates {
  double lane = 0, tensor_mac = 0, sm = 0;
  double sram_byte = 0, sram_periphery = 0;  // of a byte of SRAM; of that, what is not bit cells
  double channel = 0;
  double fixed = 0;  // what every chip has, PCIe and links to other GPUs
};

struct DieArea {
  double sms = 0, l2 = 0, memory = 0, fixed = 0;  // mm2

  constexpr double total() const { return sms + l2 + memory + fixed; }
};

// Logic shrinks with the transistor density of the process, SRAM with its bit cell, the PHYs and `fixed` not at all
// (LLMCompass, ISCA 2024, section on area, has the same split).
DieRates die_rates(const AreaCosts& area, const ProcessCosts& process, const MemoryCosts& memory, double links);

// What an SM has besides lanes and SRAM is taken for its port to the L2 (LLMCompass: 55 million transistors connect an
// A100's SM), and to grow with the bytes a clock; so does the periphery of its L1 and shared memory. Both are
// assumptions, of which a GPU as it is is free.
constexpr DieArea area_of(const DieCounts& die, const DieRates& rates) {
  const double one_sm = rates.sm * die.l2_port + die.lanes * rates.lane + die.tensor_macs * rates.tensor_mac +
                        die.sm_sram * rates.sram_byte + die.widened_sram * rates.sram_periphery;
  return {.sms = die.sms * one_sm,
          .l2 = die.l2 * rates.sram_byte,
          .memory = die.channels * rates.channel,
          .fixed = rates.fixed};
}

DieCounts counts_of(const ChipCosts& chip);

// The area of a chip of the table, whose process and memory the table has, by constants that may be others than its
// own.
DieArea area_of(const ChipCosts& chip, const CostTable& table, const AreaCosts& area);

}  // namespace rooftile
