#include "rooftile/ingest/network_meant.hpp"

#include <gtest/gtest.h>

namespace rooftile {
namespace {

TEST(NetworkMeant, DependsOnTheBenchmark) {
  EXPECT_EQ(network_meant("AlexNet", "TensorFlow 1.1 cuda 8.0 cudnn 5.1"), "alexnet_owt");
  EXPECT_EQ(network_meant("alexnet", "Torch7 cuDNN 5.1.05"), "alexnet_caffe");
  EXPECT_EQ(network_meant("alexnet", "PyTorch 1.0"), "alexnet");
  EXPECT_EQ(network_meant("alexnet", ""), "alexnet");
  EXPECT_EQ(network_meant("ResNet-50", "TensorFlow 1.1 cuda 8.0 cudnn 5.1"), "resnet50_v1");
  EXPECT_EQ(network_meant("resnet50v1.5", "TensorFlow 1.15"), "resnet50v1.5");
  EXPECT_EQ(network_meant("resnet-152", "Torch7 nn (no cuDNN)"), "resnet152_v1.5");
}

}  // namespace
}  // namespace rooftile
