#include "rooftile/learn/grey_box/value.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/learn/grey_box/columns.hpp"
#include "rooftile/learn/grey_box/members.hpp"
#include "rooftile/regression/conformal.hpp"
#include "rooftile/regression/errors.hpp"
#include "rooftile/regression/nnls.hpp"
#include "rooftile/regression/split.hpp"

namespace rooftile {
namespace {

using regression::FittedEquation;
using regression::Matrix;

// Weights from 0 that sum to 1 with the least squares of logarithms.
Result<std::vector<double>> weights_of(const Matrix& logs, const std::vector<double>& target) {
  constexpr double kFirm = 1e3, kLeast = 0.01;
  const std::size_t rows = logs.rows(), members = logs.columns();
  Matrix x(rows + 1, members);
  std::vector<double> y(rows + 1);
  const double firm = kFirm * std::sqrt(static_cast<double>(rows));
  for (std::size_t row = 0; row < rows; ++row) {
    // About the first member: as the weights sum to 1, a shift of the row changes nothing.
    y[row] = target[row] - logs(row, 0);
    for (std::size_t member = 0; member < members; ++member) x(row, member) = logs(row, member) - logs(row, 0);
  }
  for (std::size_t member = 0; member < members; ++member) x(rows, member) = firm;
  y[rows] = firm;
  auto weights = regression::nnls_fit(x, y);
  if (!weights) return weights;
  double sum = 0;
  for (double& weight : *weights) {
    if (weight < kLeast) weight = 0;
    sum += weight;
  }
  for (double& weight : *weights) weight /= sum;
  return weights;
}

FittedEquation value_of(const GreyBoxRows& rows, const std::vector<double>& weights, bool own) {
  FittedEquation equation;
  equation.name = MemberNames(rows.operations.front(), own).value;
  equation.target.log = true;
  for (std::size_t member = 0; member < weights.size(); ++member) {
    if (weights[member] == 0) continue;
    equation.terms.push_back(
        {.term = {{.column = std::string(kMembers[member]), .log = true}}, .coefficient = weights[member]});
  }
  for (const std::string_view name : kSizes) {
    const auto values = column_of(rows.table, name);
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    equation.ranges.push_back({std::string(name), *low, *high});
  }
  equation.figures.rows = rows.size();
  return equation;
}

// Of rows that members are fitted to and judged on; none where all of these are the physics.
Result<std::vector<regression::Split>> splits_of(const GreyBoxRows& rows, bool own, const GreyBoxOptions& options) {
  constexpr std::size_t kLeastRows = 9;  // of an interval of 90 %
  if (own && rows.size() >= kLeastRows && varies(rows.shapes)) {
    return regression::up_to_k_fold(rows.size(), options.folds, options.seed, rows.shapes)
        .value_or(std::vector<regression::Split>());
  }
  if (!own && different(rows.gpus).size() > 1) return regression::leave_one_group_out(rows.gpus);
  return std::vector<regression::Split>();
}

}  // namespace

std::size_t fits_of_value(const GreyBoxRows& rows, bool own, const GreyBoxOptions& options) {
  const auto splits = splits_of(rows, own, options);
  return splits ? splits->size() : 0;
}

// How the members are weighed: by rows that fits of them have not seen, which are of other shapes. For other GPUs all
// weigh the same, as a few GPUs do not tell which is best; they tell the interval, each by fits without it.
Result<FittedEquation> fit_value(const GreyBoxRows& rows, bool own, const GreyBoxOptions& options,
                                 const std::function<void()>& count) {
  const std::vector<double> physics_alone = {1};
  const std::size_t members = own ? kOwnMembers : kOtherMembers;
  const std::vector<regression::Split> splits = TRY(splits_of(rows, own, options));
  if (splits.empty()) return value_of(rows, physics_alone, own);

  Matrix logs(rows.size(), members);
  std::vector<double> target(rows.size());
  for (const regression::Split& split : splits) {
    const GreyBoxRows seen = rows_of(rows, split.training), unseen = rows_of(rows, split.validation);
    const auto equations = TRY(fit_members(seen, own, !own, options));
    const auto table = TRY(with_members(equations, unseen, own));
    for (std::size_t member = 0; member < members; ++member) {
      const auto values = column_of(table, kMembers[member]);
      for (std::size_t i = 0; i < values.size(); ++i) logs(split.validation[i], member) = std::log(values[i]);
    }
    count();
  }
  for (std::size_t row = 0; row < rows.size(); ++row) target[row] = std::log(rows.seconds[row]);
  const auto weights =
      TRY(own ? weights_of(logs, target) : std::vector<double>(members, 1.0 / static_cast<double>(members)));
  FittedEquation value = value_of(rows, weights, own);
  std::vector<double> predicted(rows.size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    double sum = 0;
    for (std::size_t member = 0; member < members; ++member) sum += weights[member] * logs(row, member);
    predicted[row] = std::exp(sum);
  }
  const regression::Errors errors = regression::errors_of(rows.seconds, predicted);
  value.figures.held_out_mape = errors.mape;
  value.figures.held_out_gmae = errors.gmae;
  const auto width =
      regression::conformal_quantile(regression::log_ratio_scores(rows.seconds, predicted), options.level);
  if (width) {
    value.interval = regression::Interval{
        options.level, std::exp(*width),
        own ? fmt::format("{}-fold cross-validation", splits.size()) : std::string("GPUs left out"), rows.size()};
  }
  return value;
}

Result<void> check_value(const FittedEquation& equation) {
  constexpr double kRounding = 1e-6;
  double sum = 0;
  bool members = equation.target.log && equation.target.multiplier.empty() && !equation.trees;
  for (const regression::FittedTerm& term : equation.terms) {
    members &= term.term.size() == 1 && term.term.front().log && term.term.front().power == 1 && term.coefficient > 0 &&
               std::find(kMembers.begin(), kMembers.end(), term.term.front().column) != kMembers.end();
    sum += term.coefficient;
  }
  if (members && std::abs(sum - 1) < kRounding) return {};
  return fail(ErrorCode::bad_input,
              fmt::format("'{}' is no geometric mean of {}", one_line(equation.name), fmt::join(kMembers, ", ")));
}

}  // namespace rooftile
