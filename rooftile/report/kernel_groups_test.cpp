#include "rooftile/report/kernel_groups.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rooftile {
namespace {

using testing::ElementsAre;

roofline::Kernel kernel(const std::string& name, double time, double bytes = 100) {
  roofline::Kernel made;
  made.name = name;
  made.time = Seconds(time);
  made.bytes = {Bytes(bytes)};
  return made;
}

std::vector<std::string> names_of(const std::vector<KernelGroup>& groups) {
  std::vector<std::string> names;
  for (const KernelGroup& group : groups) names.push_back(group.name);
  return names;
}

TEST(KernelGroups, JoinWhatDiffersInDigitsAlone) {
  const std::vector<roofline::Kernel> kernels = {kernel("layer0/softmax", 1e-3), kernel("pool5", 1e-3),
                                                 kernel("layer1/softmax", 1e-3), kernel("layer11/softmax", 1e-3),
                                                 kernel("layer2/softmax", 2e-3), kernel("layer3/softmax", 1e-3, 200)};
  const auto groups = equal_kernels(kernels);
  EXPECT_THAT(names_of(groups), ElementsAre("layer*/softmax x 3", "pool5", "layer2/softmax", "layer3/softmax"));
  EXPECT_EQ(groups[0].kernel, &kernels[0]);
  EXPECT_EQ(groups[0].count, 3U);
  EXPECT_DOUBLE_EQ(groups[0].time.value(), 3e-3);
}

TEST(KernelGroups, KeepDigitsThatAllShare) {
  EXPECT_THAT(names_of(equal_kernels({kernel("conv4_2/3x3", 1), kernel("conv4_3/3x3", 1)})),
              ElementsAre("conv4_*/3x3 x 2"));
  EXPECT_THAT(names_of(equal_kernels({kernel("relu", 1), kernel("relu", 1)})), ElementsAre("relu x 2"));
  EXPECT_THAT(names_of(equal_kernels({kernel("1", 1), kernel("2", 1), kernel("", 1)})), ElementsAre("* x 2", ""));
}

TEST(KernelGroups, KeepTheCountWhenNamesAreCut) {
  const std::vector<roofline::Kernel> kernels = {kernel("a_very_long_name_of_a_layer_1", 2e-4),
                                                 kernel("a_very_long_name_of_a_layer_2", 2e-4)};
  const KernelGroup group = equal_kernels(kernels).front();
  EXPECT_EQ(short_name(group, 11), "a_ver…yer_* x 2");
  EXPECT_EQ(title_of(group), "a_very_long_name_of_a_layer_* x 2, 200 us each");
}

TEST(KernelGroups, LeaveOutModulesThatTheNextOneNames) {
  const std::string name = "/features/features.11/block/block.3/block.3.0/Conv bwd_data";
  const std::vector<roofline::Kernel> kernels = {kernel(name, 2e-4)};
  const KernelGroup group = equal_kernels(kernels).front();
  EXPECT_EQ(short_name(group, 80), name);
  EXPECT_EQ(short_name(group, 50), "features.11/block.3.0/Conv bwd_data");
  EXPECT_EQ(short_name(group, 21), "features.1…v bwd_data");
}

}  // namespace
}  // namespace rooftile
