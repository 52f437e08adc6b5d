// What a design costs: area, manufacturing price and power of a GPU, of the catalogue or changed by parameters.
//
//     #include "rooftile/cost/cost_file.hpp"
//     #include "rooftile/gpu/catalogue.hpp"
//
//     const Gpu gpu = find_gpu("a100-sxm4-40gb").value();
//     const CostModel model = cost_model_of(load_costs("").value(), gpu).value();
//     Gpu smaller = gpu;
//     smaller.sm_count = 54;
//     assert(cost_of(smaller, model).price() < cost_of(gpu, model).price());
#pragma once

#include "rooftile/base/error.hpp"
#include "rooftile/cost/area.hpp"
#include "rooftile/cost/cost_data.hpp"
#include "rooftile/gpu/gpu.hpp"

namespace rooftile {

// The cost table read for one GPU and the designs made from it: numbers alone, so that a design costs no lookup.
struct CostModel {
  DieRates rates;
  // What stands on the die over what the GPU uses.
  double sms_on_die = 1, l2_on_die = 1, tensor_on_die = 1;
  double public_area = 1;  // public over predicted area of the chip, where that is listed: scales every part
  double l2_port = 1, l1_port = 1,
         smem_port = 1;              // bytes a clock of the GPU: of an SM's share of the L2, L1, shared memory
  double channels_of_bandwidth = 0;  // channels for a byte a second
  double peak_of_bandwidth = 1;      // the memory's peak over the bandwidth that the models use
  bool one_array = false;            // L1 and shared memory are one
  bool stacked = false;              // memory on an interposer
  double wafer_mm2 = 0, wafer_mm = 0, wafer_usd = 0;
  double defects_per_mm2 = 0, clustering = 1, reticle_mm2 = 0;
  PriceCosts price;
  double usd_per_byte = 0;  // of memory
  // Joules at the GPU's process.
  double mac_joules_at_1hz = 0, tensor_mac_joules_at_1hz = 0;  // at a clock of 1 Hz: they go with the clock
  double l1_byte_joules = 0, l2_byte_joules = 0, dram_byte_joules = 0;
  double idle_watts = 0, idle_share = 0;
};

// Errors: the GPU's process or type of memory is not known or not in the table.
Result<CostModel> cost_model_of(const CostTable& table, const Gpu& gpu);

struct HardwareCost {
  DieArea area;     // of all dies
  double dies = 1;  // more than one where the area exceeds the reticle
  double dies_per_wafer = 0;
  double yield = 0;  // share of dies that are good: no more SMs broken than are spare, nothing else broken
  Dollars silicon, memory, package, board;
  Watts arithmetic, dram, idle;  // parts of the power at full use

  Dollars price() const { return silicon + memory + package + board; }
  Watts power() const { return arithmetic + dram + idle; }
};

// Manufacturing cost in the volumes of such GPUs, without design, masks, software, stocks or profit; power with all
// lanes or all tensor cores (what takes more) busy at the base clock and DRAM at its peak bandwidth. Negative binomial
// yield (Stapper 1983), dies of a wafer by the usual formula with its edge. Pure; no allocation. `gpu` is the one of
// the model or a design made from it.
HardwareCost cost_of(const Gpu& gpu, const CostModel& model);

// What stands on the die of the GPU.
DieCounts die_counts(const Gpu& gpu, const CostModel& model);

}  // namespace rooftile
