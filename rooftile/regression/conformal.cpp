#include "rooftile/regression/conformal.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace rooftile::regression {
namespace {

// Rank of the quantile among n, from 1; above n where there is none. The product is rounded up only beyond rounding
// errors: 0.9 * 10 must be 9.
std::size_t conformal_rank(std::size_t n, double level) {
  constexpr double kRounding = 1e-9;
  return static_cast<std::size_t>(std::ceil(level * static_cast<double>(n + 1) - kRounding));
}

double nth_smallest(std::vector<double>& values, std::size_t rank) {
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(rank - 1);
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

}  // namespace

std::optional<double> conformal_quantile(std::vector<double> scores, double level) {
  assert(level > 0 && level < 1);
  const std::size_t rank = conformal_rank(scores.size(), level);
  if (rank > scores.size()) return {};
  return nth_smallest(scores, rank);
}

std::vector<double> log_ratio_scores(std::span<const double> measured, std::span<const double> predicted) {
  std::vector<double> scores;
  for (std::size_t row = 0; row < measured.size(); ++row) {
    scores.push_back(predicted[row] > 0 ? std::abs(std::log(predicted[row] / measured[row]))
                                        : std::numeric_limits<double>::infinity());
  }
  return scores;
}

std::optional<Bounds> cv_plus(std::span<const double> residuals, std::span<const std::size_t> fold_of,
                              std::span<const double> predictions, double level) {
  assert(residuals.size() == fold_of.size());
  const std::size_t rank = conformal_rank(residuals.size(), level);
  if (rank > residuals.size()) return {};
  std::vector<double> below, above;
  for (std::size_t row = 0; row < residuals.size(); ++row) {
    const double predicted = predictions[fold_of[row]];
    below.push_back(residuals[row] - predicted);  // with its sign turned, the lower end is a quantile as the upper is
    above.push_back(predicted + residuals[row]);
  }
  return Bounds{-nth_smallest(below, rank), nth_smallest(above, rank)};
}

}  // namespace rooftile::regression
