#include "rooftile/regression/trees.hpp"

#include <cassert>

namespace rooftile::regression {

std::vector<double> predict(const TreeEnsemble& ensemble, const Matrix& x) {
  assert(x.columns() == ensemble.columns);
  std::vector<double> values(x.rows(), ensemble.base);
  for (const Tree& tree : ensemble.trees) {
    for (std::size_t row = 0; row < x.rows(); ++row) {
      std::size_t node = 0;
      while (tree[node].below != 0) {
        const bool less = static_cast<float>(x(row, tree[node].column)) < tree[node].threshold;
        node = less ? tree[node].below : tree[node].above;
      }
      values[row] += static_cast<double>(tree[node].value);
    }
  }
  return values;
}

}  // namespace rooftile::regression
