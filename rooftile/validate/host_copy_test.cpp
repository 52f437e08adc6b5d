#include "rooftile/validate/host_copy.hpp"

#include <gtest/gtest.h>

#include "rooftile/workload/workload.hpp"

namespace rooftile {
namespace {

// 12 images, as torchvision's tables have them: FP16 halves what is copied, autocast does not.
TEST(HostCopy, CopiesNumbersAsNarrowAsTheNetworkReadsThem) {
  Workload network;
  network.tensors = {{.name = "images", .shape = {12, 3, 224, 224}}};
  network.inputs = {TensorId(0)};
  const double wide = 12. * 3 * 224 * 224 * 4 / 6e9;
  PredictOptions options;
  EXPECT_NEAR(copy_time(network, options).value(), wide, 1e-12);
  options.precision = DType::tf32;
  EXPECT_NEAR(copy_time(network, options).value(), wide, 1e-12);
  options.precision = DType::fp16;
  EXPECT_NEAR(copy_time(network, options).value(), wide / 2, 1e-12);
  options.autocast = true;
  EXPECT_NEAR(copy_time(network, options).value(), wide, 1e-12);
}

}  // namespace
}  // namespace rooftile
