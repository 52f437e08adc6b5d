// The cost model beside what is public: die areas of chips, powers and launch prices of boards.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooftile/cost/cost.hpp"

namespace rooftile {

struct ChipArea {
  std::string chip, generation;
  double process_nm = 0;
  bool fit = false;
  double die_mm2 = 0;
  double predicted_mm2 = 0;
  double held_out_mm2 = 0;  // by constants fitted to the other generations
};
std::vector<ChipArea> chip_areas(const CostTable& table);

struct BoardCost {
  std::string gpu;
  HardwareCost cost;
  bool base_clock = false;        // known; else the power is that at the boost clock
  std::string chip;               // empty: not listed
  std::optional<double> die_mm2;  // of its chip, where that is listed
  std::optional<Watts> tdp;
  std::optional<Dollars> launch_price;
  // By a tensor core's energy fitted to the other architectures, where this one counts in that fit.
  std::optional<Watts> held_out_power;
};
// One row a GPU of `shown`; `catalogue` is what the energies are fitted to. Errors: those of cost_model_of().
Result<std::vector<BoardCost>> board_costs(const CostTable& table, std::span<const Gpu> shown,
                                           std::span<const Gpu> catalogue);

// The typical factor by which predictions miss: exp of the root of the mean squared logarithm of their ratio, minus 1.
struct Miss {
  int rows = 0;
  std::optional<double> factor;  // none where one was predicted as nothing or less, which constants of odd data may do
};
Miss miss_of(std::span<const double> ratios);

}  // namespace rooftile
