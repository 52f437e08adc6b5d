#include "rooftile/measure/layer_gemm.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace rooftile::measure {
namespace {

using Matrix = std::vector<double>;

Matrix multiply(const Gemm& gemm, const Matrix& a, const Matrix& b) {
  Matrix c(static_cast<std::size_t>(gemm.m * gemm.n));
  for (std::int64_t i = 0; i < gemm.m; ++i) {
    for (std::int64_t j = 0; j < gemm.n; ++j) {
      for (std::int64_t l = 0; l < gemm.k; ++l) {
        const auto left = static_cast<std::size_t>(gemm.trans_a ? l * gemm.m + i : i * gemm.k + l);
        const auto right = static_cast<std::size_t>(gemm.trans_b ? j * gemm.k + l : l * gemm.n + j);
        c[static_cast<std::size_t>(i * gemm.n + j)] += a[left] * b[right];
      }
    }
  }
  return c;
}

Matrix numbers(std::int64_t count, double start) {
  Matrix values;
  for (std::int64_t i = 0; i < count; ++i) {
    values.push_back(start + static_cast<double>(i * i % 7));
  }
  return values;
}

double dot(const Matrix& x, const Matrix& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum += x[i] * y[i];
  }
  return sum;
}

// The product is linear in each operand: <dC, C(V, B)> = <dA, V> for every V, and the same for B.
TEST(LayerGemm, GradientsAreAdjointToTheForwardPass) {
  for (const bool trans_a : {false, true}) {
    for (const bool trans_b : {false, true}) {
      const Gemm forward{.m = 2, .n = 3, .k = 5, .trans_a = trans_a, .trans_b = trans_b, .bias = true};
      const Matrix a = numbers(10, 1);
      const Matrix b = numbers(15, -2);
      const Matrix gradient = numbers(6, -3);
      const double product = dot(gradient, multiply(forward, a, b));

      const Gemm data = gemm_of(forward, Pass::bwd_data);
      const Matrix da = trans_a ? multiply(data, b, gradient) : multiply(data, gradient, b);
      EXPECT_EQ(dot(da, a), product) << trans_a << trans_b;

      const Gemm weight = gemm_of(forward, Pass::bwd_weight);
      const Matrix db = trans_b ? multiply(weight, gradient, a) : multiply(weight, a, gradient);
      EXPECT_EQ(dot(db, b), product) << trans_a << trans_b;
      EXPECT_FALSE(data.bias || weight.bias);
    }
  }
}

TEST(LayerGemm, ForwardStaysAsItIs) {
  const Gemm forward{.batch = 4, .m = 2, .n = 3, .k = 5, .trans_b = true, .bias = true};
  EXPECT_EQ(gemm_of(forward, Pass::fwd), forward);
  EXPECT_EQ(gemm_of(forward, Pass::bwd_weight).batch, 4);
}

}  // namespace
}  // namespace rooftile::measure
