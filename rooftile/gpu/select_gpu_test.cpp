#include "rooftile/gpu/select_gpu.hpp"

#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rooftile {
namespace {

// As torch.cuda.get_device_name() has them.
TEST(SelectGpu, ByTheNameThatADriverGives) {
  for (const auto& [name, id] :
       {std::pair{"NVIDIA GeForce RTX 4090", "rtx-4090"}, std::pair{"Tesla V100-SXM2-16GB", "v100-sxm2-16gb"},
        std::pair{"NVIDIA A100-SXM4-80GB", "a100-sxm4-80gb"}, std::pair{"A100-SXM4-80GB", "a100-sxm4-80gb"},
        std::pair{"NVIDIA A100 80GB PCIe", "a100-pcie-80gb"}, std::pair{"NVIDIA H100 80GB HBM3", "h100-sxm5-80gb"},
        std::pair{"NVIDIA H100 PCIe", "h100-pcie-80gb"}, std::pair{"NVIDIA H200", "h200-sxm-141gb"},
        std::pair{"NVIDIA L4", "l4"}, std::pair{"NVIDIA L40S", "l40s"}, std::pair{"Tesla K40m", "k40"},
        std::pair{"NVIDIA TITAN X (Pascal)", "titan-x-pascal"}, std::pair{"NVIDIA GH200 480GB", "gh200-96gb-hbm3"},
        std::pair{"AMD Instinct MI210", "mi210"}, std::pair{"AMD Instinct MI300X OAM", "mi300x"},
        std::pair{"nvidia geforce gtx 1080 ti", "gtx-1080-ti"}}) {
    const auto found = select_gpu(name);
    ASSERT_TRUE(found) << name << ": " << found.error().text();
    EXPECT_EQ(*found, id) << name;
  }
}

TEST(SelectGpu, ANameThatFitsSeveralListsThem) {
  const auto found = select_gpu("NVIDIA A100");
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message, testing::HasSubstr("a100-pcie-40gb, a100-pcie-80gb, a100-sxm4-40gb"));
}

TEST(SelectGpu, ABrandAloneIsNoGpu) {
  EXPECT_EQ(select_gpu("NVIDIA GeForce").error().code, ErrorCode::not_found);
  EXPECT_EQ(select_gpu("").error().code, ErrorCode::not_found);
}

}  // namespace
}  // namespace rooftile
