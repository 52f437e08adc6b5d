#include "rooftile/gpu/select_gpu.hpp"

#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rooftile {
namespace {

// As torch.cuda.get_device_name() has them.
TEST(SelectGpu, ByTheNameThatADriverGives) {
  for (const auto& [name, id] :
       {std::pair{"NVIDIA GeForce RTX 4090", "rtx-4090"},
        std::pair{"Tesla V100-SXM2-16GB", "v100-sxm2-16gb"},
        std::pair{"NVIDIA A100-SXM4-80GB", "a100-sxm4-80gb"},
        std::pair{"A100-SXM4-80GB", "a100-sxm4-80gb"},
        std::pair{"NVIDIA A100 80GB PCIe", "a100-pcie-80gb"},
        std::pair{"NVIDIA H100 80GB HBM3", "h100-sxm5-80gb"},
        std::pair{"NVIDIA H100 PCIe", "h100-pcie-80gb"},
        std::pair{"NVIDIA H200", "h200-sxm-141gb"},
        std::pair{"NVIDIA L4", "l4"},
        std::pair{"NVIDIA L40S", "l40s"},
        std::pair{"Tesla K40m", "k40"},
        std::pair{"NVIDIA TITAN X (Pascal)", "titan-x-pascal"},
        std::pair{"NVIDIA GH200 480GB", "gh200-96gb-hbm3"},
        std::pair{"AMD Instinct MI210", "mi210"},
        std::pair{"AMD Instinct MI300X OAM", "mi300x"},
        std::pair{"nvidia geforce gtx 1080 ti", "gtx-1080-ti"},
        std::pair{"NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", "rtx-pro-6000-maxq"},
        std::pair{"NVIDIA RTX 6000 Ada Generation", "rtx-6000-ada"},
        std::pair{"Quadro RTX 8000", "quadro-rtx-8000"},
        std::pair{"NVIDIA B300 SXM6 AC", "b300-sxm-288gb"},
        std::pair{"NVIDIA GB200", "gb200"},
        std::pair{"NVIDIA GeForce RTX 3060", "rtx-3060-12gb"},
        std::pair{"Tesla K20Xm", "k20x"},
        std::pair{"NVIDIA Thor", "jetson-agx-thor"},
        std::pair{"AMD Radeon RX 7900 XTX", "rx-7900-xtx"},
        std::pair{"Nvidia geforce rtx 2080ti", "rtx-2080-ti"},
        std::pair{"rtx4090", "rtx-4090"},
        std::pair{"2080ti", "rtx-2080-ti"},
        std::pair{"4070ti", "rtx-4070-ti"},
        std::pair{"7900xtx", "rx-7900-xtx"},
        std::pair{"NVIDIA GeForce RTX 4060 Laptop GPU", "rtx-4060-laptop"},
        std::pair{"NVIDIA GeForce RTX 2060 SUPER", "rtx-2060-super"},
        std::pair{"NVIDIA RTX A4000", "rtx-a4000"},
        std::pair{"Tesla P40", "p40"},
        std::pair{"4070", "rtx-4070"},
        std::pair{"NVIDIA TITAN RTX", "titan-rtx"},
        std::pair{"AMD Instinct MI250X / MI250", "mi250x"}}) {
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

TEST(SelectGpu, ByTheBeginningsOfItsWords) {
  EXPECT_EQ(select_gpu("v100-32-sxm2").value(), "v100-sxm2-32gb");
  EXPECT_THAT(select_gpu("a100-80g").error().message,
              testing::HasSubstr("is ambiguous: a100-pcie-80gb, a100-sxm4-80gb"));
}

TEST(SelectGpu, APartOfANumberIsNoGpu) {
  for (const std::string name : {"p400", "p60", "v10", "rtx 406"}) {
    EXPECT_EQ(select_gpu(name).error().code, ErrorCode::not_found)
        << name << ": p4000, p600, v100 and rtx-4060 are others";
  }
}

TEST(SelectGpu, SuggestsGpusOfTheSameNumber) {
  EXPECT_THAT(select_gpu("407").error().message, testing::HasSubstr("did you mean one of rtx-4070, rtx-4070-laptop"));
  EXPECT_THAT(select_gpu("rtx 4090 ti").error().message,
              testing::HasSubstr("did you mean one of rtx-4090, rtx-4090-d?"));
}

TEST(SelectGpu, ABrandAloneIsNoGpu) {
  EXPECT_EQ(select_gpu("NVIDIA GeForce").error().code, ErrorCode::not_found);
  EXPECT_EQ(select_gpu("").error().code, ErrorCode::not_found);
}

TEST(SelectGpu, TakesNoOtherBoardForTheOneAsked) {
  EXPECT_THAT(select_gpu("RTX 5060").error().message, testing::HasSubstr("did you mean 'rtx-5060-ti'?"));
  EXPECT_FALSE(select_gpu("5060"));
  EXPECT_FALSE(select_gpu("Quadro RTX 5000"));  // a Turing
  EXPECT_EQ(select_gpu("Quadro RTX 4000"), "quadro-rtx-4000");
  EXPECT_EQ(select_gpu("NVIDIA RTX 5000 Ada Generation"), "rtx-5000-ada");
  EXPECT_EQ(select_gpu("RTX 5060 Ti"), "rtx-5060-ti");
}

TEST(SelectGpu, ASeriesIsNoBoard) {
  const auto found = select_gpu("rtx");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message.find("'rtx' is ambiguous: quadro-rtx-"), 0U) << found.error().message;
  EXPECT_NE(found.error().message.find(" more"), std::string::npos);
  EXPECT_EQ(select_gpu("xavier").value(), "jetson-agx-xavier") << "CUDA's name of it";
  EXPECT_EQ(select_gpu("xp").value(), "titan-xp");
  EXPECT_EQ(select_gpu("4070").value(), "rtx-4070");
}

}  // namespace
}  // namespace rooftile
