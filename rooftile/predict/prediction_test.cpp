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

TEST(NetworkError, IsLargerWherePyTorchDoesNotRun) {
  const double pytorch = error_of("PyTorch 2.4.0 CUDA 12.4");
  EXPECT_EQ(error_of(""), pytorch);
  EXPECT_EQ(error_of("", Execution::compiled), pytorch);
  EXPECT_EQ(error_of("NeMo 24.07 Megatron"), pytorch);
  for (const char* other :
       {"TensorFlow XLA", "MXNet 1.6.0", "llama.cpp, spring 2024", "TensorRT-LLM 0.9", "Megatron"}) {
    EXPECT_NEAR(std::exp(std::sqrt(std::pow(error_of(other), 2) - std::pow(pytorch, 2))), 1.5, 0.02) << other;
  }
  EXPECT_EQ(error_of("", Execution::engine), error_of("TensorRT-LLM 0.9"));
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
