#include "rooftile/execution/cudnn_release.hpp"

#include <gtest/gtest.h>

namespace rooftile {
namespace {

TEST(CudnnRelease, FollowsFromPytorchs) {
  EXPECT_EQ(cudnn_release("PyTorch 1.10 CUDA 11.3"), std::pair(8, 2));
  EXPECT_EQ(cudnn_release("PyTorch 1.12"), std::pair(8, 3));
  EXPECT_EQ(cudnn_release("PyTorch 2.0.1 CUDA 11.8"), std::pair(8, 5));
  EXPECT_EQ(cudnn_release("PyTorch 2.1.0 CUDA 12.1"), std::pair(8, 9));
  EXPECT_EQ(cudnn_release("PyTorch 2.11.0 CUDA 13.0"), std::pair(9, 1));
  EXPECT_EQ(cudnn_release("TensorFlow 1.15"), std::pair(0, 0));
}

}  // namespace
}  // namespace rooftile
