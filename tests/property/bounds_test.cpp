// No term grows without bound outside of what it was fitted to: products of any size on every GPU.
#include <cmath>
#include <cstdint>
#include <random>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/predict/predict.hpp"

namespace rooftile {
namespace {

struct Product {
  std::int64_t m = 1, n = 1, k = 1, batch = 1;

  Gemm gemm() const {
    Gemm gemm;
    gemm.m = m;
    gemm.n = n;
    gemm.k = k;
    gemm.batch = batch;
    return gemm;
  }
  std::string text() const { return fmt::format("{} x {} x {} x {}", batch, m, n, k); }
};

// Sizes from 1 to 2^20, as many of each power.
Product random_product(std::mt19937& random) {
  std::uniform_real_distribution<double> power(0, 20);
  const auto size = [&] { return static_cast<std::int64_t>(std::exp2(power(random))); };
  return {size(), size(), size(), 1};
}

Seconds time_of(const Product& product, const Gpu& gpu, DType precision, Method method = Method::rooftile) {
  return estimate(product.gemm(), gpu, {.method = method, .precision = precision}).time;
}

// Fifty times was aimed at (docs/accuracy.md): products that are all padding of the one tile that a library has for
// them come to more.
TEST(Bounds, ProductsLieBetweenTheRooflineAndAMultipleOfIt) {
  constexpr double kMost = 150;
  constexpr Seconds kLaunches{100e-6};
  std::mt19937 random(1);
  for (const std::string& id : gpu_ids()) {
    const Gpu gpu = find_gpu(id).value();
    for (int i = 0; i < 20; ++i) {
      const Product product = random_product(random);
      const Seconds time = time_of(product, gpu, DType::fp32),
                    least = time_of(product, gpu, DType::fp32, Method::roofline);
      EXPECT_GE(time * 1.001, least * 0.5) << id << ": " << product.text();  // operands may be in the L2 already
      EXPECT_LE(time, kMost * least + kLaunches) << id << ": " << product.text();
    }
  }
}

TEST(Bounds, MoreWorkIsHardlyEverFaster) {
  constexpr double kLeast = 0.89;  // waves and splits give back some
  std::mt19937 random(2);
  for (const std::string& id : gpu_ids()) {
    const Gpu gpu = find_gpu(id).value();
    for (int i = 0; i < 10; ++i) {
      const Product product = random_product(random);
      for (std::int64_t Product::*side : {&Product::m, &Product::n, &Product::k, &Product::batch}) {
        Product more = product;
        more.*side *= 2;
        EXPECT_GE(time_of(more, gpu, DType::fp32) / time_of(product, gpu, DType::fp32), kLeast)
            << id << ": " << product.text() << " to " << more.text();
      }
    }
  }
}

// Where cases alone were measured, a library is told; a serving framework's choices of kernels may give back more.
TEST(Bounds, LongerAttentionIsNeverFasterForwardOrBackward) {
  constexpr double kLeast = 0.95;
  std::mt19937 random(3);
  std::uniform_real_distribution<double> power(0, 14);
  for (const std::string& id : gpu_ids()) {
    const Gpu gpu = find_gpu(id).value();
    for (int i = 0; i < 10; ++i) {
      Attention attention;
      attention.batch = 1 + i;
      attention.q_len = attention.kv_len = static_cast<std::int64_t>(std::exp2(power(random))) + 16;
      attention.heads = 8;
      attention.kv_heads = i % 2 == 0 ? 8 : 2;
      attention.head_dim = i % 3 == 0 ? 64 : 128;
      attention.causal = i % 2 == 0;
      attention.window = i % 5 == 0 ? 128 : 0;
      Attention more = attention;
      more.q_len = more.kv_len = 2 * attention.q_len;
      for (const Pass pass : {Pass::fwd, Pass::bwd_data}) {
        const PredictOptions options{.method = Method::rooftile, .pass = pass, .precision = DType::fp16};
        const Seconds time = estimate(attention, gpu, options).time, least = [&] {
          PredictOptions roofline = options;
          roofline.method = Method::roofline;
          return estimate(attention, gpu, roofline).time;
        }();
        EXPECT_GE(estimate(more, gpu, options).time / time, kLeast) << id << ": " << attention.q_len;
        EXPECT_LE(time, 150 * least + Seconds(100e-6)) << id << ": " << attention.q_len;
      }
    }
  }
}

}  // namespace
}  // namespace rooftile
