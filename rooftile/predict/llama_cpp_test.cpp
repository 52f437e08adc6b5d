// Steps of decoding as llama.cpp runs them.
#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/predict/predict.hpp"

namespace rooftile {
namespace {

Seconds product_time(double rows, const char* gpu, const char* framework) {
  const Gemm gemm{.m = static_cast<std::int64_t>(rows), .n = 8192, .k = 8192};
  return estimate(gemm, find_gpu(gpu).value(), {.precision = DType::fp16, .framework = framework, .in_network = true})
      .time;
}

TEST(LlamaCpp, FewRowsAreBoundByLoadsInFlight) {
  constexpr double kWeights = 2.0 * 8192 * 8192;
  const Gpu gpu = find_gpu("a100-sxm4-80gb").value();
  const Seconds latency = gpu.level("DRAM").latency / gpu.clock;
  const BytesPerSecond most = Bytes(4096) * gpu.sm_count / latency;  // 1.1 of 1.8 TB/s
  EXPECT_GE(product_time(1, gpu.id.c_str(), "llama.cpp"), Bytes(kWeights) / most);
  EXPECT_LT(product_time(1, gpu.id.c_str(), "PyTorch 2.1"), Bytes(kWeights) / most);
}

TEST(LlamaCpp, GddrIsReadAtFullSpeedAllTheSame) {
  EXPECT_EQ(product_time(1, "rtx-3090", "llama.cpp"), product_time(1, "rtx-3090", "PyTorch 2.1"));
}

TEST(LlamaCpp, LanesReadWeightsAsAStream) {
  constexpr double kWeights = 2.0 * 8192 * 8192;  // stored in FP16
  const Gpu gpu = find_gpu("p40").value();
  const Seconds stream = Bytes(kWeights) / gpu.level("DRAM").bandwidth;
  EXPECT_NEAR(product_time(1, "p40", "llama.cpp") / stream, 1, 0.1);
  EXPECT_GT(product_time(1, "p40", "PyTorch 2.1") / stream, 1.3);
}

TEST(LlamaCpp, ManyRowsAreCublas) {
  EXPECT_EQ(product_time(512, "a100-sxm4-80gb", "llama.cpp"), product_time(512, "a100-sxm4-80gb", "PyTorch 2.1"));
}

}  // namespace
}  // namespace rooftile
