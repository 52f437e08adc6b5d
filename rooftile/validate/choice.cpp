#include "rooftile/validate/choice.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "rooftile/base/try.hpp"
#include "rooftile/plan/kernel_name.hpp"

namespace rooftile {
namespace {

bool is_planned(const std::string& algorithm) {
  return std::any_of(kAlgorithms.begin(), kAlgorithms.end(),
                     [&](Algorithm known) { return name_of(known) == algorithm; });
}

// What ran and what would have been chosen; a layer has one product.
struct Pair {
  LayerEstimate ran, chosen;
};

void add(ChoiceScore& score, const LayerRow& row, const Pair& pair) {
  const LaunchPlan& ran = first_plan<RefinedKernel>(pair.ran)->plan;
  const LaunchPlan& chosen = first_plan<RefinedKernel>(pair.chosen)->plan;
  ++score.rows;
  score.regret.push_back(std::max(0.0, pair.ran.time / pair.chosen.time - 1));
  bool algorithm_right = true;
  if (!row.algorithm.empty()) {
    ++score.algorithm_rows;
    algorithm_right = name_of(chosen.algorithm) == row.algorithm;
    if (algorithm_right) ++score.algorithm_right;
  }
  if (!algorithm_right || !tile_of_kernel(row.kernel)) return;
  ++score.tile_rows;
  if (ran.tile.m == chosen.tile.m && ran.tile.n == chosen.tile.n) ++score.tile_right;
}

}  // namespace

Result<std::vector<ChoiceGroup>> score_choices(const std::vector<MeasuredTable>& tables,
                                               const ValidateOptions& options) {
  GpuCache gpus;
  std::map<std::vector<std::string>, ChoiceScore> groups;
  ChoiceScore all;
  PredictOptions predict;
  predict.method = Method::rooftile;
  if (!options.methods.empty()) predict.calibration = options.methods.front().calibration;
  const std::size_t rows = count_rows(tables);
  std::size_t done = 0;
  for (const MeasuredTable& table : tables) {
    for (const LayerRow& row : table.table().rows) {
      if (options.progress) options.progress(++done, rows);
      const auto cell = [&](const std::string& column) { return table.cell(row, column, gpus); };
      if (!row.flag.empty() || (options.where && !options.where->matches(cell))) continue;
      const bool tells = row.algorithm.empty() ? tile_of_kernel(row.kernel).has_value() : is_planned(row.algorithm);
      if (!tells) continue;
      LayerRow blind = row;
      blind.algorithm.clear();
      blind.kernel.clear();
      blind.grid = {};
      auto ran = TRY(estimate_row(row, predict, gpus));
      auto chosen = TRY(estimate_row(blind, predict, gpus));
      if (first_plan<RefinedKernel>(ran) == nullptr || first_plan<RefinedKernel>(chosen) == nullptr) continue;
      std::vector<std::string> key;
      for (const std::string& column : options.by) key.emplace_back(cell(column));
      const Pair pair{std::move(ran), std::move(chosen)};
      add(groups[key], row, pair);
      add(all, row, pair);
    }
  }
  if (all.rows == 0) return fail(ErrorCode::bad_input, "no row names the algorithm or the kernel that ran");
  std::vector<ChoiceGroup> result;
  if (!options.by.empty()) {
    for (auto& [key, score] : groups) result.push_back({key, std::move(score)});
  }
  result.push_back({{}, std::move(all)});
  return result;
}

}  // namespace rooftile
