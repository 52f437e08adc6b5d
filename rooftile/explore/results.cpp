#include "rooftile/explore/results.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>

namespace rooftile {
namespace {

// What designs are ranked by, which costs no memory.
RankedDesign rank_of(const DesignBlock& block, const OutcomeBlock& outcome, std::size_t i) {
  RankedDesign design = {.index = block.first + i, .time = outcome.time[i], .shares = {}, .costs = {}, .point = {}};
  for (std::size_t c = 0; c < kCosts && outcome.has_costs(); ++c) design.costs[c] = outcome.costs[c][i];
  return design;
}

RankedDesign ranked(const DesignBlock& block, const OutcomeBlock& outcome, std::size_t i) {
  RankedDesign design = rank_of(block, outcome, i);
  for (std::size_t b = 0; b < kBottlenecks; ++b) design.shares[b] = outcome.shares[b][i];
  design.point = block.point(i);
  return design;
}

// The axis itself; of a range of few whole numbers, these as a list: bins would lie between them.
DesignAxis few_as_list(const DesignAxis& axis) {
  const double low = axis.values.front(), high = axis.values.back();
  if (!axis.range || !row_of(axis.parameter).whole || high - low >= HeatMap::kBins) return axis;
  DesignAxis list = {.parameter = axis.parameter, .values = {}};
  for (double value = low; value <= high; ++value) list.values.push_back(value);
  return list;
}

// The values of an axis, each once and in order, or the middles of its bins.
std::vector<double> places_of(const DesignAxis& axis) {
  std::vector<double> places;
  if (!axis.range) {
    places = axis.values;
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    return places;
  }
  for (std::size_t bin = 0; bin < HeatMap::kBins; ++bin) {
    places.push_back(axis.value_at((static_cast<double>(bin) + 0.5) / HeatMap::kBins));
  }
  return places;
}

std::size_t place_of(const DesignAxis& axis, const std::vector<double>& places, double value) {
  if (!axis.range) {
    return static_cast<std::size_t>(std::lower_bound(places.begin(), places.end(), value) - places.begin());
  }
  const double low = axis.values.front(), high = axis.values.back();
  const double share =
      axis.spacing == Spacing::linear ? (value - low) / (high - low) : std::log(value / low) / std::log(high / low);
  const auto bins = static_cast<double>(HeatMap::kBins);
  return static_cast<std::size_t>(std::clamp(share * bins, 0.0, bins - 1));
}

}  // namespace

double value_of(Metric metric, const RankedDesign& design) {
  if (const auto parameter = as_parameter(metric)) return at(design.point, *parameter);
  if (const auto cost = as_cost(metric)) return design.costs[static_cast<std::size_t>(*cost)];
  return design.time;
}

bool better(const RankedDesign& a, const RankedDesign& b, Metric metric) {
  const double left = value_of(metric, a), right = value_of(metric, b);
  if (left != right) return left < right;
  return a.time != b.time ? a.time < b.time : a.costs < b.costs;
}

bool BestDesigns::Before::operator()(const RankedDesign& a, const RankedDesign& b) const {
  const double left = value_of(metric, a), right = value_of(metric, b);
  return left != right ? left < right : a.time < b.time;
}

// Which of two that are the same in the metric and in time stands for both.
bool BestDesigns::cheaper(const RankedDesign& a, const RankedDesign& b) {
  return a.costs != b.costs ? a.costs < b.costs : a.index < b.index;
}

void BestDesigns::add(const RankedDesign& design) {
  if (most_ == 0) return;
  const auto alike = designs_.find(design);
  if (alike != designs_.end()) {
    if (!cheaper(design, *alike)) return;
    designs_.erase(alike);
  }
  designs_.insert(design);
  if (designs_.size() > most_) designs_.erase(std::prev(designs_.end()));
}

void BestDesigns::add(const DesignBlock& block, const OutcomeBlock& outcome) {
  if (most_ == 0) return;
  const std::vector<double>& values = column_of(metric(), block, outcome);
  const auto worst = [this] {
    return designs_.size() < most_ ? std::numeric_limits<double>::infinity() : value_of(metric(), *designs_.rbegin());
  };
  double most = worst();
  for (std::size_t i = 0; i < block.count; ++i) {
    if (outcome.unfit[i] != Unfit::none || values[i] > most) continue;
    const RankedDesign rank = rank_of(block, outcome, i);
    const auto alike = designs_.find(rank);
    if (alike != designs_.end() && !cheaper(rank, *alike)) continue;
    add(ranked(block, outcome, i));
    most = worst();
  }
}

std::vector<RankedDesign> BestDesigns::designs() const { return {designs_.begin(), designs_.end()}; }

void BestDesigns::merge(const BestDesigns& other) {
  for (const RankedDesign& design : other.designs_) add(design);
}

// A design that none beats.
void ParetoFront::insert(const double* keys, const RankedDesign& design) {
  const std::size_t place = set_.insert(keys, design.index);
  if (place == designs_.size()) {
    designs_.push_back(design);
  } else {
    designs_[place] = design;
  }
}

void ParetoFront::add(const DesignBlock& block, const OutcomeBlock& outcome) {
  if (metrics_.empty()) return;
  std::vector<const std::vector<double>*> columns = {&outcome.time};
  for (const Metric metric : metrics_) columns.push_back(&column_of(metric, block, outcome));
  std::vector<double> keys(columns.size());
  for (std::size_t i = 0; i < block.count; ++i) {
    if (outcome.unfit[i] != Unfit::none) continue;
    for (std::size_t k = 0; k < keys.size(); ++k) keys[k] = (*columns[k])[i];
    if (!set_.beats(keys.data(), block.first + i)) insert(keys.data(), ranked(block, outcome, i));
  }
}

void ParetoFront::add(const RankedDesign& design) {
  if (metrics_.empty()) return;
  std::vector<double> keys = {design.time};
  for (const Metric metric : metrics_) keys.push_back(value_of(metric, design));
  if (!set_.beats(keys.data(), design.index)) insert(keys.data(), design);
}

void ParetoFront::merge(const ParetoFront& other) {
  for (const std::size_t place : other.set_.taken()) add(other.designs_[place]);
}

std::vector<RankedDesign> ParetoFront::designs() const {
  std::vector<RankedDesign> sorted;
  for (const std::size_t place : set_.taken()) sorted.push_back(designs_[place]);
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return better(a, b); });
  return sorted;
}

