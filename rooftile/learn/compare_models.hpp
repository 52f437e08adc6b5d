// Which model predicts best what it has not seen: analytic, per-layer, end-to-end, trees and grey box on equal splits
// of the same rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/learn/grey_box/grey_box.hpp"
#include "rooftile/regression/errors.hpp"
#include "rooftile/regression/split.hpp"

namespace rooftile {

enum class LearnedModel {
  analytic,   // method rooftile, not fitted to these rows
  per_layer,  // t = b0 + b1 operations by least squares, for each part and GPU; of other GPUs all rows together
  network,    // products of two of sizes, peak and their inverses, ridge regression of relative errors, for each part
  trees,      // boosted trees of the logarithm over sizes, operations and the machine's rates, for each operation
  grey_box,
};
constexpr std::size_t kLearnedModels = 5;
std::string_view name_of(LearnedModel model);

struct CompareOptions {
  std::size_t folds = 5;                       // by shape
  std::vector<regression::Bound> bounds = {};  // rows beyond any of them are held out in a split of their own
  bool by_gpu = true;                          // one split a GPU, where there are several
  GreyBoxOptions grey_box = {};
  std::uint64_t seed = 1;
  std::function<void(std::size_t done, std::size_t of)> progress = {};  // fits
};

// One model on the held-out rows of a split, of one operation or all (empty). The folds count as one split.
struct ModelScore {
  std::string split, operation;
  LearnedModel model = LearnedModel::analytic;
  regression::Errors errors;
  double inside = 0, width = 0;  // of the grey box: share within the interval, its median width over the prediction
};

struct ModelComparison {
  std::size_t rows = 0;
  std::size_t left_out = 0;        // of held-out rows, in no score: an operation and pass that the fit had no row of
  bool trees = true;               // whether trees could be fitted
  std::vector<ModelScore> scores;  // by split, then all operations before each, then by model
};

// Errors: those of fit_equation(), k_fold() and extrapolation(); no split has a row to judge on.
Result<ModelComparison> compare_models(const GreyBoxRows& rows, const CompareOptions& options);

}  // namespace rooftile
