#include "rooftile/validate/score.hpp"

#include <cmath>

#include "rooftile/base/quantile.hpp"

namespace rooftile {
namespace {

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
  result.intervals = widths.size();
  if (!widths.empty()) {
    result.inside = static_cast<double>(inside) / static_cast<double>(widths.size());
    result.width = quantile(widths, kMedian);
  }
  return result;
}

}  // namespace rooftile
