#include "rooftile/predict/prediction.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace rooftile {
namespace {

double error_of(const char* framework, Execution execution = Execution::eager) {
  Prediction prediction;
  prediction.precision = DType::fp16;
  prediction.framework = framework;
  prediction.execution = execution;
  return network_error(prediction);
}

TEST(NetworkError, IsLargerWhereNarrowKernelsAreNotKnown) {
  const double known = error_of("PyTorch 2.4.0 CUDA 12.4");
  EXPECT_EQ(error_of(""), known);
  EXPECT_EQ(error_of("", Execution::compiled), known);
  EXPECT_EQ(error_of("", Execution::engine), known);
  EXPECT_EQ(error_of("TensorRT-LLM 0.9", Execution::engine), known);
  EXPECT_EQ(error_of("NeMo 24.07 Megatron"), known);
  EXPECT_EQ(error_of("TorchScript; PyTorch, CUDA 11.4"), known);
  for (const char* other : {"TensorFlow XLA", "MXNet 1.6.0", "Megatron", "PyTorch 1.0.0",
                            "PyTorch CUDA 10.0 cuDNN 7600", "Torch7 cuDNN 5.1.05"}) {
    EXPECT_GT(error_of(other), 1.3 * known) << other;
  }
}

TEST(NetworkError, IsSmallerInFp32) {
  Prediction wide;
  EXPECT_LT(network_error(wide), error_of("PyTorch"));
  Prediction tf32;
  tf32.precision = DType::tf32;
  tf32.computed = DType::tf32;
  EXPECT_EQ(network_error(tf32), error_of("PyTorch"));
  tf32.computed = DType::fp32;
  EXPECT_EQ(network_error(tf32), network_error(wide)) << "what runs is FP32";
}

}  // namespace
}  // namespace rooftile
