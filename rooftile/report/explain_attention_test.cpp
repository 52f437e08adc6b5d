#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/report/report.hpp"

namespace rooftile {
namespace {

TEST(ExplainAttention, ShowsTheKernelItsBytesAndTheConstants) {
  Attention attention;
  attention.batch = 2;
  attention.q_len = attention.kv_len = 256;
  attention.heads = 4;
  attention.head_dim = 128;
  attention.causal = true;
  PredictOptions options;
  options.precision = DType::bf16;
  options.method = Method::rooftile;
  const Gpu gpu = *find_gpu("h100-sxm5-80gb");
  const std::string text = explain_report(estimate(attention, gpu, options), gpu, options);
  for (const char* part :
       {"Kernel of FlashAttention-3", "128 x 128", "packed", "524,288 B", "softmax", "tile_cycles"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
}

}  // namespace
}  // namespace rooftile
