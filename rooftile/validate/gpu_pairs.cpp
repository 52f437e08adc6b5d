#include "rooftile/validate/gpu_pairs.hpp"

#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "rooftile/base/quantile.hpp"

namespace rooftile {
namespace {

// What tells works apart quickly; equal ones still have to be compared as a whole.
using WorkKey = std::tuple<std::size_t, std::size_t, int, int, bool, bool, std::string, std::string, double>;

WorkKey work_key(const ComparedRow& row, const LayerRow& cells) {
  return {row.table,
          row.method,
          static_cast<int>(cells.phase),
          static_cast<int>(cells.precision),
          cells.autocast,
          cells.nhwc,
          cells.framework,
          cells.kind,
          row.layer.flops.value()};
}

// Counts pairs of a group.
class PairCounter {
 public:
  void add(const Compared& a, const Compared& b) {
    const double measured = std::log(a.measured / b.measured), predicted = std::log(a.predicted / b.predicted);
    if (std::abs(measured) <= std::log1p(kPairsApart)) return;
    ++pairs_;
    if ((measured > 0) == (predicted > 0)) ++ordered_;
    errors_.push_back(std::expm1(std::abs(predicted - measured)));
  }

  bool empty() const { return pairs_ == 0; }
  GpuPairs pairs(std::vector<std::string> key, std::string method) const {
    return {std::move(key), std::move(method), pairs_, static_cast<double>(ordered_) / static_cast<double>(pairs_),
            quantile(errors_, 0.5)};
  }

 private:
  std::size_t pairs_ = 0, ordered_ = 0;
  std::vector<double> errors_;
};

}  // namespace

std::vector<GpuPairs> gpu_pairs(const Validation& validation, const std::vector<MeasuredTable>& tables) {
  GpuCache gpus;
  const auto cells_of = [&](const ComparedRow& row) -> const LayerRow& {
    return tables[row.table].table().rows[row.row];
  };
  const auto gpu_of = [&](const ComparedRow& row) {
    const auto gpu = gpus.find(cells_of(row).gpu);
    return gpu ? (*gpu)->id : cells_of(row).gpu;
  };
  std::map<WorkKey, std::vector<const ComparedRow*>> works;
  for (const ComparedRow& row : validation.rows) works[work_key(row, cells_of(row))].push_back(&row);

  std::vector<PairCounter> all(validation.methods.size());
  std::map<std::pair<std::vector<std::string>, std::size_t>, PairCounter> groups;
  for (const auto& [work, rows] : works) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const ComparedRow &a = *rows[i], &b = *rows[j];
        if (!(cells_of(a).op == cells_of(b).op) || gpu_of(a) == gpu_of(b)) continue;
        all[a.method].add(a.values, b.values);
        const auto key = key_of(a, tables, validation.by, gpus);
        if (!validation.by.empty() && key == key_of(b, tables, validation.by, gpus)) {
          groups[{key, a.method}].add(a.values, b.values);
        }
      }
    }
  }
  std::vector<GpuPairs> result;
  for (const auto& [group, counter] : groups) {
    if (!counter.empty()) result.push_back(counter.pairs(group.first, validation.methods[group.second]));
  }
  for (std::size_t method = 0; method < all.size(); ++method) {
    if (!all[method].empty()) result.push_back(all[method].pairs({}, validation.methods[method]));
  }
  return result;
}

}  // namespace rooftile
