// Names that timm has for networks that are known here under torchvision's.
#pragma once

#include <string>
#include <string_view>

namespace rooftile {

// "vit_b_16" of "vit_base_patch16_224.augreg_in21k_ft_in1k", "resnet50" of "resnet50.a1_in1k": what is trained on
// ImageNet does not change the network. Other names as they are.
std::string without_timm_name(std::string_view name);

}  // namespace rooftile
