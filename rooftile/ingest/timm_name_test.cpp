#include "rooftile/ingest/timm_name.hpp"

#include <utility>

#include <gtest/gtest.h>

#include "rooftile/ingest/model.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {
namespace {

TEST(TimmName, IsThatOfANetworkHere) {
  EXPECT_EQ(without_timm_name("resnet50.a1_in1k"), "resnet50");
  EXPECT_EQ(without_timm_name("resnet152.tv2_in1k"), "resnet152_v1.5");
  EXPECT_EQ(without_timm_name("vit_base_patch16_224.augreg_in21k_ft_in1k"), "vit_b_16");
  EXPECT_EQ(without_timm_name("regnety_016"), "regnet_y_1_6gf");
  EXPECT_EQ(without_timm_name("maxvit_tiny_tf_224.in1k"), "maxvit_t");
  EXPECT_EQ(without_timm_name("vit-base-patch16-224"), "vit_b_16");
  for (const char* own : {"convnext_base.fb_in22k", "convnext_base.fb_in22k_ft_in1k_384", "resnet152", "qwen2.5_0.5b",
                          "stable_diffusion_1.5", "Qwen/Qwen2.5-0.5B", "mine.onnx"}) {
    EXPECT_EQ(without_timm_name(own), own);
  }
}

TEST(TimmName, LoadsTheNetwork) {
  for (const auto& [timm, own] :
       {std::pair{"mobilenetv2_100.ra_in1k", "mobilenet_v2"}, std::pair{"deit_tiny_patch16_224", "deit_tiny"},
        std::pair{"convnextv2_base.fcmae_ft_in1k", "convnext_v2_base"},
        std::pair{"efficientnetv2_s", "efficientnet_v2_s"}, std::pair{"mnasnet_075.rmsp_in1k", "mnasnet0_75"},
        std::pair{"regnetx_008", "regnet_x_800mf"}}) {
    const auto network = load_model(timm);
    ASSERT_TRUE(network) << timm << ": " << network.error().text();
    EXPECT_EQ(network->name, load_model(own)->name);
  }
}

}  // namespace
}  // namespace rooftile
