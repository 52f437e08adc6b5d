// Constraints that say by how much: "time <= 0.02" has a slack, which a search follows and a report shows.
//
// An expression (explore/constraint.hpp) is split at `and`; each part that compares two sides by <, <=, > or >= is a
// limit with a slack, any other one that only says yes or no.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/explore/metric.hpp"

namespace rooftile {

// A value of each metric.
using MetricValues = std::array<double, kMetrics>;

constexpr double& at(MetricValues& values, Metric metric) { return values[static_cast<std::size_t>(metric)]; }
constexpr double at(const MetricValues& values, Metric metric) { return values[static_cast<std::size_t>(metric)]; }

// Not for two threads at once: each parses its own.
class Limits {
 public:
  // Errors: those of Constraints::parse().
  static Result<Limits> parse(const std::vector<std::string>& expressions);

  std::size_t size() const;
  const std::string& text(std::size_t limit) const;
  bool has_slack(std::size_t limit) const;  // or only says yes or no
  bool names(Metric metric) const;          // any of them
  bool names(std::size_t limit, Metric metric) const;

  // How far beyond each limit a design is: a share of the bound, or where the bound is zero of what is compared with
  // it (both those of `base`); negative is slack. Of limits without slack -1 and 1. Infinite where it cannot be
  // computed.
  void set_scale(const MetricValues& base);
  void excess(const MetricValues& values, std::vector<double>& result);

  Limits(Limits&&) noexcept;
  Limits& operator=(Limits&&) noexcept;
  ~Limits();

 private:
  struct Compiled;
  explicit Limits(std::unique_ptr<Compiled> compiled);
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace rooftile