HeatMap::HeatMap(const DesignSpace& space, std::size_t x, std::size_t y)
    : x_(few_as_list(space.axes[x])), y_(few_as_list(space.axes[y])), xs_(places_of(x_)), ys_(places_of(y_)) {
  least_.assign(xs_.size() * ys_.size(), std::numeric_limits<double>::infinity());
}

void HeatMap::add(const DesignBlock& block, const OutcomeBlock& outcome) {
  const std::vector<double>& along_x = block.values[static_cast<std::size_t>(x_.parameter)];
  const std::vector<double>& along_y = block.values[static_cast<std::size_t>(y_.parameter)];
  for (std::size_t i = 0; i < block.count; ++i) {
    if (outcome.unfit[i] != Unfit::none) continue;
    double& least = least_[place_of(y_, ys_, along_y[i]) * xs_.size() + place_of(x_, xs_, along_x[i])];
    least = std::min(least, outcome.time[i]);
  }
}

void HeatMap::merge(const HeatMap& other) { merge(other.cells()); }

void HeatMap::merge(std::span<const double> cells) {
  for (std::size_t i = 0; i < least_.size(); ++i) least_[i] = std::min(least_[i], cells[i]);
}

ExploreResults::ExploreResults(const DesignSpace& space, const ResultOptions& options)
    : best(options.best, options.rank_by), pareto(options.pareto) {
  if (options.heat_map) heat_map.emplace(space, options.heat_map->first, options.heat_map->second);
}

void ExploreResults::add(const DesignBlock& block, const OutcomeBlock& outcome) {
  designs += block.count;
  for (std::size_t i = 0; i < block.count; ++i) {
    ++unfit[static_cast<std::size_t>(outcome.unfit[i])];
    if (outcome.unfit[i] != Unfit::none) continue;
    ++limited[outcome.limited_by(i)];
    const double units = static_cast<double>(kShareUnits) / outcome.time[i];
    for (std::size_t b = 0; b < kBottlenecks; ++b) {
      share_sums[b] += static_cast<std::uint64_t>(std::llround(outcome.shares[b][i] * units));
    }
  }
  best.add(block, outcome);
  pareto.add(block, outcome);
  if (heat_map) heat_map->add(block, outcome);
}

void ExploreResults::merge(const ExploreResults& next) {
  designs += next.designs;
  for (std::size_t u = 0; u < kUnfits; ++u) unfit[u] += next.unfit[u];
  for (std::size_t b = 0; b < kBottlenecks; ++b) {
    limited[b] += next.limited[b];
    share_sums[b] += next.share_sums[b];
  }
  best.merge(next.best);
  pareto.merge(next.pareto);
  if (heat_map) heat_map->merge(*next.heat_map);
}

}  // namespace rooftile
