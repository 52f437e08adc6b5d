// Gradient-boosted regression trees: fitted by XGBoost, kept and evaluated here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/regression/matrix.hpp"

namespace rooftile::regression {

struct TreeNode {
  // A leaf has no children (0) and adds `value`; else a row goes to `below` if its column is less than `threshold`.
  std::size_t column = 0;
  float threshold = 0;
  std::size_t below = 0, above = 0;  // indices of nodes, both greater than the node's own
  float value = 0;
  bool operator==(const TreeNode&) const = default;
};

using Tree = std::vector<TreeNode>;  // the root first

struct TreeEnsemble {
  std::size_t columns = 0;
  double base = 0;  // what the trees' sum is added to
  std::vector<Tree> trees;
  bool operator==(const TreeEnsemble&) const = default;
};

// One value a row of `x`, which has `columns` columns.
std::vector<double> predict(const TreeEnsemble& ensemble, const Matrix& x);

struct TreeOptions {
  std::size_t rounds = 200;       // trees
  std::size_t depth = 4;          // of a tree
  double rate = 0.1;              // share of a tree's value that counts
  double least_child_weight = 1;  // rows (by weight, of mean 1) of a leaf
  bool operator==(const TreeOptions&) const = default;
};

// Whether XGBoost's library is installed. It is loaded when it is first used: linked, it would cost every run of the
// program five milliseconds.
bool has_xgboost();

// The squared error's ensemble (Chen and Guestrin 2016), exact splits, one thread: the same on every machine.
// Errors: as linear_fit; unsupported where XGBoost is not installed.
Result<TreeEnsemble> tree_fit(const Matrix& x, std::span<const double> y, const TreeOptions& options = {},
                              std::span<const double> weights = {});

}  // namespace rooftile::regression
