#include "rooftile/validate/score.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "rooftile/base/quantile.hpp"

namespace rooftile {
namespace {

// Places in ascending order, ties in the middle of theirs.
std::vector<double> places_of(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> places(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last + 1 < order.size() && values[order[last + 1]] == values[order[first]]) ++last;
    for (std::size_t i = first; i <= last; ++i) places[order[i]] = static_cast<double>(first + last) / 2;
    first = last + 1;
  }
  return places;
}

std::optional<double> rank_correlation(std::span<const Compared> rows) {
  std::vector<double> measured, predicted;
  for (const Compared& row : rows) {
    measured.push_back(row.measured);
    predicted.push_back(row.predicted);
  }
  const std::vector<double> a = places_of(measured), b = places_of(predicted);
  const double middle = static_cast<double>(rows.size() - 1) / 2;
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - middle) * (b[i] - middle);
    aa += (a[i] - middle) * (a[i] - middle);
    bb += (b[i] - middle) * (b[i] - middle);
  }
  if (aa == 0 || bb == 0) return std::nullopt;
  return ab / std::sqrt(aa * bb);
}

double log_ratio_of(const Compared& row) { return std::log(row.predicted / row.measured); }

void add_flagged(Score& score, std::span<const Compared> rows, std::span<const Compared> flagged) {
  if (flagged.empty()) return;
  double sum = 0;
  for (const std::span<const Compared> part : {rows, flagged}) {
    for (const Compared& row : part) sum += std::abs(log_ratio_of(row));
  }
  score.flagged = flagged.size();
  score.gmae_with_flagged = std::expm1(sum / static_cast<double>(rows.size() + flagged.size()));
}

}  // namespace

Score score(std::span<const Compared> rows, std::span<const Compared> flagged) {
  Score result;
  add_flagged(result, rows, flagged);
  result.rows = rows.size();
  if (rows.empty()) return result;
  double sum_log = 0;
  double sum_abs_log = 0;
  std::size_t inside = 0;
  std::vector<double> errors;
  std::vector<double> widths;
  errors.reserve(rows.size());
  for (const Compared& row : rows) {
    const double log_ratio = log_ratio_of(row);
    sum_log += log_ratio;
    sum_abs_log += std::abs(log_ratio);
    errors.push_back(std::abs(row.predicted - row.measured) / row.measured);
    if (!row.low || !row.high) continue;
    if (*row.low <= row.measured && row.measured <= *row.high) ++inside;
    widths.push_back((*row.high - *row.low) / row.predicted);
  }
  const auto count = static_cast<double>(rows.size());
  result.ratio = std::exp(sum_log / count);
  result.gmae = std::expm1(sum_abs_log / count);
  for (const double error : errors) result.mape += error / count;
  constexpr double kMedian = 0.5, kHigh = 0.9;
  result.median = quantile(errors, kMedian);
  result.p90 = quantile(errors, kHigh);
  result.rank = rank_correlation(rows);
  result.intervals = widths.size();
  if (!widths.empty()) {
    result.inside = static_cast<double>(inside) / static_cast<double>(widths.size());
    result.width = quantile(widths, kMedian);
  }
  return result;
}

}  // namespace rooftile
