#include "rooftile/regression/conformal.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <limits>

namespace rooftile::regression {
namespace {

// Rank of the quantile among n, from 1; above n where there is none. The product is rounded up only beyond rounding
// errors: 0.9 * 10 must be 9.
std::size_t conformal_rank(std::size_t n, double level) {
  constexpr double kRounding = 1e-9;
  return static_cast<std::size_t>(std::ceil(level * static_cast<double>(n + 1) - kRounding));
}

}  // namespace

std::optional<double> conformal_quantile(std::vector<double> scores, double level) {
  assert(level > 0 && level < 1);
  const std::size_t rank = conformal_rank(scores.size(), level);
  if (rank > scores.size()) return {};
  const auto place = scores.begin() + static_cast<std::ptrdiff_t>(rank - 1);
  std::nth_element(scores.begin(), place, scores.end());
  return *place;
}

std::vector<double> log_ratio_scores(std::span<const double> measured, std::span<const double> predicted) {
  std::vector<double> scores;
  for (std::size_t row = 0; row < measured.size(); ++row) {
    scores.push_back(predicted[row] > 0 ? std::abs(std::log(predicted[row] / measured[row]))
                                        : std::numeric_limits<double>::infinity());
  }
  return scores;
}

}  // namespace rooftile::regression
