#include "rooftile/learn/constants/group_spread.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "rooftile/base/quantile.hpp"

namespace rooftile {
namespace {

constexpr std::size_t kLeastOfGroup = 5;  // rows whose middle says something
constexpr double kNormal95 = 1.645, kUsualCounts = 2;

double middle(const std::vector<double>& group) { return quantile(group, 0.5); }

// 95 % of Student's t with that many degrees of freedom are below it.
double student_95(double freedom) {
  constexpr std::array kBelow = {6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833, 1.812};
  constexpr double kFirst = 1.5;  // beyond the table: the first term of its expansion
  const auto whole = static_cast<std::size_t>(std::max(1.0, std::floor(freedom)));
  if (whole <= kBelow.size()) return kBelow[whole - 1];
  return kNormal95 + kFirst / freedom;
}

// What the share of the weight lies below of (value, weight).
double weighted_quantile(std::vector<std::pair<double, double>> values, double share) {
  std::sort(values.begin(), values.end());
  double all = 0, below = 0;
  for (const auto& [value, weight] : values) all += weight;
  for (const auto& [value, weight] : values) {
    below += weight;
    if (below >= share * all) return value;
  }
  return values.back().first;
}

}  // namespace

Middles middles_of(const GroupResiduals& groups) {
  Middles middles;
  for (const std::vector<double>& group : groups) {
    if (group.size() < kLeastOfGroup) continue;
    middles += {.squares = middle(group) * middle(group), .count = 1};
  }
  return middles;
}

Middles& Middles::operator+=(const Middles& other) {
  squares += other.squares;
  count += other.count;
  return *this;
}

double Middles::scale() const { return count > 0 ? std::sqrt(squares / count) : 0; }

double common_factor(const Middles& middles, double usual) {
  const double count = middles.count + kUsualCounts;
  const double scale = std::sqrt((middles.squares + kUsualCounts * usual * usual) / count);
  return std::exp(std::min(kWidestSpread, student_95(count) * scale));
}

double widening(double count) { return student_95(count + kUsualCounts) / kNormal95; }

std::optional<Spread> spread_of(const GroupResiduals& groups, double common, double rest_factor) {
  constexpr std::size_t kLeast = 20;
  constexpr double kTail = 0.05;
  std::vector<std::pair<double, double>> rests;
  for (const std::vector<double>& group : groups) {
    const double middle_of_group = middle(group), weight = 1 / static_cast<double>(group.size());
    for (const double residual : group) rests.emplace_back(residual - middle_of_group, weight);
  }
  if (rests.size() < kLeast) return std::nullopt;
  const auto bound = [&](double share) {
    return std::exp(std::clamp(rest_factor * weighted_quantile(rests, share), -kWidestSpread, kWidestSpread));
  };
  return widened({.low = bound(kTail), .high = bound(1 - kTail), .common = 1}, common);
}

}  // namespace rooftile
