#include "rooftile/validate/host_copy.hpp"

#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {
namespace {

// 12 images, as torchvision's tables have them: FP16 halves what is copied, autocast does not.
TEST(HostCopy, CopiesNumbersAsNarrowAsTheNetworkReadsThem) {
  Workload network;
  network.tensors = {{.name = "images", .shape = {12, 3, 224, 224}}};
  network.inputs = {TensorId(0)};
  const Gpu t4 = *find_gpu("t4");
  const double wide = 12. * 3 * 224 * 224 * 4 / 11.5e9 + 12. * 3 * 224 * 224 * 4 / 12.603e9;
  PredictOptions options;
  EXPECT_NEAR(copy_time(network, options, t4).value(), wide, 1e-6);
  options.precision = DType::tf32;
  EXPECT_NEAR(copy_time(network, options, t4).value(), wide, 1e-6);
  options.precision = DType::fp16;
  EXPECT_NEAR(copy_time(network, options, t4).value(), wide / 2, 1e-6);
  options.execution = Execution::engine;
  EXPECT_NEAR(copy_time(network, options, t4).value(), wide, 1e-6) << "an engine reads FP32";
  options.execution = Execution::eager;
  options.autocast = true;
  EXPECT_NEAR(copy_time(network, options, t4).value(), wide, 1e-6);
}

TEST(HostCopy, TakesACoreOfTheHostAndPcie) {
  Workload network;
  network.tensors = {{.name = "images", .shape = {12, 3, 224, 224}}};
  network.inputs = {TensorId(0)};
  const Bytes bytes(12. * 3 * 224 * 224 * 4);
  const Gpu t4 = *find_gpu("t4"), desktop = *find_gpu("rtx-5090");
  EXPECT_NEAR((bytes / copy_time(network, {}, t4)).value(), 6e9, 0.05e9);
  const Seconds copying = bytes / BytesPerSecond(11.5e9) * host_ratio({}, desktop);
  EXPECT_NEAR((copy_time(network, {}, desktop) - copying).value(), 12. * 3 * 224 * 224 * 4 / 50.4e9, 1e-6);
  EXPECT_LT(host_ratio({}, desktop), 0.5) << "rated twice as high as a server";
}

}  // namespace
}  // namespace rooftile
