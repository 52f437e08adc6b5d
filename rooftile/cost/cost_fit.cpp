#include "rooftile/cost/cost_fit.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "rooftile/cost/cost.hpp"

namespace rooftile {
namespace {

constexpr std::size_t kConstants = 4;
constexpr std::array kFields = {&AreaCosts::lane_mtr, &AreaCosts::sm_mtr, &AreaCosts::tensor_mac_mtr,
                                &AreaCosts::fixed_mm2};

using Row = std::array<double, kConstants + 1>;  // of the normal equations, with the right side last

// Gaussian elimination with pivots. A constant that nothing tells comes out as 0.
std::array<double, kConstants> solve(std::array<Row, kConstants> rows) {
  for (std::size_t i = 0; i < kConstants; ++i) {
    std::size_t pivot = i;
    for (std::size_t j = i + 1; j < kConstants; ++j) {
      if (std::abs(rows[j][i]) > std::abs(rows[pivot][i])) pivot = j;
    }
    std::swap(rows[i], rows[pivot]);
    if (rows[i][i] == 0) continue;
    for (std::size_t j = 0; j < kConstants; ++j) {
      if (j == i) continue;
      const double factor = rows[j][i] / rows[i][i];
      for (std::size_t k = i; k <= kConstants; ++k) rows[j][k] -= factor * rows[i][k];
    }
  }
  std::array<double, kConstants> solution{};
  for (std::size_t i = 0; i < kConstants; ++i) {
    if (rows[i][i] != 0) solution[i] = rows[i][kConstants] / rows[i][i];
  }
  return solution;
}

}  // namespace

AreaCosts fit_area(const CostTable& table, std::string_view without_generation) {
  AreaCosts known = table.area;  // without the constants
  for (const auto field : kFields) known.*field = 0;
  std::array<Row, kConstants> normal{};
  for (const ChipCosts& chip : table.chips) {
    if (!chip.fit || chip.generation == without_generation) continue;
    // The area is linear in the constants: its columns are what one unit of each adds.
    const double base = area_of(chip, table, known).total();
    Row row{};
    for (std::size_t i = 0; i < kConstants; ++i) {
      AreaCosts unit = known;
      unit.*kFields[i] = 1;
      row[i] = (area_of(chip, table, unit).total() - base) / chip.die_mm2;
    }
    row[kConstants] = (chip.die_mm2 - base) / chip.die_mm2;
    for (std::size_t i = 0; i < kConstants; ++i) {
      for (std::size_t j = 0; j <= kConstants; ++j) normal[i][j] += row[i] * row[j];
    }
  }
  const auto solution = solve(normal);
  AreaCosts fitted = known;
  for (std::size_t i = 0; i < kConstants; ++i) fitted.*kFields[i] = solution[i];
  return fitted;
}

double fit_tensor_mac_pj(const CostTable& table, std::span<const Gpu> gpus, std::string_view without_architecture) {
  double logs = 0, count = 0;
  for (const Gpu& gpu : gpus) {
    if (!gpu.tdp || !gpu.base_clock || gpu.peak(Peak::tensor_fp16) <= FlopsPerSecond(0) ||
        gpu.architecture == without_architecture) {
      continue;
    }
    const ChipCosts* chip = table.chip_of(gpu.id);
    if (chip == nullptr || !chip->fit) continue;
    const auto model = cost_model_of(table, gpu);
    if (!model || !model->stacked) continue;
    const HardwareCost cost = cost_of(gpu, *model);
    // What the TDP leaves for arithmetic, over what a picojoule each would take.
    const double left = gpu.tdp->value() * (1 - model->idle_share) - model->idle_watts - cost.dram.value();
    CostTable unit = table;
    unit.energy.tensor_mac_pj = 1;
    unit.energy.mac_pj = 0;
    const auto unit_model = cost_model_of(unit, gpu);
    if (left <= 0 || !unit_model) continue;
    logs += std::log(left / cost_of(gpu, *unit_model).arithmetic.value());
    ++count;
  }
  return count > 0 ? std::exp(logs / count) : table.energy.tensor_mac_pj;
}

}  // namespace rooftile
