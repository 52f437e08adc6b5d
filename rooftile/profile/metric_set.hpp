// The metrics of one kernel by name. The kernels of a file share the table of names: a profile has a hundred thousand
// kernels and a few dozen names.
#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace rooftile::profile {

// What a counter can say: so far above any that sums of them stay numbers. False for nan.
constexpr double kMostMetric = 1e30;
constexpr bool is_metric(double value) { return value >= 0 && value <= kMostMetric; }

// Names in the order in which they were first met; a name keeps its number.
class MetricNames {
 public:
  std::size_t number(std::string_view name);  // added if it is new
  std::optional<std::size_t> find(std::string_view name) const;
  const std::string& name(std::size_t number) const { return names_[number]; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> numbers_;
};

class MetricSet {
 public:
  MetricSet() : MetricSet(std::make_shared<MetricNames>()) {}
  explicit MetricSet(std::shared_ptr<MetricNames> names) : names_(std::move(names)) {}
  MetricSet(std::initializer_list<std::pair<std::string_view, double>> metrics);

  // `value` is finite.
  void set(std::string_view name, double value) { set(names_->number(name), value); }
  void set(std::size_t number, double value);
  std::optional<double> find(std::string_view name) const;
  std::optional<double> find(std::size_t number) const;

  // Calls take(name, value) for each that is there, in the order of the table of names.
  template <class Take>
  void each(Take take) const {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (!std::isnan(values_[i])) take(std::string_view(names_->name(i)), values_[i]);
    }
  }

  // The same as a list.
  std::vector<std::pair<std::string, double>> list() const;
  bool empty() const;

  bool operator==(const MetricSet& other) const;

 private:
  std::shared_ptr<MetricNames> names_;
  std::vector<double> values_;  // by number; NaN, or beyond the end: not there
};

}  // namespace rooftile::profile
