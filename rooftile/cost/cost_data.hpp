// What silicon, memory and boards cost and how much energy work takes: the numbers of data/costs, each with its source.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/units.hpp"

namespace rooftile {

// How sure a number is.
enum class CostKind {
  vendor,    // quoted by the maker
  measured,  // on a chip or a die photograph
  stated,    // given by a paper or project for its own use, or by the trade press
  derived,   // computed from such numbers by the rule in its note
  fitted,    // to the data that its note names
  assumed,   // no source: its note has the reason and the range
};
constexpr std::size_t kCostKinds = 6;
std::string_view name_of(CostKind kind);

// One number of a cost file, for people to read.
struct CostFact {
  std::string key;  // "process.4.wafer"
  std::string text;
  CostKind kind = CostKind::stated;
  std::string source, note;
};

// Not read yet.
constexpr double kNoCost = std::numeric_limits<double>::quiet_NaN();

// Numbers below are in the unit of their name; MTr: millions of transistors.

struct AreaCosts {
  double lane_mtr = kNoCost;        // of an FP32 multiply-accumulate lane
  double sm_mtr = kNoCost;          // of an SM, whatever is in it
  double tensor_mac_mtr = kNoCost;  // of a tensor core's FP16 multiply-accumulate a clock
  double fixed_mm2 = kNoCost;       // of every chip at every process
  double array_efficiency = kNoCost;
  double pcie_phy_mm2 = kNoCost, pcie_controller_mtr = kNoCost;
  double link_phy_mm2 = kNoCost, link_controller_mtr = kNoCost;
  double spare_sms = kNoCost;  // over the SMs in use
};

struct DieCosts {
  double wafer_mm = kNoCost;     // diameter
  double reticle_mm2 = kNoCost;  // the largest die
  double clustering = kNoCost;   // of defects
};

struct PriceCosts {
  double package_usd = kNoCost;
  double interposer_usd_per_mm2 = kNoCost;  // with its assembly, for stacked memory
  double stack_mm2 = kNoCost;
  double board_usd = kNoCost, board_usd_per_watt = kNoCost;
};

struct EnergyCosts {
  double mac_pj = kNoCost;         // FP32 on the lanes
  double tensor_mac_pj = kNoCost;  // FP16
  double reference_nm = kNoCost, reference_ghz = kNoCost;
  double process_exponent = kNoCost;
  double l1_byte_pj = kNoCost, l2_byte_pj = kNoCost;
  double on_chip_nm = kNoCost;  // process of the two above
  double idle_w = kNoCost, idle_share = kNoCost;
};

struct ProcessCosts {
  std::string name;
  double nm = kNoCost;
  double logic_mtr_per_mm2 = kNoCost;
  double sram_cell_um2 = kNoCost;  // of a bit
  double wafer_usd = kNoCost;
  double defects_per_cm2 = kNoCost;
};

struct MemoryCosts {
  std::string type;      // "GDDR6"
  bool stacked = false;  // beside the GPU on an interposer; a channel is a stack
  double channel_gb_per_s = kNoCost;
  double phy_mm2 = kNoCost, controller_mtr = kNoCost;  // of a channel
  double usd_per_gb = kNoCost;
  double pj_per_bit = kNoCost;
};

// A chip with a public die area: what stands on it, in use or not.
struct ChipCosts {
  std::string name, generation;
  std::vector<std::string> gpus;  // catalogue ids of boards that carry it
  bool fit = false;               // counts in the fit of AreaCosts
  double die_mm2 = kNoCost;
  double process_nm = kNoCost;
  double sms = kNoCost, lanes = kNoCost, tensor_macs = kNoCost;  // lanes and tensor MACs of an SM
  Bytes sm_sram;                                                 // registers, shared memory and L1 of an SM
  Bytes l2;
  double channels = kNoCost;
  std::string memory;
  double links = kNoCost;
};

struct CostTable {
  AreaCosts area;
  DieCosts die;
  PriceCosts price;
  EnergyCosts energy;
  std::vector<ProcessCosts> processes;
  std::vector<MemoryCosts> memories;
  std::vector<ChipCosts> chips;
  std::vector<CostFact> facts;  // of all numbers, in the order of the file

  const ProcessCosts* process(double nm) const;
  const MemoryCosts* memory(std::string_view type) const;
  const ChipCosts* chip_of(std::string_view gpu_id) const;  // null: not listed
};

}  // namespace rooftile
