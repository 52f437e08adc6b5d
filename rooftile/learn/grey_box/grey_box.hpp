// The grey-box model: what the analytic model says of a row, with what the harness adds to it as physics has it, times
// a learned correction.
//
//   physics   = sum of coefficient x kPhysicsTerms, for each operation, phase and GPU; without negative coefficients,
//               near the analytic model where rows are few. Of a GPU that the rows do not have: the
//               mean of the others', by how alike peak and bandwidth are, but for the harness, whose host is none of
//               the GPU's
//   corrected = physics x exp(correction of shape and shares), by ridge regression and by boosted trees
//   value     = weighted geometric mean of physics, both corrections and trees alone, weights from rows that these have
//               not seen; for other GPUs the plain geometric mean of physics and both corrections
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/learn/grey_box/rows.hpp"
#include "rooftile/regression/fitted_model.hpp"

namespace rooftile {

constexpr std::string_view kGreyBoxKind = "grey-box";  // FittedModel::kind

struct GreyBoxOptions {
  std::string name = {}, date = {};
  double level = 0.9;  // of the intervals
  // Which rows the model is to be for: of its GPUs, of others. Each takes fits of its own.
  bool known_gpus = true, other_gpus = true;
  regression::TreeOptions trees = {.rounds = 150, .depth = 5, .rate = 0.12, .least_child_weight = 5};
  std::size_t folds = 3;  // that weights and interval come from
  std::uint64_t seed = 1;
  std::function<void(std::size_t done, std::size_t all)> progress = {};  // fits
};

// Equations of the model, one operation after another ("gemm linear" and "gemm bmm" are two). Without XGBoost there are
// no trees. Errors: a row without a time.
Result<regression::FittedModel> fit_grey_box(const GreyBoxRows& rows, const GreyBoxOptions& options = {});

// One a row, in seconds, with the interval and with warnings where a size is outside of those of the fit. Errors: a
// model that is no grey box, or none as fit_grey_box() makes it; a part (GreyBoxRows::parts) that it does not know.
Result<std::vector<regression::Predicted>> predict_grey_box(const regression::FittedModel& model,
                                                            const GreyBoxRows& rows);

// What trees without any physics are fitted to: sizes, counts, the machine's rates.
std::vector<std::string> shape_columns();

// Whether the model has seen the GPU run the row's operation in the row's phase.
bool knows(const regression::FittedModel& model, const GreyBoxRows& rows, std::size_t row);

// Whether the model has seen any GPU run an operation in a phase, as in "conv step".
bool knows_part(const regression::FittedModel& model, const std::string& part);

// Why the model has no time of a row; empty: it has one.
std::string why_no_time(const regression::FittedModel& model, const GreyBoxRows& rows, std::size_t row);

}  // namespace rooftile
