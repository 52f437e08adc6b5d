#include "rooftile/profile/metric_set.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace rooftile::profile {

std::size_t MetricNames::number(std::string_view name) {
  const auto found = numbers_.find(name);
  if (found != numbers_.end()) return found->second;
  names_.emplace_back(name);
  numbers_.emplace(name, names_.size() - 1);
  return names_.size() - 1;
}

std::optional<std::size_t> MetricNames::find(std::string_view name) const {
  const auto found = numbers_.find(name);
  return found == numbers_.end() ? std::nullopt : std::optional<std::size_t>(found->second);
}

MetricSet::MetricSet(std::initializer_list<std::pair<std::string_view, double>> metrics) : MetricSet() {
  for (const auto& [name, value] : metrics) set(name, value);
}

void MetricSet::set(std::size_t number, double value) {
  assert(std::isfinite(value));
  if (values_.size() <= number) values_.resize(number + 1, std::numeric_limits<double>::quiet_NaN());
  values_[number] = value;
}

std::optional<double> MetricSet::find(std::string_view name) const {
  const auto number = names_->find(name);
  return number ? find(*number) : std::nullopt;
}

std::optional<double> MetricSet::find(std::size_t number) const {
  if (number >= values_.size() || std::isnan(values_[number])) return std::nullopt;
  return values_[number];
}

std::vector<std::pair<std::string, double>> MetricSet::list() const {
  std::vector<std::pair<std::string, double>> metrics;
  each([&](std::string_view name, double value) { metrics.emplace_back(name, value); });
  return metrics;
}

bool MetricSet::empty() const {
  return std::all_of(values_.begin(), values_.end(), [](double value) { return std::isnan(value); });
}

bool MetricSet::operator==(const MetricSet& other) const {
  auto mine = list();
  auto theirs = other.list();
  std::sort(mine.begin(), mine.end());
  std::sort(theirs.begin(), theirs.end());
  return mine == theirs;
}

}  // namespace rooftile::profile
