#include "rooftile/cost/validation.hpp"

#include <cmath>

#include "rooftile/base/try.hpp"
#include "rooftile/cost/cost_fit.hpp"

namespace rooftile {

std::vector<ChipArea> chip_areas(const CostTable& table) {
  std::vector<ChipArea> rows;
  for (const ChipCosts& chip : table.chips) {
    ChipArea& row = rows.emplace_back();
    row.chip = chip.name;
    row.generation = chip.generation;
    row.process_nm = chip.process_nm;
    row.fit = chip.fit;
    row.die_mm2 = chip.die_mm2;
    row.predicted_mm2 = area_of(chip, table, table.area).total();
    row.held_out_mm2 = area_of(chip, table, fit_area(table, chip.generation)).total();
  }
  return rows;
}

Result<std::vector<BoardCost>> board_costs(const CostTable& table, std::span<const Gpu> shown,
                                           std::span<const Gpu> catalogue) {
  std::vector<BoardCost> rows;
  for (const Gpu& gpu : shown) {
    const auto model = TRY(cost_model_of(table, gpu));
    BoardCost& row = rows.emplace_back();
    row.gpu = gpu.id;
    row.cost = cost_of(gpu, model);
    row.tdp = gpu.tdp;
    row.launch_price = gpu.launch_price;
    row.base_clock = gpu.base_clock.has_value();
    const ChipCosts* chip = table.chip_of(gpu.id);
    if (chip == nullptr) continue;
    row.chip = chip->name;
    row.die_mm2 = chip->die_mm2;
    if (!chip->fit || !model.stacked || gpu.peak(Peak::tensor_fp16) <= FlopsPerSecond(0)) continue;
    CostTable without = table;
    without.energy.tensor_mac_pj = fit_tensor_mac_pj(table, catalogue, gpu.architecture);
    const auto other = cost_model_of(without, gpu);
    if (other) row.held_out_power = cost_of(gpu, *other).power();
  }
  return rows;
}

Miss miss_of(std::span<const double> ratios) {
  Miss miss{static_cast<int>(ratios.size()), {}};
  double squares = 0;
  for (const double ratio : ratios) {
    if (!(ratio > 0 && std::isfinite(ratio))) return miss;
    squares += std::log(ratio) * std::log(ratio);
  }
  if (miss.rows > 0) miss.factor = std::exp(std::sqrt(squares / miss.rows)) - 1;
  return miss;
}

}  // namespace rooftile
